// ClaimChecker: the base class of claim checkers, with the evidence and their findings.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_CLAIM_CHECKER_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_CLAIM_CHECKER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "checker/evidence/evidence.h"
#include "checker/verdict/decide.h"

namespace doublehold {

// The evidence must outlive the checker. A checker judges only once, because it moves `found_` into
// its verdict.
class ClaimChecker {
 protected:
  ClaimChecker(const Evidence& evidence, const Limits& limits, std::string unit, Margin margin = {})
      : evidence_(evidence), found_(std::move(unit), limits, std::move(margin)) {}

  // Returns why a claim that needs every record cannot be judged. Returns nothing if the claim can
  // be judged. `doubt` says what lost records may hide, for example "not all grants may be known".
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
