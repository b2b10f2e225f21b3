// A real redis-server with several connections, whose wall clock is stopped at instants that the
// test sets.
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

// The server's wall clock at the start of a sequence.
constexpr int64_t kSequenceStartMs = 1'700'000'000'000;

// A clock shim page that child processes inherit.
class StandingClock {
 public:
  StandingClock();
  ~StandingClock();
  StandingClock(const StandingClock&) = delete;
  StandingClock& operator=(const StandingClock&) = delete;

  // Sets the wall clock of every process that uses this page to an instant. The clock stands there
  // until the next call.
  void StandAt(int64_t now_ms);
  [[nodiscard]] std::vector<std::string> Environment() const;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
  doublehold_clock_page* page_ = nullptr;
};

// Replies are texts in the format of Show (testing_model.h).
// DOUBLEHOLD_CONFORMANCE_SERVER is its program; default: redis-server.
class RealRedis {
 public:
  RealRedis();

  // Loads the scripts that the server knows at the start of a sequence.
  void Load(const std::vector<Script>& scripts);
  // Runs the sequence on an empty server from kSequenceStartMs. Returns one reply for each command.
  // A clock move has no reply.
  std::vector<std::string> Run(const Sequence& sequence);

 private:
  void MoveClockTo(int64_t now_ms);

  StandingClock clock_;
  TempFolder folder_;
  Server server_;
  std::vector<ByteClient> clients_;
  std::set<size_t> used_;  // connections used by the last sequence
  bool is_valkey_ = false;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_REAL_REDIS_H_
