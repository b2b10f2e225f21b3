#include "compose/claim_judge.h"

#include <algorithm>

#include "checker/evidence.h"
#include "lib/base/check.h"

namespace doublehold {

ClaimJudge::ClaimJudge(const std::vector<std::string>& claims) {
  for (const std::string& claim : claims) {
    const auto entry = std::ranges::find(Checkers(), claim, &CheckerEntry::claim);
    CHECK(entry != Checkers().end());
    checkers_.push_back(&*entry);
  }
  outcomes_.resize(checkers_.size());
}

const std::vector<Outcome3>& ClaimJudge::Judge(const History& history) {
  const Evidence evidence(history);
  for (size_t i = 0; i < checkers_.size(); ++i)
    outcomes_[i] = checkers_[i]->check(evidence, {.violations_told = 0}).outcome;
  return outcomes_;
}

std::string ClaimJudge::Sentence(const History& history, size_t claim) const {
  const Evidence evidence(history);
  const ClaimVerdict verdict = checkers_[claim]->check(evidence, {.violations_told = 1});
  return verdict.violations.empty() ? "" : verdict.violations.front().sentence;
}

}  // namespace doublehold
