#include "compose/explore/judge_cache.h"

#include <algorithm>
#include <span>

#include "checker/evidence/evidence.h"
#include "lib/base/check.h"

namespace doublehold {

uint64_t MixDigest(uint64_t digest, const Event& event) {
  for (const uint64_t word : WordsOf(event)) digest = MixDigest(digest, word);
  return digest;
}

uint64_t ComputeDigest(const History& history) {
  uint64_t digest = history.events.size();
  for (const Event& event : history.events) digest = MixDigest(digest, event);
  for (const FaultFact& fault : history.facts.faults) {
    for (const char letter : fault.what) digest = MixDigest(digest, static_cast<uint8_t>(letter));
  }
  return digest;
}

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
  const uint64_t digest = ComputeDigest(history);
  if (history.events.size() > kMostEvents) return other_ = Check(history, digest);
  const std::span<Judged> places =
      std::span(judged_).subspan(digest % (judged_.size() / places_) * places_, places_);
  for (const Judged& judged : places) {
    if (judged.findings.digest != digest || !IsEqualHistory(judged, history)) continue;
    ++spared_;
    return judged.findings;
  }
  Judged& judged = places[next_++ % places_];
  judged.events = history.events;
  judged.faults = history.facts.faults;
  judged.duration = history.facts.duration;
  return judged.findings = Check(history, digest);
}

bool ClaimJudge::IsEqualHistory(const Judged& judged, const History& history) {
  return !judged.findings.outcomes.empty() && judged.events == history.events &&
         judged.duration == history.facts.duration && judged.faults == history.facts.faults;
}

ClaimJudge::Findings ClaimJudge::Check(const History& history, uint64_t digest) const {
  const Evidence evidence(history);
  Findings findings{.digest = digest};
  const Limits limits{.violations_told = 0, .no_stalls = evidence.disturbances().stalls.empty()};
  for (const CheckerEntry* checker : checkers_)
    findings.outcomes.push_back(checker->check(evidence, limits).outcome);
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
