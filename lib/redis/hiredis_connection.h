// Connection and Subscription to a real node, and Redis' protocol alone for an event loop that has
// sockets of its own. hiredis_connection.cc is the one file that includes hiredis; it is used for
// the protocol, while the socket is ours, so that a deadline holds for connecting, sending and
// receiving alike and a failure can say whether the command may have run.
#ifndef DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_
#define DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/connection.h"
#include "lib/redis/address.h"
#include "lib/redis/route.h"

struct redisReader;  // of hiredis

namespace doublehold {

// Views given to Start and StartScript must stay valid until Finish: a script that the node lacks
// is sent again in full.
std::unique_ptr<Connection> MakeConnection(NodeAddress address);
std::unique_ptr<Subscription> MakeSubscription(NodeAddress address, std::string channel);
// To wherever the route leads. A command that belongs to another node is sent to that one.
std::unique_ptr<Connection> MakeConnection(std::unique_ptr<Route> route);
std::unique_ptr<Subscription> MakeSubscription(std::unique_ptr<Route> route, std::string channel);

// The bytes of a command.
std::string FormatCommand(Argv words);

// Takes replies out of bytes as they come.
class ReplyReader {
 public:
  ReplyReader();

  void Feed(std::string_view bytes);
  // The next whole reply, once it has come. An error of the server is a definite failure; bytes
  // that are not Redis' protocol are an indefinite one, and no reply follows them.
  std::optional<CallResult> Next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
};

// CLOCK_MONOTONIC.
MonoTime RealMono();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_
