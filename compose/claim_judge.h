// What becomes of each claim in one simulated execution after another: the verdicts of the checkers, with no story told until one is
// asked for.
#ifndef DOUBLEHOLD_COMPOSE_CLAIM_JUDGE_H_
#define DOUBLEHOLD_COMPOSE_CLAIM_JUDGE_H_

#include <string>
#include <vector>

#include "checker/checker.h"
#include "lib/history/history.h"

namespace doublehold {

// Not thread-safe.
class ClaimJudge {
 public:
  // Claims that there are checkers for.
  explicit ClaimJudge(const std::vector<std::string>& claims);

  // Of each claim, in their order; until the next call.
  const std::vector<Outcome3>& Judge(const History& history);
  // The first sentence about how a claim is violated; empty when there is none.
  [[nodiscard]] std::string Sentence(const History& history, size_t claim) const;

 private:
  std::vector<const CheckerEntry*> checkers_;
  std::vector<Outcome3> outcomes_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLAIM_JUDGE_H_
