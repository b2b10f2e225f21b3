// Grants of each key, indexed by time.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_GRANTS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_GRANTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "checker/evidence/calls.h"

namespace doublehold {

// Granted acquires. Their order on the server is known only where one was answered before the
// other was invoked.
class Grants {
 public:
  explicit Grants(const std::vector<const Call*>& granted = {});

  // Returns the grant invoked last among those answered before `at_ns`; null if there is none.
  [[nodiscard]] const Call* LastBefore(int64_t at_ns) const;
  // Returns the grant answered first among those invoked after `since_ns`; null if there is none.
  [[nodiscard]] const Call* FirstAfter(int64_t since_ns) const;
  // Whether another grant certainly came after this grant, and before `at_ns`.
  [[nodiscard]] bool WasFollowed(const Call& grant, int64_t at_ns) const;

 private:
  std::vector<const Call*> by_answer_;
  std::vector<const Call*> last_;  // [i]: invoked last among by_answer_[0] to by_answer_[i]
  std::vector<const Call*> by_invocation_;
  std::vector<const Call*> first_;  // [i]: answered first among by_invocation_[i] and later
};

struct KeyGrants {
  Grants any, exclusive;
};
std::map<uint16_t, KeyGrants> GroupByKey(const std::vector<const Call*>& granted);

// Without re-entries: a re-entry does not prove that others are gone. Has each key with a call.
std::map<uint16_t, KeyGrants> FindGrants(const Calls& calls);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_GRANTS_H_
