// Servers for the benchmarks, and the cores on which they run.
//
// Two processes on one core switch in 2 us. A wake-up on another, sleeping core takes 35 us or
// more. The scheduler's choice would vary within one comparison, so each comparison pins its sides.
#ifndef DOUBLEHOLD_BENCH_SERVERS_H_
#define DOUBLEHOLD_BENCH_SERVERS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "compose/os/scratch.h"
#include "lib/base/address.h"
#include "lib/history/shared_run.h"
#include "lib/testing/servers.h"

namespace doublehold {

// kOneCore is the first core that this program may use, and kOtherCore is the last, regardless of
// later pins. With a single core both are the same.
enum class Place : uint8_t { kOneCore, kOtherCore };

// Pins a process's main thread (0: the calling thread), and the threads and processes that it
// starts later.
void PinTo(Place place, pid_t thread = 0);

// Starts redis-servers on unix sockets under the clock shim, as a run does. Ends the program when a
// server does not start. The destructor stops the servers.
class BenchServers {
 public:
  BenchServers(const std::string& redis_server, int count);

  void Pin(Place place) const;
  [[nodiscard]] std::string Socket(int number) const;  // `number` counts from 0
  // Returns the addresses of node 0, which stands for the store, and of `nodes` nodes.
  [[nodiscard]] std::vector<NodeAddress> Addresses(int nodes) const;

 private:
  Scratch scratch_;
  SharedRun clock_;
  std::vector<std::unique_ptr<testing::Server>> servers_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_SERVERS_H_
