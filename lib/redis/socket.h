// A non-blocking stream socket to a node, with deadlines. Move-only owner of its descriptor; one
// task at a time.
#ifndef DOUBLEHOLD_LIB_REDIS_SOCKET_H_
#define DOUBLEHOLD_LIB_REDIS_SOCKET_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/time.h"
#include "lib/redis/address.h"

namespace doublehold {

class Socket {
 public:
  Socket() = default;
  ~Socket() { Close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] bool IsOpen() const { return fd_ >= 0; }
  void Close();

  // Each answers an empty string on success, else what went wrong, in a few words.
  [[nodiscard]] std::string Connect(const NodeAddress& address, Deadline deadline);
  // All or nothing, as far as the peer can tell: bytes that were not all accepted are no complete
  // command.
  [[nodiscard]] std::string SendAll(std::string_view bytes, Deadline deadline);
  // Waits for some bytes; `received` says how many.
  struct Received {
    std::string error;
    size_t bytes = 0;
  };
  [[nodiscard]] Received Receive(std::span<char> into, Deadline deadline);
  // True when the peer has closed or sent something nobody asked for: the connection is of no more
  // use.
  [[nodiscard]] bool IsSpoilt() const;

 private:
  [[nodiscard]] std::string WaitFor(int16_t events, Deadline deadline) const;
  int fd_ = -1;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_SOCKET_H_
