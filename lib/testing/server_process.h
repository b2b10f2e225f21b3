// What all real servers of tests and benchmarks have in common: a process, a folder, free ports.
// Tests wait for conditions with a deadline, never for a length of time.
#ifndef DOUBLEHOLD_LIB_TESTING_SERVER_PROCESS_H_
#define DOUBLEHOLD_LIB_TESTING_SERVER_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "lib/base/time.h"
#include "lib/os/spawn.h"

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

// The process of one server. It dies when this process dies. A derived class calls Kill in its
// destructor, before the server's folder goes.
class ServerProcess {
 public:
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void Kill();      // SIGKILL; waits for its end
  void Stop();      // SIGSTOP; waits until it has stopped
  void Continue();  // SIGCONT

  [[nodiscard]] pid_t pid() const { return pid_; }

 protected:
  explicit ServerProcess(size_t ports = 0) : ports_(ports) {}
  ~ServerProcess() = default;

  // Starts the program, and waits until the server is ready. Returns false when the program ends
  // before that.
  [[nodiscard]] bool StartOnce(const SpawnRequest& program, const std::function<bool()>& is_ready);
  // Tries until the server is ready, since another process may take a free port before the server
  // does. `program` is asked before each try, when ports() are known.
  void StartUntilReady(const std::function<SpawnRequest()>& program,
                       const std::function<bool()>& is_ready);

  // Ports of the loopback. A server that was ready once keeps them when it starts again.
  [[nodiscard]] const std::vector<uint16_t>& ports() const { return ports_; }

 private:
  std::vector<uint16_t> ports_;
  bool was_ready_ = false;
  pid_t pid_ = -1;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SERVER_PROCESS_H_
