// Asks a server for its time at intervals, over a connection that bypasses the proxy. Never
// blocks for an answer, since a stopped server sends none.
//
// Thread rule: runs on the supervisor's thread.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_NODE_CLOCK_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_NODE_CLOCK_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "compose/cluster/asking_connection.h"
#include "lib/base/time.h"

namespace doublehold {

class NodeClock {
 public:
  using Seen = std::function<void(MonoTime at, Duration ahead)>;

  // Calls `seen` for each answer, with the time of the question and how far the server's clock was
  // ahead of the machine's clock.
  // `ask` makes a question that tells the server's time as its answer is heard.
  using AskTime = std::function<Question(std::function<void(Duration since_epoch)> tell)>;
  NodeClock(boost::asio::io_context& io, const NodeAddress& server, AskTime ask, Seen seen);
  ~NodeClock() { connection_->Close(); }
  NodeClock(const NodeClock&) = delete;
  NodeClock& operator=(const NodeClock&) = delete;

  // Asks at once, and then every 20 ms until Stop.
  void Start();
  void Stop();

 private:
  void Ask();
  void Take(MonoTime asked);

  std::shared_ptr<AskingConnection> connection_;
  AskTime ask_;
  std::optional<Duration> told_{};  // the server's time, once it was heard
  boost::asio::steady_timer timer_;
  Seen seen_;
  bool running_ = false;
  bool asking_ = false;  // an answer is pending
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_NODE_CLOCK_H_
