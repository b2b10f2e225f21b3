// Starts nodes again that a fault has killed: each when its time has come and its process is gone,
// with what is left of its data; and asks it until it answers. A few timers of the supervisor's
// loop; nothing waits.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_RESTARTER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_RESTARTER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "compose/plan/node_data.h"
#include "faults/cluster.h"
#include "lib/base/result.h"

namespace doublehold {

// When a node that answers again is one of its own kind again.
struct Rejoining {
  std::vector<std::string> question{"PING"};
  // Who is asked besides the node itself, after it. One that does not answer is passed over.
  std::vector<std::filesystem::path> witnesses{};
  // Whether an answer of the node, or of a witness, says so; empty: each does.
  std::function<bool(int node, const Reply& answer)> is_met{};
  // After so long it is back all the same: the others may be too few to join.
  Duration patience{};
};

class Revival {
 public:
  struct Hooks {
    std::function<bool(int node)> has_ended;      // its process is gone
    std::function<Result<void>(int node)> start;  // once more, as at first
    std::function<void(const Error&)> failed;     // it could not be started, or never answered
    Rejoining rejoining{};                        // of the nodes; the store is back when it answers
  };

  explicit Revival(boost::asio::io_context& io);
  ~Revival();

  // Before the first node dies.
  void SetHooks(Hooks hooks) { hooks_ = std::move(hooks); }

  struct Place {
    std::filesystem::path socket;
    std::filesystem::path folder;  // of its data; exists
    NodeData data;
  };
  // A node that was started for the first time.
  void Add(int node, Place place);

  // It was killed at that time: as long as nobody says Revive, for good.
  void Died(int node, MonoTime at);
  // It is dead, and is to come back.
  void Revive(int node, NodeRestart how);
  // Those that are to come back do so now.
  void Hurry();
  // No node is on its way back.
  [[nodiscard]] bool IsDone() const;

 private:
  struct Node;

  void Look(Node& node);
  void Advance(Node& node);
  void Start(Node& node);
  void Ask(Node& node);
  void GiveUp(const Node& node);
  void LeaveData(Node& node);

  boost::asio::io_context& io_;
  Hooks hooks_;
  std::map<int, std::unique_ptr<Node>> nodes_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_RESTARTER_H_
