// A client that speaks bytes.
#ifndef DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_
#define DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold::testing {

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
