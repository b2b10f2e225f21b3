#include "compose/plan/claim_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "checker/claims/limits/limit.h"
#include "checker/verdict/checker.h"
#include "lib/base/words.h"
#include "lib/driver/driver_lock.h"
#include "lib/plan/topology.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

// Whether a run with this lock can record evidence for or against the claim.
bool Applies(std::string_view claim, const Plan& plan, const LockEntry& lock) {
  if (claim == "lease-exclusion" && plan.driver && !LeasesEndKnown(plan.driver->can)) return false;
  const CheckerEntry* checker = FindChecker(claim);
  if (checker == nullptr) return false;
  switch (checker->about) {
    case About::kData:
      return true;
    case About::kLock:
    case About::kAnyLock:
      return !lock.Has(Trait::kLockFree);
    case About::kToken:
      return lock.Has(Trait::kToken);
    case About::kReentry:
      return lock.Has(Trait::kReentry);
  }
  return false;
}

// Whether a run with a driver judges this claim by default, although the same run with a built-in
// lock does not. A driver may hang, and its release may report success for a lost lock. On several
// nodes no loss is certain.
bool IsUsualForDriver(std::string_view claim, const Plan& plan) {
  if (claim == "call-timeout") return true;
  const auto can = [&](std::string_view what) {
    return std::ranges::find(plan.driver->can, what) != plan.driver->can.end();
  };
  return claim == "release-result" && ServersOf(plan) == 1 && !can("silent-release") &&
         !can("blind-release");
}

// Returns the claims that the workload supports only on demand.
std::vector<std::string_view> OnDemand(const WorkloadEntry& workload) {
  std::vector<std::string_view> claims = workload.on_demand;
  if (std::ranges::find(workload.claims, "release") == workload.claims.end()) return claims;
  for (const CheckerEntry& checker : Checkers()) {
    if (checker.about == About::kAnyLock) claims.push_back(checker.claim);
  }
  return claims;
}

// Returns all claims that the workload supports with this lock, including claims that are not
// judged by default.
std::vector<std::string> PossibleClaims(const Plan& plan, const LockEntry& lock) {
  const WorkloadEntry& workload = *FindWorkload(plan.workload);
  std::vector<std::string> claims;
  for (const auto& some : {workload.claims, OnDemand(workload)}) {
    for (const std::string_view claim : some) {
      if (Applies(claim, plan, lock)) claims.emplace_back(claim);
    }
  }
  for (const CheckerEntry& checker : Checkers()) {
    if (checker.limit != LimitKind::kNone && Applies(checker.claim, plan, lock))
      claims.emplace_back(checker.claim);
  }
  return claims;
}

std::vector<std::string> LimitNames() {
  std::vector<std::string> names;
  for (const CheckerEntry& checker : Checkers()) {
    if (checker.limit != LimitKind::kNone) names.emplace_back(checker.claim);
  }
  return names;
}

void ReadLimits(SettingReader& reader, Plan& plan) {
  const std::vector<std::string> known = LimitNames();
  // Marks these settings as known, so that a misspelt table gets a suggestion.
  for (const std::string& name : known) std::ignore = reader.settings().Take("limits." + name);
  for (const std::string& name : reader.NamesBelow("limits")) {
    const std::string setting = "limits." + name;
    const CheckerEntry* checker = FindChecker(name);
    if (checker == nullptr || checker->limit == LimitKind::kNone) {
      reader.Fail(setting, UnknownWord("limit", name, known));
      break;
    }
    const std::string word = checker->limit == LimitKind::kTime
                                 ? FormatDuration(reader.Span(setting, "1s"))
                                 : reader.Word(setting, "");
    if (const Result<int64_t> limit = ParseLimit(checker->limit, word); !limit)
      reader.Fail(setting, limit.error().message);
    plan.limits[name] = word;
    if (std::ranges::find(plan.claims, name) == plan.claims.end()) plan.claims.push_back(name);
  }
}

// Says why a known claim cannot be judged in this plan. Returns an empty text if it can be judged.
std::string ExplainUnjudgedClaim(const Plan& plan, const std::string& claim,
                                 const std::vector<std::string>& possible) {
  const CheckerEntry& checker = *FindChecker(claim);
  if (std::ranges::find(possible, claim) == possible.end()) {
    return fmt::format("workload {} with lock {} cannot judge claim '{}' (it judges: {})",
                       plan.workload, plan.lock, claim, fmt::join(possible, ", "));
  }
  if (checker.by_traffic && plan.direct) {
    return fmt::format("claim '{}' is judged by the commands in the proxy, which 'direct' bypasses",
                       claim);
  }
  if (checker.limit == LimitKind::kNone || plan.limits.contains(claim)) return "";
  return fmt::format("claim '{}' needs a limit: --limit {}={}", claim, claim,
                     checker.limit == LimitKind::kTime ? "5s" : "100");
}

}  // namespace

std::vector<std::string> ClaimNames() {
  std::vector<std::string> names;
  for (const CheckerEntry& checker : Checkers()) names.emplace_back(checker.claim);
  return names;
}

std::vector<std::string> UsualClaims(const Plan& plan, const LockEntry& lock) {
  const WorkloadEntry& workload = *FindWorkload(plan.workload);
  std::vector<std::string> claims;
  for (const std::string_view claim : workload.claims) {
    if (Applies(claim, plan, lock)) claims.emplace_back(claim);
  }
  for (const std::string_view claim : OnDemand(workload)) {
    if (plan.driver && IsUsualForDriver(claim, plan)) claims.emplace_back(claim);
  }
  return claims;
}

void ReadClaims(SettingReader& reader, const LockEntry& lock, Plan& plan) {
  const std::vector<std::string> known = ClaimNames();
  const std::vector<std::string> asked = reader.Words("claims");
  for (const std::string& claim : asked) {
    if (std::ranges::find(known, claim) == known.end())
      return reader.Fail("claims", UnknownWord("claim", claim, known));
  }
  if (!asked.empty()) plan.claims = asked;
  ReadLimits(reader, plan);
  const std::vector<std::string> possible = PossibleClaims(plan, lock);
  for (const std::string& claim : plan.claims) {
    const bool as_limit = plan.limits.contains(claim);
    if (const std::string why = ExplainUnjudgedClaim(plan, claim, possible); !why.empty())
      reader.Fail(as_limit ? "limits." + claim : "claims", why);
  }
}

std::string ExplainUnjudgedClaims(const Plan& plan, const LockEntry& lock) {
  const std::vector<std::string> possible = PossibleClaims(plan, lock);
  for (const std::string& claim : plan.claims) {
    if (FindChecker(claim) == nullptr) return UnknownWord("claim", claim, possible);
    if (std::string why = ExplainUnjudgedClaim(plan, claim, possible); !why.empty()) return why;
  }
  for (const auto& [name, word] : plan.limits) {
    const CheckerEntry* checker = FindChecker(name);
    if (checker == nullptr || checker->limit == LimitKind::kNone)
      return UnknownWord("limit", name, LimitNames());
    if (const Result<int64_t> limit = ParseLimit(checker->limit, word); !limit)
      return fmt::format("limits.{}: {}", name, limit.error().message);
  }
  return "";
}

}  // namespace doublehold
