// How long the lease of a key may be, and until when calls may set it again.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_RENEWALS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_RENEWALS_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lib/history/history.h"

namespace doublehold {

class Evidence;

// A server may hold a lease that no grant shows, such as that of a second copy. It knows only the
// leases that clients asked for, or were granted:
//
//   c1:        A-a==E-eR-r             a copy of A keeps the key for the longest of the leases of
//   copy:         [------------------] A and E, counted from the latest call of c1
//
// A call that is unanswered may set the lease at any later time. An extension counts as a call of
// its session. Not thread-safe; holds no reference to the evidence.
class Renewals {
 public:
  explicit Renewals(const Evidence& evidence);

  // Returns the longest lease of the key that the session had asked for or been granted by `at_ns`.
  // It is at least the lease of the run. If a session is granted the key as a reader, each reader
  // may set the lease of all, so those of all sessions count.
  [[nodiscard]] int64_t LongestLeaseNs(uint16_t key, const SessionId& session, int64_t at_ns) const;
  // Returns when the last of the calls that the session had invoked by `at_ns` may have set its
  // lease again; 0 if there is none. For readers, the calls of all of them count.
  [[nodiscard]] int64_t LastNs(uint16_t key, const SessionId& session, int64_t at_ns) const;
  // Whether an extension of the hold has no answer. It may extend a later entry of its session.
  [[nodiscard]] bool MayExtendLater(uint64_t hold) const { return unknown_holds_.contains(hold); }

 private:
  // The highest value so far, by time.
  class Peak {
   public:
    // Requires that `at_ns` never decreases.
    void Add(int64_t at_ns, int64_t value);
    [[nodiscard]] int64_t Until(int64_t at_ns) const;  // 0 before the first value

   private:
    std::vector<std::pair<int64_t, int64_t>> steps_;  // times and values, both rising
  };

  using PeaksOf = std::map<std::pair<uint16_t, SessionId>, Peak>;

  static int64_t Until(const PeaksOf& peaks, const std::map<uint16_t, Peak>& of_readers,
                       uint16_t key, const SessionId& session, int64_t at_ns);

  int64_t least_ns_;
  PeaksOf leases_ns_;
  PeaksOf of_session_;
  // The same of all sessions, for keys that were granted to readers.
  std::map<uint16_t, Peak> leases_of_readers_ns_, of_readers_;
  std::set<uint64_t> unknown_holds_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_RENEWALS_H_
