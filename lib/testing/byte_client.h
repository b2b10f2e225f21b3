// What the tests of this folder share: a folder that goes away, a real redis-server in it, and a
// client that speaks bytes. Conditions are waited for with a deadline, never for a length of time.
#ifndef DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_
#define DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/time.h"

namespace doublehold::testing {

// Far longer than anything takes that does not fail.
constexpr std::chrono::seconds kPatience{30};

// True when `condition` became true within kPatience.
bool Eventually(const std::function<bool()>& condition);

MonoTime Now();

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A child that dies with this process, and is killed and reaped when it goes out of scope. Other
// descriptors than 0..2 and `keep` are closed in it when they are close-on-exec.
class Child {
 public:
  struct Options {
    std::vector<std::string> environment{};  // "NAME=value", added to ours
    int input = -1;                          // its descriptors 0 and 1; -1: /dev/null
    int output = -1;
  };
  Child(const std::vector<std::string>& argv, const Options& options);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Signal(int signal) const;
  [[nodiscard]] bool Running();

 private:
  pid_t pid_ = -1;
};

// redis-server on a unix socket in `dir`, answering when the constructor returns.
class RedisServer {
 public:
  explicit RedisServer(const TempDir& dir, std::vector<std::string> environment = {});
  [[nodiscard]] const std::string& socket_path() const { return socket_path_; }
  void Signal(int signal) const { child_.Signal(signal); }

 private:
  std::string socket_path_;
  Child child_;
};

// A connection of bytes. Receiving waits for kPatience at most.
class ByteClient {
 public:
  static ByteClient ToUnix(const std::string& path);
  static ByteClient ToPort(uint16_t port);
  ByteClient(ByteClient&& other) noexcept;
  ByteClient& operator=(ByteClient&& other) noexcept;
  ~ByteClient();

  [[nodiscard]] bool connected() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }
  void Close();
  void CloseWriting();

  // All of it; false when the other side is gone.
  bool Send(std::string_view bytes);
  // The next reply, as it came; empty when the connection ended first.
  std::string ReceiveReply();
  // Sends a command and receives its reply.
  std::string Call(const std::vector<std::string>& words);
  // Bytes that have come and were not received yet, without waiting.
  std::string ReceiveNow();
  // The errno of the end of the connection: 0 for a plain end. -1 when it did not end.
  int ReceiveEnd();

 private:
  explicit ByteClient(int fd) : fd_(fd) {}
  bool Fill(int timeout_ms);

  int fd_ = -1;
  int error_ = -1;  // as ReceiveEnd
  std::string received_;
};

// "*2|$3|GET|$1|k|"
std::string Encode(const std::vector<std::string>& words);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_
