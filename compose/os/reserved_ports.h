// Reserves TCP ports on 127.0.0.1 for servers that need a port number. No other process gets a
// reserved port before the server listens, or while the server is down.
#ifndef DOUBLEHOLD_COMPOSE_OS_RESERVED_PORTS_H_
#define DOUBLEHOLD_COMPOSE_OS_RESERVED_PORTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

// For each port, a socket is bound to it but does not listen. So the kernel does not choose the
// port for a process that binds to port 0. A server that sets SO_REUSEADDR, as Redis does, can
// still bind the port. It gets all connections, since no other socket listens. Move-only; children
// do not inherit the sockets.
class HeldPorts {
 public:
  HeldPorts() = default;
  HeldPorts(HeldPorts&& other) noexcept;
  HeldPorts& operator=(HeldPorts&& other) noexcept;
  ~HeldPorts();

  // Reserves `count` different ports, which the kernel chooses.
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
