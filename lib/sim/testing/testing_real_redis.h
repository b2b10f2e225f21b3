// A real redis-server whose wall clock stands still where the test puts it, and several connections
// to it.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_REAL_REDIS_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_REAL_REDIS_H_

#include <set>
#include <string>
#include <vector>

#include "lib/clock/clock_layout.h"
#include "lib/sim/testing/testing_sequences.h"
#include "lib/testing/byte_client.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {

// Where the clock stands when a sequence begins.
constexpr int64_t kSequenceStartMs = 1'700'000'000'000;

// A page of the clock shim that children inherit.
class StandingClock {
 public:
  StandingClock();
  ~StandingClock();
  StandingClock(const StandingClock&) = delete;
  StandingClock& operator=(const StandingClock&) = delete;

  // From now on every process under it reads this instant, until the next call.
  void StandAt(int64_t now_ms);
  [[nodiscard]] std::vector<std::string> Environment() const;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
  doublehold_clock_page* page_ = nullptr;
};

// Replies as text, as Show has them (testing_model.h).
class RealRedis {
 public:
  RealRedis();

  // What scripts are known on a server that starts a sequence.
  void Load(const std::vector<Script>& scripts);
  // From an empty server, at kSequenceStartMs. One reply a command; a move of the clock has none.
  std::vector<std::string> Run(const Sequence& sequence);

 private:
  StandingClock clock_;
  TempFolder folder_;
  Server server_{folder_.path() / "redis.sock",
                 {.arguments = {"--enable-debug-command", "yes"},
                  .environment = clock_.Environment(),
                  .descriptors = {clock_.fd()}}};
  std::vector<ByteClient> clients_;
  std::set<size_t> used_;  // by the sequence before
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_REAL_REDIS_H_
