// Starts killed nodes again. Waits until the restart is due and the old process has ended, and
// prepares the remaining data. Then asks the node until it answers. Uses timers of the supervisor's
// event loop; no method waits.
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

// The condition for a node that answers again to be part of its topology.
struct Rejoining {
  std::vector<std::string> question{"PING"};
  // Servers that are asked after the node itself. One that does not answer is skipped.
  std::vector<std::filesystem::path> witnesses{};
  // Whether an answer of the node or of a witness fulfils the condition; empty: every answer does.
  std::function<bool(int node, const Reply& answer)> is_met{};
  // After this time the node counts as back anyway: too few other nodes may be up for it to join.
  Duration patience{};
};

class Revival {
 public:
  struct Hooks {
    std::function<bool(int node)> has_ended;      // whether its process has ended
    std::function<Result<void>(int node)> start;  // starts it again
    // Called when a node cannot be started, or never answered.
    std::function<void(const Error&)> failed;
    Rejoining rejoining{};  // for nodes only; the store is back when it answers
  };

  explicit Revival(boost::asio::io_context& io);
  ~Revival();

  // Call it before the first node dies.
  void SetHooks(Hooks hooks) { hooks_ = std::move(hooks); }

  struct Place {
    std::filesystem::path socket;
    std::filesystem::path folder;  // folder of the node's data; must exist
    NodeData data;
  };
  // Adds a node that was started for the first time.
  void Add(int node, Place place);

  // The node was killed at the time `at`. It stays dead until Revive.
  void Died(int node, MonoTime at);
  // Brings the node back. Requires that it is dead.
  void Revive(int node, NodeRestart how);
  // Starts all nodes at once whose restart is due later.
  void Hurry();
  // Whether no node is being restarted.
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
