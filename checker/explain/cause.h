// Why a violation happened, as far as the record shows. The cause rests on the record alone:
// events, and faults with their measurements. If several explanations remain, or none, the cause is
// `unexplained`: a wrong cause is worse than none.
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
  kFailover,
  kKeyRemoved,
  kQuorumOverlap,
  kResent,
  kCounterWentBack,
  kStaleWriteTaken,
  kNeverExpires,
  kNodeDown,
  kNoQueue,
  kMachine,
};

struct CauseEntry {
  Cause cause;
  std::string_view name;     // "server-clock"
  std::string_view meaning;  // "the key was gone before its lease: a server's clock was moved"
};

// In the order of the enumeration, for `doublehold list causes`.
std::span<const CauseEntry> Causes();
std::string_view Name(Cause cause);
std::vector<std::string> CauseNames();

// A cause, and the parts of the record that show it.
struct Explanation {
  Cause cause = Cause::kUnexplained;
  std::string
      because{};  // "client 1 was stopped (0.100-0.900 s)"; of kUnexplained: why there is none
  std::vector<const FaultEpisode*> episodes{};  // the faults that are part of it
  // The calls that are part of it, of clients other than the holders.
  std::vector<const Call*> calls{};
  std::vector<Cause> perhaps{};  // for kUnexplained: the causes that would each explain it
};

// Requires that `violation` belongs to `claim`, and to the history of `record`.
Explanation WhyViolated(const ViolationContext& record, std::string_view claim,
                        const Violation& violation);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_CAUSE_H_
