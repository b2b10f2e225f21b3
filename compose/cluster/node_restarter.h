// Starts killed nodes again. Waits until the time of the restart, and until the old process has
// ended. Prepares the remaining data, starts the node, and asks it until it answers. Uses timers of
// the supervisor's event loop; no method waits.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_NODE_RESTARTER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_NODE_RESTARTER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "compose/cluster/question.h"
#include "compose/plan/node_data.h"
#include "faults/cluster.h"
#include "lib/base/address.h"
#include "lib/base/result.h"

namespace doublehold {

// The condition under which a restarted node is part of its topology again.
struct Rejoining {
  // Makes the question whose answer is yes if the condition is met. Empty: there is no condition.
  std::function<Question()> question{};
  // Servers that are asked after the node itself. A server that does not answer is skipped.
  std::vector<NodeAddress> witnesses{};
  // Maximum time for the condition, from the node's first answer. After it the restart ends anyway,
  // since too few other nodes may be up for the node to join.
  Duration patience{};
};

class Revival {
 public:
  struct Hooks {
    std::function<bool(int node)> has_ended;      // whether the node's process has ended
    std::function<Result<void>(int node)> start;  // starts the node again
    // Called when a node cannot be started, or never answered.
    std::function<void(const Error&)> failed;
    std::function<Question(int node)> ping;  // its answer is yes if the node is ready for clients
    std::function<Rejoining(int node)> rejoining;
    std::function<void(int node)> forget_data;
    std::function<std::filesystem::path(int node)> log_of;  // empty path: the node has no log yet
  };

  explicit Revival(boost::asio::io_context& io);
  ~Revival();

  // Call it before the first node dies.
  void SetHooks(Hooks hooks) { hooks_ = std::move(hooks); }

  struct Place {
    NodeAddress address;
    NodeData data;
  };
  // Adds a node that was started for the first time.
  void Add(int node, Place place);

  // Call when the node was killed, with the time of the kill. The node stays dead until Revive.
  void Died(int node, MonoTime at);
  // Restarts the node. Requires that the node is dead.
  void Revive(int node, NodeRestart how);
  // Starts at once all nodes whose restart is planned for later.
  void Hurry();
  // Whether no node is being restarted.
  [[nodiscard]] bool IsDone() const;

 private:
  struct Node;

  void Look(Node& node);
  void Advance(Node& node);
  void Start(Node& node);
  void Ask(Node& node);
  void OnPinged(Node& node, Answered how);
  void OnWitness(Node& node, Answered how);
  void Back(Node& node);
  void GiveUp(const Node& node);
  void LeaveData(Node& node);

  boost::asio::io_context& io_;
  Hooks hooks_;
  std::map<int, std::unique_ptr<Node>> nodes_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_NODE_RESTARTER_H_
