// Asks a redis-server for its time again and again, over a connection that bypasses the proxy.
// Never waits for an answer, since a stopped server sends none.
//
// Thread rule: runs on the supervisor's thread.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_CLOCK_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_CLOCK_H_

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>

#include "lib/base/time.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {

class NodeClock {
 public:
  using Seen = std::function<void(MonoTime at, Duration ahead)>;

  // Calls `seen` for each answer: with the time of the question, and by how much the server's clock
  // was ahead of the machine's.
  NodeClock(boost::asio::io_context& io, std::filesystem::path socket, Seen seen);

  // Asks at once, and then every 20 ms until Stop.
  void Start();
  void Stop();

 private:
  void Connect();
  void Ask();
  void Receive();
  void Later();
  void Drop();

  boost::asio::local::stream_protocol::socket socket_;
  boost::asio::steady_timer timer_;
  std::filesystem::path path_;
  Seen seen_;
  bool running_ = false;
  bool asking_ = false;  // an answer is pending, or the connection is being made
  MonoTime asked_{};
  std::array<char, 128> buffer_{};
  ReplyReader replies_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_NODE_CLOCK_H_
