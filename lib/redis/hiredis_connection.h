// Connection and Subscription to a real node, and a reader of Redis' protocol for event loops with
// their own sockets. Only hiredis_connection.cc includes hiredis, and uses it for the protocol
// alone. The sockets are Doublehold's (socket.h), so that the deadline covers connecting, sending
// and receiving, and a failure states whether the command may have been executed.
#ifndef DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_
#define DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/address.h"
#include "lib/clients/redis.h"
#include "lib/redis/route.h"

struct redisReader;  // of hiredis

namespace doublehold {

// The arguments of Start and StartScript must stay valid until Finish, because Finish sends a
// script's text if the node lacks the script.
std::unique_ptr<Connection> MakeConnection(NodeAddress address);
std::unique_ptr<Subscription> MakeSubscription(NodeAddress address, std::string channel);
// Connects to the node that the route finds. Follows redirections to other nodes.
std::unique_ptr<Connection> MakeConnection(std::unique_ptr<Route> route);
std::unique_ptr<Subscription> MakeSubscription(std::unique_ptr<Route> route, std::string channel);

// Returns the bytes of a command.
std::string FormatCommand(Argv words);

// Parses replies from a stream of bytes.
class ReplyReader {
 public:
  ReplyReader();

  void Feed(std::string_view bytes);
  // Returns the next complete reply, if there is one. Returns a definite failure for an error
  // reply. Returns an indefinite failure for bytes that are not Redis' protocol; no reply follows
  // this failure.
  std::optional<CallResult> Next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
};

// Reads CLOCK_MONOTONIC.
MonoTime RealMono();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_
