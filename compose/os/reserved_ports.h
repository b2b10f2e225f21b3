// TCP ports on 127.0.0.1 that are kept for servers which are told their port: nobody else is given
// one of them before its server listens there, nor while that is away to be started again.
#ifndef DOUBLEHOLD_COMPOSE_OS_RESERVED_PORTS_H_
#define DOUBLEHOLD_COMPOSE_OS_RESERVED_PORTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

// Each is held by a socket that is bound to it and does not listen. Of the kernel that takes the
// port from all who let it choose one, for a listener or for a connection; it still lets a server
// bind the same port that sets SO_REUSEADDR, as Redis does. Such a server has the port to itself:
// connections come to who listens. Move-only; children do not inherit it.
class HeldPorts {
 public:
  HeldPorts() = default;
  HeldPorts(HeldPorts&& other) noexcept;
  HeldPorts& operator=(HeldPorts&& other) noexcept;
  ~HeldPorts();

  // Different ones; the kernel chooses them.
  static Result<HeldPorts> Take(size_t count);

  [[nodiscard]] uint16_t At(size_t index) const { return ports_.at(index).number; }
  [[nodiscard]] size_t count() const { return ports_.size(); }

 private:
  struct Port {
    int fd = -1;
    uint16_t number = 0;
  };
  std::vector<Port> ports_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_RESERVED_PORTS_H_
