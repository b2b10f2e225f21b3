// What stands between a client and a server in the benchmark of the proxy: each in a process of its
// own, with a port that the kernel chose.
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

namespace doublehold {

// A process and the ports it listens on; killed when it goes.
class Forwarder {
 public:
  // Forks; `serve` writes its ports to the descriptor, each as a uint16_t, and never returns.
  Forwarder(Place place, size_t ports, const std::function<void(int)>& serve);
  Forwarder(pid_t pid, uint16_t port) : pid_(pid), ports_{port} {}
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  [[nodiscard]] uint16_t port(size_t number = 0) const { return ports_.at(number); }
  [[nodiscard]] size_t ports() const { return ports_.size(); }
  // Processor time that it has used, all of its threads together.
  [[nodiscard]] Duration Used() const;

 private:
  pid_t pid_ = 0;
  std::vector<uint16_t> ports_;
};

// Doublehold's proxy: links to the server at `unix_path`, the same rules on each.
std::unique_ptr<Forwarder> StartProxy(Place place, const std::string& unix_path, int links,
                                      const std::vector<LinkRule>& rules);

// A port that was free a moment ago.
uint16_t FreePort();

// Lets a server that listens on that unix socket listen on a TCP port as well. Ends the program
// when it does not.
uint16_t OpenPort(const std::string& unix_path);

// The least that a forwarder does: epoll, recv, send. Knows neither frames nor rules.
std::unique_ptr<Forwarder> StartBareLoop(Place place, const std::string& unix_path);

// Toxiproxy's server without toxics. Ends the program when it does not start.
std::unique_ptr<Forwarder> StartToxiproxy(Place place, const std::string& program,
                                          uint16_t upstream_port);

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_FORWARDERS_H_
