// At which points an execution asked for faults, in words that are true of a run on real servers as
// well.
#ifndef DOUBLEHOLD_LIB_SIM_FAULT_SITES_H_
#define DOUBLEHOLD_LIB_SIM_FAULT_SITES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/fault_forms.h"
#include "lib/base/step.h"

namespace doublehold::sim {

// Where the choices are asked whether a fault strikes.
enum class Point : uint8_t { kGoOn, kBegin, kRequest, kCarryOut, kReply, kNews };
constexpr size_t kPoints = 6;
constexpr Point PointOf(FaultSite site) {
  switch (site) {
    case FaultSite::kClient:
      return Point::kGoOn;
    case FaultSite::kRequest:
      return Point::kRequest;
    case FaultSite::kReply:
      return Point::kReply;
    case FaultSite::kNode:
    case FaultSite::kMasters:
      return Point::kCarryOut;
    case FaultSite::kChannel:
      break;
  }
  return Point::kNews;
}
// A client's wall clock may be wrong before the client begins. A client that is stopped then, or
// killed, is as good as one that begins later, or is not there.
constexpr bool StrikesAtBegin(FaultForm fault) {
  return fault == FaultForm::kClientClock || fault == FaultForm::kClientClockBack ||
         fault == FaultForm::kClientFast;
}

// A step that a client announced, and how often it had, that time included.
struct Announced {
  Step step = Step::kStart;
  int nth = 1;
};

// Where a fault could have struck: the point that a choice was about, as others may find it in a
// world that is not simulated.
struct FaultPlace {
  uint32_t at = 0;  // the number of the choice
  Point point = Point::kGoOn;
  int client = 0;         // who goes on, or whose message it is
  int node = -1;          // the message's; -1: it is no message
  std::string command{};  // of it: what is carried out, of a script EVALSHA or EVAL
  int nth = 0;            // such message of that client to that node, from 1 on
  // What that client does there: of a message, the step that it announced as it sent it; else the
  // one that it announces as it goes on. Nothing: none.
  std::optional<Announced> step{};
  bool looks_first =
      false;  // at a clock, as it goes on, before it announces that: to be stopped there is another thing
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FAULT_SITES_H_
