// Real servers for tests and benchmarks: each in a folder of its user's, on a unix socket, ended
// with the object.
// Conditions are waited for with a deadline, never for a length of time.
#ifndef DOUBLEHOLD_LIB_TESTING_SERVERS_H_
#define DOUBLEHOLD_LIB_TESTING_SERVERS_H_

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/connection.h"
#include "lib/redis/address.h"

namespace doublehold::testing {

// Far longer than anything takes that does not fail.
constexpr Duration kPatience = std::chrono::seconds(60);

// True when `condition` became true within kPatience.
bool Eventually(const std::function<bool()>& condition);

// Goes away with everything in it.
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
  std::vector<std::string> arguments{};    // further ones of redis-server
  std::vector<std::string> environment{};  // "NAME=value", over this process's own
  std::vector<int> descriptors{};          // that it inherits
  std::string program = "redis-server";
};

// A redis-server without persistence; it answers when Start returns. Dies with this process.
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
  void Kill();      // SIGKILL, and waits for its end
  void Stop();      // SIGSTOP, and waits until it stands
  void Continue();  // SIGCONT

  [[nodiscard]] NodeAddress address() const { return {.unix_path = socket_.string()}; }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  std::filesystem::path socket_;
  ServerOptions options_;
  pid_t pid_ = -1;
};

// One command over a connection, with patience.
CallResult Call(Connection& connection, std::initializer_list<std::string_view> command);
// The same over a fresh connection; its answer as text: "(nil)", "3", "OK", "[a, b]", "failed:
// ...".
std::string Ask(const NodeAddress& node, std::initializer_list<std::string_view> command);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SERVERS_H_
