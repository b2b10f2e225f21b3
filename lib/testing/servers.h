// Real servers for tests and benchmarks. Each server listens on a unix socket in a given folder.
// The destructor of its object stops it. Tests wait for conditions with a deadline, never for a
// length of time.
#ifndef DOUBLEHOLD_LIB_TESTING_SERVERS_H_
#define DOUBLEHOLD_LIB_TESTING_SERVERS_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/address.h"
#include "lib/clients/redis.h"

namespace doublehold::testing {

// Far longer than any successful operation takes.
constexpr Duration kPatience = std::chrono::seconds(60);

// Waits until `condition` is true, at most kPatience. Returns whether it became true.
bool Eventually(const std::function<bool()>& condition);

// Returns a port of the loopback that was free a moment ago.
uint16_t FindFreePort();

// A temporary folder, removed with its content by the destructor.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct ServerOptions {
  std::vector<std::string> arguments{};    // additional arguments of redis-server
  std::vector<std::string> environment{};  // "NAME=value", in addition to this process's own
  std::vector<int> descriptors{};          // descriptors that the server inherits
  std::string program = "redis-server";
};

// A redis-server without persistence. The server replies to commands when Start returns. It dies
// when this process dies.
class Server {
 public:
  explicit Server(std::filesystem::path socket, ServerOptions options = {})
      : socket_(std::move(socket)), options_(std::move(options)) {
    Start();
  }
  ~Server() { Kill(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void Start();
  void Kill();      // SIGKILL; waits for its end
  void Stop();      // SIGSTOP; waits until it has stopped
  void Continue();  // SIGCONT

  [[nodiscard]] NodeAddress address() const { return {.unix_path = socket_.string()}; }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  std::filesystem::path socket_;
  ServerOptions options_;
  pid_t pid_ = -1;
};

// Sends a command with a deadline of kPatience.
CallResult Call(Connection& connection, std::initializer_list<std::string_view> command);
// Sends a command over a new connection. Returns the reply as text: "(nil)", "3", "OK", "[a, b]",
// "failed: ...".
std::string Ask(const NodeAddress& node, std::initializer_list<std::string_view> command);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SERVERS_H_
