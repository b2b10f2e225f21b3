// Servers for the benchmarks, and where they run.
//
// Two processes that talk on one core switch in 2 us; between two cores, one of which sleeps, a
// wake-up takes 35 us or more. Which of the two it is would be the scheduler's mood, and differ
// within one comparison: so each comparison says where its sides run.
#ifndef DOUBLEHOLD_BENCH_SERVERS_H_
#define DOUBLEHOLD_BENCH_SERVERS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "compose/os/scratch.h"
#include "lib/history/shared_run.h"
#include "lib/redis/address.h"
#include "lib/testing/servers.h"

namespace doublehold {

// The last core of those this program may use, whatever it was pinned to since; the first is
// kOneCore. With one core only they are the same.
enum class Place : uint8_t { kOneCore, kOtherCore };

// Lets a process's main thread (0: the calling thread), and the threads and processes it will
// start, run there only.
void PinTo(Place place, pid_t thread = 0);

// redis-servers on unix sockets under the clock shim, as a run has them. Ends the program when one
// does not start; stops them when it goes.
class BenchServers {
 public:
  BenchServers(const std::string& redis_server, int count);

  void Pin(Place place) const;
  [[nodiscard]] std::string Socket(int number) const;  // from 0
  // Of node 0, which stands for the store, and so many nodes.
  [[nodiscard]] std::vector<NodeAddress> Addresses(int nodes) const;

 private:
  Scratch scratch_;
  SharedRun clock_;
  std::vector<std::unique_ptr<testing::Server>> servers_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_SERVERS_H_
