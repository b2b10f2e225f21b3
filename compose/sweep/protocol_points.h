// The protocol of a lock as seen on the wire. Its places are the steps and commands of a client's
// first acquire, work and release, where a fault can begin.
#ifndef DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
#define DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_

#include <string>
#include <vector>

#include "compose/run/frame_log.h"
#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The client on which the faults act, and which starts first.
constexpr int kProbed = 1;

// A step that the client announces; or, if `command` is not empty, that command on one of its
// links.
struct ProtocolPlace {
  Step step = Step::kStart;
  std::string command{};
  int node = 0;
  int nth = 1;  // number of this command on this link since the client's start
  bool operator==(const ProtocolPlace&) const = default;

  [[nodiscard]] bool IsStep() const { return command.empty(); }
};

// For example "after-read", "SET to the store", "2nd EVALSHA to node 1".
std::string Describe(const ProtocolPlace& place);

// Faults that do nothing but record when the client reached each of its steps, for a run that
// learns the places.
std::vector<FaultPlan> StepMarks();

// The places in the order of that run, from the client's start to the last step of its first cycle.
// Returns an error if the client did not complete a cycle or sent no command.
Result<std::vector<ProtocolPlace>> PlacesOf(const History& history,
                                            const std::vector<Frame>& frames);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
