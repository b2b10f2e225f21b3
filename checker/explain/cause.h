// Finds the cause of a violation from the history alone: from events, and from faults with their
// measurements. If several explanations remain, or none, the cause is `unexplained`: a wrong cause
// is worse than none.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_CAUSE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_CAUSE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/explain/violation_context.h"
#include "checker/verdict/checker.h"

namespace doublehold {

enum class Cause : uint8_t {
  kUnexplained,
  kNoLock,
  kStopped,
  kMessageHeld,
  kRenewalFailed,
  kOverran,
  kOverAtGrant,
  kMarkerLeft,
  kServerClock,
  kClientClock,
  kForeignRelease,
  kNodeRestarted,
  kEachServer,
  kSessionLent,
  kEndIgnored,
  kFailover,
  kKeyRemoved,
  kQuorumOverlap,
  kResent,
  kCounterWentBack,
  kStaleWriteTaken,
  kStoreLostData,
  kNeverExpires,
  kNodeDown,
  kNoQueue,
  kMachine,
};

struct CauseEntry {
  Cause cause;
  std::string_view name;     // "server-clock"
  std::string_view meaning;  // "the key expired before its lease ended: ..."
};

// The table of all causes, in the order of the enumeration. `doublehold list causes` prints the
// table.
std::span<const CauseEntry> Causes();
std::string_view Name(Cause cause);
std::vector<std::string> CauseNames();

// A cause, and the faults and calls that show it.
struct Explanation {
  Cause cause = Cause::kUnexplained;
  // The evidence, for example "client 1 was stopped (0.100-0.900 s)". For kUnexplained, the reason
  // why no cause is known.
  std::string because{};
  std::vector<const FaultEpisode*> episodes{};  // the faults that are part of the explanation
  // The releases that freed the lock, or may have freed it, although another owner held the lock.
  std::vector<const Call*> calls{};
  std::vector<Cause> perhaps{};  // for kUnexplained: the possible causes, each sufficient alone
};

// Requires that the checker of `claim` found `violation` in the history of `record`.
Explanation ExplainViolation(const ViolationContext& record, std::string_view claim,
                             const Violation& violation);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_CAUSE_H_
