#include "lib/testing/servers.h"

#include <utility>

#include "lib/base/check.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold::testing {
namespace {

std::string ToText(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNil:
      return "(nil)";
    case Reply::Kind::kInteger:
      return std::to_string(reply.integer);
    case Reply::Kind::kString:
    case Reply::Kind::kStatus:
      return reply.text;
    case Reply::Kind::kArray:
      break;
  }
  std::string text;
  for (const Reply& item : reply.items) text += (text.empty() ? "" : ", ") + ToText(item);
  return "[" + text + "]";
}

}  // namespace

void Server::Start() {
  std::vector<std::string> argv{options_.program,
                                "--port",
                                "0",
                                "--unixsocket",
                                socket_.string(),
                                "--dir",
                                socket_.parent_path().string(),
                                "--save",
                                "",
                                "--appendonly",
                                "no",
                                "--daemonize",
                                "no"};
  argv.insert(argv.end(), options_.arguments.begin(), options_.arguments.end());
  const bool answers = StartOnce({.argv = std::move(argv),
                                  .environment = options_.environment,
                                  .descriptors = options_.descriptors},
                                 [this] { return Ask(address(), {"PING"}) == "PONG"; });
  CHECK(answers);
}

CallResult Call(Connection& connection, std::initializer_list<std::string_view> command) {
  return connection.Call(Argv(command.begin(), command.size()), RealMono() + kPatience);
}

std::string Ask(const NodeAddress& node, std::initializer_list<std::string_view> command) {
  const CallResult result = Call(*MakeConnection(node), command);
  return result ? ToText(*result) : "failed: " + result.error().message;
}

}  // namespace doublehold::testing
