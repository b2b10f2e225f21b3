// The forwarders between client and server that the proxy benchmark compares. Each runs in a
// process of its own, on a port that the kernel chose.
#ifndef DOUBLEHOLD_BENCH_FORWARDERS_H_
#define DOUBLEHOLD_BENCH_FORWARDERS_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/servers.h"
#include "faults/link.h"
#include "faults/proxy/protocol.h"
#include "lib/base/address.h"

namespace doublehold {

// A forwarder process and its ports. The destructor kills this process.
class Forwarder {
 public:
  // Forks. `serve` writes its ports to the descriptor, each as a uint16_t, and never returns.
  Forwarder(Place place, size_t ports, const std::function<void(int)>& serve);
  Forwarder(pid_t pid, uint16_t port) : pid_(pid), ports_{port} {}
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  [[nodiscard]] uint16_t port(size_t number = 0) const { return ports_.at(number); }
  [[nodiscard]] size_t ports() const { return ports_.size(); }
  // Returns the CPU time of all threads of the process.
  [[nodiscard]] Duration Used() const;

 private:
  pid_t pid_ = 0;
  std::vector<uint16_t> ports_;
};

// Starts Doublehold's proxy. All links lead to this server, and have the same rules.
std::unique_ptr<Forwarder> StartProxy(Place place, const NodeAddress& server, int links,
                                      const std::vector<LinkRule>& rules,
                                      Protocol protocol = Protocol::kRedis);

// Listens on a port that the kernel chose, and returns the descriptor.
int ListenAnywhere(uint16_t& port);
// Writes the port to a forwarder's descriptor.
void Tell(int fd, uint16_t port);

// Returns a free port. Another program may take this port before it is used.
uint16_t FreePort();

// Makes the server on this unix socket listen on a TCP port too, and returns the port. Ends the
// program on failure.
uint16_t OpenPort(const std::string& unix_path);

// Starts the simplest possible forwarder: epoll, recv, send. It knows neither frames nor rules.
std::unique_ptr<Forwarder> StartBareLoop(Place place, const std::string& unix_path);

// Starts Toxiproxy's server without toxics. Ends the program on failure.
std::unique_ptr<Forwarder> StartToxiproxy(Place place, const std::string& program,
                                          uint16_t upstream_port);

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_FORWARDERS_H_
