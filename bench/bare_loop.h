// What a client costs that does nothing but send the commands: hiredis, blocking, no deadline, no record.
#ifndef DOUBLEHOLD_BENCH_BARE_LOOP_H_
#define DOUBLEHOLD_BENCH_BARE_LOOP_H_

#include <cstdint>
#include <string>

namespace doublehold {

// One connection to a unix socket. Ends the program when the server fails it.
class BareLoop {
 public:
  explicit BareLoop(const std::string& unix_path);
  ~BareLoop();
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  // SET key owner NX PX lease, then EVALSHA of the compare-and-delete: one cycle of set-nx-px.
  void Cycle();
  void Ping();

 private:
  struct State;
  State* state_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_BARE_LOOP_H_
