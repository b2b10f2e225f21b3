// Indexes a history by hold and by key, once for all violations. The cause and the steps of a
// violation are derived from this index.
//
// Not thread-safe. Refers to the evidence, which must outlive the index.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_CONTEXT_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_CONTEXT_H_

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/evidence/evidence.h"

namespace doublehold {

// One extension of a lease. `to_ns` is kForeverNs if it never returned.
struct Renewal {
  int64_t from_ns = 0;
  int64_t to_ns = kForeverNs;
  EventType outcome = EventType::kInfo;
  UnknownWhy why = UnknownWhy::kNoAnswer;  // of outcome kInfo
  int64_t valid_until_ns = 0;              // as returned by a successful extension
};

// A release by another owner that freed the lock of a hold.
struct Freed {
  Span when;        // from the invocation of the release to its answer
  uint64_t by = 0;  // the hold that the release ended, or 0 if not recorded
};

struct ViolationContext {
  explicit ViolationContext(const Evidence& of);
  ViolationContext(Evidence&&) = delete;
  ViolationContext(const ViolationContext&) = delete;
  ViolationContext& operator=(const ViolationContext&) = delete;

  // Returns the acquire that granted a hold, or null if it is not in the history.
  [[nodiscard]] const Call* GrantOf(uint64_t hold) const;
  // Returns the release of a hold, or null if it is not in the history.
  [[nodiscard]] const Call* ReleaseOf(const Hold& hold) const;
  [[nodiscard]] const std::vector<Renewal>& RenewalsOf(uint64_t hold) const;
  // The times in which the session of a hold waited for its orders to be recorded.
  [[nodiscard]] const std::vector<Span>& OrdersUnder(uint64_t hold) const;
  [[nodiscard]] const FaultFact& FaultOf(const FaultEpisode& episode) const;
  // The calls of an operation on a key, in the order of their invocation.
  [[nodiscard]] const std::vector<const Call*>& CallsOf(Op op, uint16_t key) const;
  // The reads, writes, saves and looks of the session under the hold, sorted by operation, then by
  // invocation.
  [[nodiscard]] const std::vector<const Call*>& UsesOf(const Hold& hold) const;

  const Evidence& evidence;
  const History& history;
  const Disturbances& disturbances;
  const Holds& holds;
  const Calls& calls;
  // The releases that freed another owner's lock, as the claim `release` proves. The map key is the
  // hold whose lock was freed, which is in `holds`.
  std::map<uint64_t, Freed> freed;

 private:
  std::unordered_map<uint64_t, const Call*> grants_;
  std::unordered_map<uint64_t, std::vector<Span>> orders_;
  std::unordered_map<uint64_t, std::vector<Renewal>> renewals_;
  std::map<std::pair<Op, uint16_t>, std::vector<const Call*>> calls_of_;
  std::unordered_map<uint64_t, std::vector<const Call*>> uses_of_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_CONTEXT_H_
