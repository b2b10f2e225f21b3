// Real Redis servers for tests and benchmarks, each on a unix socket in a given folder.
#ifndef DOUBLEHOLD_LIB_TESTING_SERVERS_H_
#define DOUBLEHOLD_LIB_TESTING_SERVERS_H_

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/address.h"
#include "lib/clients/redis.h"
#include "lib/testing/server_process.h"

namespace doublehold::testing {

struct ServerOptions {
  std::vector<std::string> arguments{};    // additional arguments of redis-server
  std::vector<std::string> environment{};  // "NAME=value", in addition to this process's own
  std::vector<int> descriptors{};          // descriptors that the server inherits
  std::string program = "redis-server";
};

// A redis-server without persistence. The server replies to commands when Start returns.
class Server : public ServerProcess {
 public:
  explicit Server(std::filesystem::path socket, ServerOptions options = {})
      : socket_(std::move(socket)), options_(std::move(options)) {
    Start();
  }
  ~Server() { Kill(); }

  void Start();

  [[nodiscard]] NodeAddress address() const { return {.unix_path = socket_.string()}; }

 private:
  std::filesystem::path socket_;
  ServerOptions options_;
};

// Sends a command with a deadline of kPatience.
CallResult Call(Connection& connection, std::initializer_list<std::string_view> command);
// Sends a command over a new connection. Returns the reply as text: "(nil)", "3", "OK", "[a, b]",
// "failed: ...".
std::string Ask(const NodeAddress& node, std::initializer_list<std::string_view> command);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SERVERS_H_
