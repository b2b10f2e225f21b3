// Lets the fault kinds of faults/ act on the simulated world (faults/sim/sim_faults.h).
#ifndef DOUBLEHOLD_LIB_SIM_OUTSIDE_FAULTS_H_
#define DOUBLEHOLD_LIB_SIM_OUTSIDE_FAULTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/base/fault_forms.h"
#include "lib/base/time.h"

namespace doublehold::sim {

class World;

// What becomes of a message. A request that comes twice has one reply, the first.
struct Fate {
  enum class What : uint8_t { kPasses, kIsLate, kIsLost, kBreaks, kComesTwice } what{};
  Duration late{};  // kIsLate: for how long it is kept
};

// The messages of a client and a node in one direction. Node 0 is the store.
struct Way {
  int client = 0;
  int node = 0;
  bool is_reply = false;
  bool operator==(const Way&) const = default;
};

struct OnItsWay {
  std::string_view command{};  // of the request: "SET", "EVALSHA"
  bool can_repeat = false;     // whether it can come twice without changing what other commands do
};

// Decides about each message on a way.
using FateOf = std::function<Fate(const OnItsWay& message)>;

// Where a fault begins: at a message (a message of a channel has no command), or at a node (which
// has no client and no command).
struct FaultPlaceNow {
  int client = -1;
  int node = -1;
  std::string_view command{};
};

// The faults of one world. Belongs to its World.
class OutsideFaults {
 public:
  virtual ~OutsideFaults() = default;
  struct Begun {
    std::string what;  // for the record: "client 1 cut off from node 1"
    MonoTime until;    // when the world calls End
  };
  // Begins a fault, which gets the next number from 0 on.
  virtual Begun Begin(FaultForm form, const FaultPlaceNow& place) = 0;
  // Returns whether the fault acted on anything.
  virtual bool End(uint32_t number) = 0;
};
using MakeOutsideFaults = std::unique_ptr<OutsideFaults> (*)(World&);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_OUTSIDE_FAULTS_H_
