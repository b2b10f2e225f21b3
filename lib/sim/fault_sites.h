// The points at which an execution asks for faults. They are described in terms that also hold for
// a run on real servers.
#ifndef DOUBLEHOLD_LIB_SIM_FAULT_SITES_H_
#define DOUBLEHOLD_LIB_SIM_FAULT_SITES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/fault_forms.h"
#include "lib/base/step.h"

namespace doublehold::sim {

// The points at which the world asks its ChoiceSource whether a fault begins.
enum class Point : uint8_t { kContinue, kBegin, kRequest, kExecute, kReply, kNews };
constexpr size_t kPoints = 6;
constexpr Point PointOf(FaultSite site) {
  switch (site) {
    case FaultSite::kClient:
      return Point::kContinue;
    case FaultSite::kRequest:
      return Point::kRequest;
    case FaultSite::kReply:
      return Point::kReply;
    case FaultSite::kNode:
    case FaultSite::kMasters:
      return Point::kExecute;
    case FaultSite::kChannel:
      break;
  }
  return Point::kNews;
}
// Whether a fault can hit a client before the client begins. Only clock faults can. Stopping a
// client before it begins would only delay its start, and killing it would only remove it.
constexpr bool CanBeginBeforeClient(FaultForm fault) {
  return fault == FaultForm::kClientClock || fault == FaultForm::kClientClockBack ||
         fault == FaultForm::kClientFast;
}

// A step that a client announced. `nth` counts the client's announcements of this step, from 1.
struct Announced {
  Step step = Step::kStart;
  int nth = 1;
};

// A place where a fault could begin: a fault choice, described so that a real run can find the
// place.
struct FaultPlace {
  uint32_t at = 0;  // index of the choice
  Point point = Point::kContinue;
  int client = 0;         // the client that continues, or the sender of the message
  int node = -1;          // the node of the message; -1 if the point is not about a message
  std::string command{};  // of the message as executed; EVALSHA or EVAL for a script
  int nth = 0;            // counts messages with this command from this client to this node, from 1
  // For a message: the step that the client had announced when it sent the message. For other
  // points: the first step that the client announces after it continues. Empty if there is no such
  // step.
  std::optional<Announced> step{};
  // Whether the client reads a clock before it announces `step`. If so, a stop before the read
  // differs in effect from a stop at `step`.
  bool looks_first = false;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FAULT_SITES_H_
