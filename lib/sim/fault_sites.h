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
// Only the clock faults of a client can begin before the client does. Stopping or killing a client
// then has no effect of its own: the client begins later, or is missing.
constexpr bool StrikesAtBegin(FaultForm fault) {
  return fault == FaultForm::kClientClock || fault == FaultForm::kClientClockBack ||
         fault == FaultForm::kClientFast;
}

// A step that a client announced, and how often it has announced that step, this time included.
struct Announced {
  Step step = Step::kStart;
  int nth = 1;
};

// A place where a fault could begin: the point of a fault choice, described so that a real run can
// find it.
struct FaultPlace {
  uint32_t at = 0;  // index of the choice
  Point point = Point::kGoOn;
  int client = 0;         // the client that continues, or the sender of the message
  int node = -1;          // the node of the message; -1: the point is no message
  std::string command{};  // of the message as executed; EVALSHA or EVAL for a script
  int nth = 0;            // counts messages with this command from this client to this node, from 1
  // For a message: the step that the client had announced when it sent the message. Otherwise: the
  // step that the client announces next, after it continues. Empty: none.
  std::optional<Announced> step{};
  // Whether the client reads a clock before it announces `step`. Stopping it before that read has
  // another effect than stopping it at `step`.
  bool looks_first = false;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FAULT_SITES_H_
