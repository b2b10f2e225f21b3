// The protocol of a lock as observed on the wire. Its places, where a fault can begin, are the
// steps and commands of one acquire, work and release of a client.
#ifndef DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
#define DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/time.h"
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
  int nth = 1;  // number of this command on this link since the section's start
  bool operator==(const ProtocolPlace&) const = default;

  [[nodiscard]] bool IsStep() const { return command.empty(); }
};

// For example "after-read", "SET to the store", "2nd EVALSHA to node 1".
std::string Describe(const ProtocolPlace& place);

// Where the client's section of this number begins, counted from 1: at the client's start, or at
// the end of its previous section.
Trigger StartOfSection(int section);

// Returns faults that have no effect, but record when the client reached each step of this section.
// The run that learns the places has these faults.
std::vector<FaultPlan> StepMarks(int section);

struct ProtocolSection {
  std::vector<ProtocolPlace> places;  // in their order
  Duration begins_after{};            // since the start of the run; of the first, zero
};
// Returns the places of the section of this number, in a run with its StepMarks. Returns an error
// if the client did not complete the section.
Result<ProtocolSection> FindProtocolPlaces(const History& history, const std::vector<Frame>& frames,
                                           int section);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SWEEP_PROTOCOL_POINTS_H_
