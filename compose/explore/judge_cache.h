// Judges simulated executions. Returns the outcome of each claim, and makes the text of a violation
// only on request. Many executions are equal, especially random executions. The cache judges
// executions with equal events and facts once.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_JUDGE_CACHE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_JUDGE_CACHE_H_

#include <string>
#include <vector>

#include "checker/measures/coverage_marks.h"
#include "checker/verdict/checker.h"
#include "lib/base/digest.h"
#include "lib/history/history.h"

namespace doublehold {

// Adds all fields of an event.
uint64_t MixDigest(uint64_t digest, const Event& event);
// Returns a digest of all events and faults.
uint64_t ComputeDigest(const History& history);

// Requires that all histories have the same facts, except the faults and the duration. Not
// thread-safe.
class ClaimJudge {
 public:
  // Requires that each claim has a checker. Caches at most `remembered` histories, and only those
  // of up to kMostEvents events.
  explicit ClaimJudge(const std::vector<std::string>& claims, size_t remembered = 4096);
  static constexpr size_t kMostEvents = 256;

  struct Findings {
    std::vector<Outcome> outcomes{};  // one for each claim, in their order
    MarkSet marks{};
    uint64_t digest = 0;  // of the history
  };
  // The reference is valid until the next call.
  const Findings& Judge(const History& history);
  // Describes the first violation of a claim, or says why the claim is unknown. Returns an empty
  // text if the claim is valid.
  [[nodiscard]] std::string Sentence(const History& history, size_t claim) const;
  // The number of cache hits.
  [[nodiscard]] int64_t spared() const { return spared_; }

 private:
  // A cache entry. Keeps the whole history, because different histories may have equal digests.
  struct Judged {
    std::vector<Event> events{};
    std::vector<FaultFact> faults{};
    Duration duration{};
    Findings findings{};
  };

  // Associativity of the cache: a digest selects a set of this many entries.
  static constexpr size_t kPlaces = 8;

  static bool IsEqualHistory(const Judged& judged, const History& history);
  Findings Check(const History& history, uint64_t digest) const;

  std::vector<const CheckerEntry*> checkers_;
  size_t places_;
  std::vector<Judged> judged_;  // grouped in sets of `places_` entries
  size_t next_ = 0;             // selects the entry that the next miss overwrites
  Findings other_;              // the findings of the last history that was too long for the cache
  int64_t spared_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_JUDGE_CACHE_H_
