#include "compose/explore/judge_cache.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "checker/evidence/evidence.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

// A cheap digest that selects the cache entries to compare. Uses the fields that differ most
// between executions.
uint64_t QuickDigestOf(const History& history) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  uint64_t digest = history.events.size();
  uint64_t place = kOdd;
  for (const Event& event : history.events) {
    const auto what = static_cast<uint64_t>(event.op) << 8 | static_cast<uint64_t>(event.type);
    const uint64_t who = static_cast<uint64_t>(static_cast<uint32_t>(event.client)) << 16;
    const uint64_t word = static_cast<uint64_t>(event.at_ns) + event.hold * 3 +
                          static_cast<uint64_t>(event.value[0]) * 5 + (what | who) * kOdd;
    digest += (word ^ word >> 29) * place;
    place += 2 * kOdd;  // stays odd
  }
  return (digest ^ digest >> 32) * kOdd;
}

bool AreSame(const std::vector<Event>& a, const std::vector<Event>& b) {
  // Event has no padding (event.h), so equal events have equal bytes.
  static_assert(std::has_unique_object_representations_v<Event>);
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Event)) == 0);
}

}  // namespace

ClaimJudge::ClaimJudge(const std::vector<std::string>& claims, size_t remembered)
    : places_(std::min(kPlaces, remembered)) {
  CHECK(remembered > 0);
  judged_.resize(remembered / places_ * places_);
  for (const std::string& claim : claims) {
    checkers_.push_back(FindChecker(claim));
    CHECK(checkers_.back() != nullptr);
  }
}

const ClaimJudge::Findings& ClaimJudge::Judge(const History& history) {
  if (history.events.size() > kMostEvents) return other_.findings = Check(history);
  const uint64_t digest = QuickDigestOf(history);
  const std::span<Judged> places =
      std::span(judged_).subspan(digest % (judged_.size() / places_) * places_, places_);
  for (const Judged& judged : places) {
    if (judged.digest != digest || !IsOf(judged, history)) continue;
    ++spared_;
    return judged.findings;
  }
  Judged& judged = places[next_++ % places_];
  judged.digest = digest;
  judged.events = history.events;
  judged.faults = history.facts.faults;
  judged.duration = history.facts.duration;
  return judged.findings = Check(history);
}

bool ClaimJudge::IsOf(const Judged& judged, const History& history) {
  return !judged.findings.outcomes.empty() && AreSame(judged.events, history.events) &&
         judged.duration == history.facts.duration && judged.faults == history.facts.faults;
}

ClaimJudge::Findings ClaimJudge::Check(const History& history) const {
  const Evidence evidence(history);
  Findings findings;
  for (const CheckerEntry* checker : checkers_)
    findings.outcomes.push_back(checker->check(evidence, {.violations_told = 0}).outcome);
  findings.marks = MarksOf(evidence);
  return findings;
}

std::string ClaimJudge::Sentence(const History& history, size_t claim) const {
  const Evidence evidence(history);
  const ClaimVerdict verdict = checkers_[claim]->check(evidence, {.violations_told = 1});
  if (verdict.outcome == Outcome::kUnknown) return verdict.reason;
  return verdict.violations.empty() ? "" : verdict.violations.front().sentence;
}

}  // namespace doublehold
