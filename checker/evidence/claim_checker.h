// The base of the checkers of claims: the evidence that they read, and what they find in it.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_CLAIM_CHECKER_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_CLAIM_CHECKER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "checker/evidence/evidence.h"
#include "checker/verdict/decide.h"

namespace doublehold {

// Refers to the evidence. A checker is used once: it judges, and moves `found_` into its verdict.
class ClaimChecker {
 protected:
  ClaimChecker(const Evidence& evidence, const Limits& limits, std::string unit, Margin margin = {})
      : evidence_(evidence), found_(std::move(unit), limits, std::move(margin)) {}

  // Why a claim that needs every record cannot be judged; nothing: it can. `doubt`: what may have
  // happened unseen if records were lost.
  [[nodiscard]] std::optional<std::string> WhyIncomplete(std::string_view doubt) const {
    if (holds_.broken || calls_.complete) return holds_.broken;
    return "records were lost: " + std::string(doubt);
  }

  const Evidence& evidence_;
  const Disturbances& disturbances_ = evidence_.disturbances();
  const RunFacts& facts_ = disturbances_.facts;
  const Calls& calls_ = evidence_.calls();
  const Holds& holds_ = evidence_.holds();
  ClaimFindings found_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_CLAIM_CHECKER_H_
