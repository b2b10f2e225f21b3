// Asks a redis-server for its time at intervals, over a connection that bypasses the proxy. Never
// blocks for an answer, since a stopped server sends none.
//
// Thread rule: runs on the supervisor's thread.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_CLOCK_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_CLOCK_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "compose/cluster/redis/admin_client.h"
#include "lib/base/time.h"

namespace doublehold {

class NodeClock {
 public:
  using Seen = std::function<void(MonoTime at, Duration ahead)>;

  // Calls `seen` for each answer, with the time of the question and how far the server's clock was
  // ahead of the machine's clock.
  NodeClock(boost::asio::io_context& io, const std::filesystem::path& socket, Seen seen);
  ~NodeClock() { connection_->Close(); }
  NodeClock(const NodeClock&) = delete;
  NodeClock& operator=(const NodeClock&) = delete;

  // Asks at once, and then every 20 ms until Stop.
  void Start();
  void Stop();

 private:
  void Ask();
  void Take(const CallResult& reply, MonoTime asked);

  std::shared_ptr<AdminConnection> connection_;
  boost::asio::steady_timer timer_;
  Seen seen_;
  bool running_ = false;
  bool asking_ = false;  // an answer is pending
};

// Parses the reply to TIME: seconds and microseconds, such as ["1700000000", "123456"].
std::optional<Duration> ReadTime(const CallResult& reply);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_CLOCK_H_
