// What becomes of each claim in one simulated execution after another: the verdicts of the
// checkers, with no story told until one is asked for. Executions that look alike are many, above
// all at random: one that is the same in every event and fact as one judged before is not judged
// again.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_JUDGE_CACHE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_JUDGE_CACHE_H_

#include <string>
#include <vector>

#include "checker/measures/coverage_marks.h"
#include "checker/verdict/checker.h"
#include "lib/history/history.h"

namespace doublehold {

// Of histories that differ in nothing but their events, the faults and the duration. Not
// thread-safe.
class ClaimJudge {
 public:
  // Claims that there are checkers for. `remembered`: so many histories at most, those of up to
  // kMostEvents events.
  explicit ClaimJudge(const std::vector<std::string>& claims, size_t remembered = 4096);
  static constexpr size_t kMostEvents = 256;

  struct Findings {
    std::vector<Outcome3> outcomes{};  // of each claim, in their order
    MarkSet marks{};
  };
  // Until the next call.
  const Findings& Judge(const History& history);
  // The first sentence about how a claim is violated, or why it is unknown; empty when it is valid.
  [[nodiscard]] std::string Sentence(const History& history, size_t claim) const;
  // How many were not judged again.
  [[nodiscard]] int64_t spared() const { return spared_; }

 private:
  // A history that was judged, whole: that it is the same is compared, not concluded from a digest.
  struct Judged {
    uint64_t digest = 0;
    std::vector<Event> events{};
    std::vector<FaultFact> faults{};
    Duration duration{};
    Findings findings{};
  };

  // Histories with one digest, and others, meet: so many are kept beside each other.
  static constexpr size_t kPlaces = 8;

  static bool IsOf(const Judged& judged, const History& history);
  Findings Check(const History& history) const;

  std::vector<const CheckerEntry*> checkers_;
  size_t places_;
  std::vector<Judged> judged_;  // each at one of the places that its digest says
  size_t next_ = 0;             // which of these the next takes
  Judged other_;                // the last that was too long to be remembered
  int64_t spared_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_JUDGE_CACHE_H_
