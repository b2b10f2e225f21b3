// The protocol of a lock as observed on the wire. Its places, where a fault can begin, are the
// steps and commands of a client's first acquire, work and release.
#ifndef DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
#define DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/history/frame.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The client on which the faults act. It starts first.
constexpr int kFaultedClient = 1;

// A place of the protocol. If `command` is empty, a step that the client announces. Otherwise, a
// command on one of its links.
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

// Returns faults that have no effect, but record when the client reached each of its steps. The run
// that learns the places has these faults.
std::vector<FaultPlan> StepMarks();

// Returns the places in the order of a run with StepMarks, from the client's start to the last step
// of its first cycle. Returns an error if the client did not complete a cycle or sent no command.
Result<std::vector<ProtocolPlace>> FindProtocolPlaces(const History& history,
                                                      const std::vector<Frame>& frames);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
