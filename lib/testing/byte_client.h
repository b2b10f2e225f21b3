// A client of raw bytes.
#ifndef DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_
#define DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold::testing {

// A connection that sends and receives raw bytes. Receiving waits at most kPatience.
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

  // Sends all bytes. Returns false when the peer has closed the connection.
  bool Send(std::string_view bytes);
  // Returns the raw bytes of the next reply. Returns "" when the connection ended first.
  std::string ReceiveReply();
  // Sends a command and returns its reply.
  std::string Call(const std::vector<std::string>& words);
  // Returns the bytes that have already arrived, without waiting.
  std::string ReceiveNow();
  // Waits for the end of the connection. Returns 0 for a regular end, otherwise the errno, or -1 if
  // the connection did not end.
  int ReceiveEnd();

 private:
  explicit ByteClient(int fd) : fd_(fd) {}
  bool Fill(int timeout_ms);

  int fd_ = -1;
  int error_ = -1;  // see ReceiveEnd
  std::string received_;
};

// Encodes a command as RESP: "*2|$3|GET|$1|k|" (| is a line end).
std::string Encode(const std::vector<std::string>& words);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_BYTE_CLIENT_H_
