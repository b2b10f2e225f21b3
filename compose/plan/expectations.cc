#include "compose/plan/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "checker/explain/cause.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr std::array<const char*, 4> kOutcomes{"valid", "violated", "unknown", "any"};

std::vector<std::string> OutcomeNames() { return {kOutcomes.begin(), kOutcomes.end()}; }

std::string ExplainUnknownClaim(const Plan& plan, const std::string& claim) {
  const bool judged = std::ranges::find(plan.claims, claim) != plan.claims.end();
  return judged ? "" : UnknownWord("claim", claim, plan.claims);
}

// Only a claim that may be violated has a cause.
std::string ExplainInvalidCause(const Plan& plan, const std::string& claim,
                                const std::vector<std::string>& causes) {
  if (std::string why = ExplainUnknownClaim(plan, claim); !why.empty()) return why;
  const auto outcome = plan.expect.find(claim);
  if (outcome == plan.expect.end() || (outcome->second != "violated" && outcome->second != "any"))
    return "needs expect." + claim + " = \"violated\" or \"any\"";
  if (causes.empty()) return "is empty; name a cause (doublehold list causes)";
  const std::vector<std::string> known = CauseNames();
  for (const std::string& cause : causes) {
    if (std::ranges::find(known, cause) == known.end()) return UnknownWord("cause", cause, known);
  }
  return "";
}

}  // namespace

void ReadExpectations(SettingReader& reader, Plan& plan) {
  for (const std::string& claim : reader.NamesBelow("expect")) {
    const std::string setting = "expect." + claim;
    if (const std::string why = ExplainUnknownClaim(plan, claim); !why.empty())
      reader.Fail(setting, why);
    const std::string outcome = reader.Known(setting, "outcome", "", OutcomeNames());
    plan.expect.emplace(claim, outcome);
  }
  for (const std::string& claim : reader.NamesBelow("expect_cause")) {
    const std::string setting = "expect_cause." + claim;
    const std::vector<std::string> causes = reader.Words(setting);
    if (const std::string why = ExplainInvalidCause(plan, claim, causes); !why.empty())
      reader.Fail(setting, why);
    plan.expect_cause.emplace(claim, causes);
  }
  // Marks these settings as known, so that a misspelt table gets a suggestion.
  for (const std::string& claim : plan.claims) {
    std::ignore = reader.settings().Take("expect." + claim);
    std::ignore = reader.settings().Take("expect_cause." + claim);
  }
}

std::string ExplainInvalidExpectations(const Plan& plan) {
  for (const auto& [claim, outcome] : plan.expect) {
    std::string why = ExplainUnknownClaim(plan, claim);
    if (why.empty() && std::ranges::find(kOutcomes, outcome) == kOutcomes.end())
      why = UnknownWord("outcome", outcome, OutcomeNames());
    if (!why.empty()) return "expect: " + why;
  }
  for (const auto& [claim, causes] : plan.expect_cause) {
    if (const std::string why = ExplainInvalidCause(plan, claim, causes); !why.empty())
      return fmt::format("expect_cause: {}: {}", claim, why);
  }
  return "";
}

}  // namespace doublehold
