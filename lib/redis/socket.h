// A non-blocking stream socket to a node, with deadlines. Owns its descriptor; used by one task at
// a time.
#ifndef DOUBLEHOLD_LIB_REDIS_SOCKET_H_
#define DOUBLEHOLD_LIB_REDIS_SOCKET_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/address.h"
#include "lib/base/time.h"

namespace doublehold {

class Socket {
 public:
  Socket() = default;
  ~Socket() { Close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] bool IsOpen() const { return fd_ >= 0; }
  void Close();

  // Connect and SendAll return an empty string on success, otherwise a short reason.
  [[nodiscard]] std::string Connect(const NodeAddress& address, Deadline deadline);
  // After a failure, the peer has received at most an incomplete command.
  [[nodiscard]] std::string SendAll(std::string_view bytes, Deadline deadline);
  // Waits for data. `bytes` is the length of the data.
  struct Received {
    std::string error;
    size_t bytes = 0;
  };
  [[nodiscard]] Received Receive(std::span<char> into, Deadline deadline);
  // Whether the connection is unusable because the peer has closed it or sent unsolicited data.
  [[nodiscard]] bool IsSpoilt() const;

 private:
  [[nodiscard]] std::string WaitFor(int16_t events, Deadline deadline) const;
  int fd_ = -1;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_SOCKET_H_
