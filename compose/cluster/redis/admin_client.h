// Sends commands to one server from the supervisor's event loop, over a connection of its own that
// bypasses the proxy.
//
// Thread rule: runs on the io_context's thread. No method waits.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_ADMIN_CLIENT_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_ADMIN_CLIENT_H_

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/time.h"
#include "lib/clients/redis.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {

// A connection for one command at a time. Pending handlers keep the object alive.
class AdminConnection : public std::enable_shared_from_this<AdminConnection> {
 public:
  using Answer = std::function<void(CallResult)>;

  AdminConnection(boost::asio::io_context& io, const std::filesystem::path& socket)
      : io_(io), endpoint_(socket.string()), socket_(io), timer_(io) {}

  // Connects if there is no connection, and sends the command. Calls `answer` once from the event
  // loop, with the reply, or with an error if there is none within `timeout`. Never calls `answer`
  // if the loop ends first. If the server listens, the command has been sent when this returns.
  // Requires that no other command is pending.
  void Call(const std::vector<std::string>& command, Duration timeout, Answer answer);
  // Closes the connection. A pending `answer` is not called any more.
  void Close();

 private:
  void Receive(int call);
  // Ends the call with this number with an error, and closes the connection. Does nothing if that
  // call has ended.
  void Fail(int call, bool definite, const std::string& why);

  boost::asio::io_context& io_;
  boost::asio::local::stream_protocol::endpoint endpoint_;
  boost::asio::local::stream_protocol::socket socket_;
  boost::asio::steady_timer timer_;
  Answer answer_;
  int call_ = 0;  // number of the call; a late handler of an earlier call is ignored
  std::array<char, 4096> buffer_{};
  std::string sent_;
  ReplyReader replies_;
};

// Sends one command over a new connection; see AdminConnection::Call.
void CallAsOperator(boost::asio::io_context& io, const std::filesystem::path& socket,
                    const std::vector<std::string>& command, Duration timeout,
                    AdminConnection::Answer answer);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_ADMIN_CLIENT_H_
