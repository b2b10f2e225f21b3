// What each session knows of its own entries of each key.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_ENTRY_LOG_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_ENTRY_LOG_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// A session may leave a hold without a release. While the lease of such a hold may run, the next
// acquire of its session may be a re-entry, and the next release a nested exit. Afterwards the
// session starts anew:
//
//   c1:  A-a==! (left)    A-a==!      R-r     one entry, and the last exit
//
// Not thread-safe. The evidence must outlive it.
class EntryLog {
 public:
  struct Entries {
    std::set<uint64_t> held{};      // granted and not released
    const Call* granted = nullptr;  // the last grant
    bool entered_again = false;     // that was a re-entry
    bool has_left = false;          // a hold that it left is over; its library may still count it
    // The last calls without an answer, before the call that was added last: any of them, an
    // acquire, and a release after which the session may believe that it still has the lock.
    const Call* unanswered = nullptr;
    const Call* may_get = nullptr;
    const Call* may_be_inside = nullptr;
    const Call* added = nullptr;
  };

  explicit EntryLog(const Evidence& evidence);
  // Adds the next acquire or release. Requires the order of invocation.
  const Entries& Add(const Call& call);
  // Whether the session has left each hold that it has not released.
  [[nodiscard]] bool HasLeftAll(const Entries& entries) const;

 private:
  const Holds& holds_;
  std::map<uint64_t, int64_t> left_;  // the latest end of the lease of each left hold
  std::map<std::pair<SessionId, uint16_t>, Entries> of_session_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_ENTRY_LOG_H_
