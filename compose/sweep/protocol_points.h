// The protocol of a lock as it was seen on the wire: the places in a client's first acquire, work
// and release where a fault can be put.
#ifndef DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
#define DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_

#include <string>
#include <vector>

#include "compose/run/frame_log.h"
#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The client that faults are put to, and that goes first.
constexpr int kProbed = 1;

// A step that the client announces, or, where a command is named, that command on one of its links.
struct ProtocolPlace {
  Step step = Step::kStart;
  std::string command{};
  int node = 0;
  int nth = 1;  // of those commands on that link, counted from the client's start
  bool operator==(const ProtocolPlace&) const = default;

  [[nodiscard]] bool IsStep() const { return command.empty(); }
};

// "after-read", "SET to the store", "2nd EVALSHA to node 1"
std::string Describe(const ProtocolPlace& place);

// Faults that do nothing but mark when the client reached each of its steps: those of a run to
// learn from.
std::vector<FaultPlan> StepMarks();

// The places, in the order in which that run passed them, from the client's start to the last step
// of its first cycle. An error when it did not get to the end of one, or never asked for anything.
Result<std::vector<ProtocolPlace>> PlacesOf(const History& history,
                                            const std::vector<Frame>& frames);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
