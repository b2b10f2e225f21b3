#include "checker/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "checker/evidence/evidence.h"
#include "checker/evidence/library_errors.h"
#include "checker/evidence/names.h"
#include "checker/explain/violation_steps.h"
#include "checker/measures/idle_watchdog.h"
#include "checker/measures/short_pauses.h"
#include "checker/measures/untested_faults.h"
#include "checker/measures/waiting_calls.h"
#include "checker/rates/trials.h"
#include "lib/base/wait_status.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

ClaimVerdict CheckClaim(const Evidence& evidence, const Limits& limits, const std::string& claim) {
  const CheckerEntry* entry = FindChecker(claim);
  if (entry == nullptr) {
    std::vector<std::string> known;
    for (const CheckerEntry& other : Checkers()) known.emplace_back(other.claim);
    return {.claim = claim, .reason = UnknownWord("claim", claim, known)};
  }
  ClaimVerdict verdict;
  try {
    verdict = entry->check(evidence, limits);
    // Out of memory, or another failure: the claim is unknown.
  } catch (const std::exception& failure) {
    verdict = {.reason = fmt::format("the checker failed: {}", failure.what())};
  }
  verdict.claim = claim;
  return verdict;
}

bool WasKilled(const Disturbances& disturbances, int32_t client) {
  return std::ranges::any_of(disturbances.episodes, [&](const FaultEpisode& episode) {
    return episode.client == client &&
           IsCrash(disturbances.facts.faults[static_cast<size_t>(episode.fault)]);
  });
}

// Describes a hold that may never have ended, and a later grant of its key; empty: none. A client
// that was granted a key and recorded nothing more may hold the key for ever. So the later grant
// may be a double hold, which cannot be decided.
std::string UnfinishedHold(const Holds& holds, const Disturbances& disturbances) {
  std::map<uint16_t, const Hold*> unfinished;  // by key: the first hold without a known end
  for (const Hold& hold : holds.all) {
    const auto before = unfinished.find(hold.key);
    if (before != unfinished.end() && before->second->owner() != hold.owner()) {
      return fmt::format(
          "{} was granted the key at {} and never released it, and {} was granted it at {}",
          OwnerName(disturbances, before->second->owner()), At(before->second->core.from_ns),
          OwnerName(disturbances, hold.owner()), At(hold.core.from_ns));
    }
    const bool known = hold.released || hold.left || WasKilled(disturbances, hold.client);
    if (!known) unfinished.emplace(hold.key, &hold);
  }
  return "";
}

// Describes the calls that a library had not answered when the run ended, although their timeout
// and grace were over; empty: none. A session does nothing more while it waits for an answer.
std::string UnansweredCalls(const Evidence& evidence) {
  const int64_t grace_ns = ToNs(evidence.facts().grace);
  const Event* first = nullptr;
  int64_t calls = 0;
  for (const Event& event : evidence.history().events) {
    const bool unanswered = event.op == Op::kLateReply && event.type == EventType::kFail;
    const auto& [timeout_ns, took_ns, kind, unused] = event.value;
    if (!unanswered || event.client <= kReferee || took_ns <= timeout_ns + grace_ns) continue;
    if (first == nullptr) first = &event;
    ++calls;
  }
  if (first == nullptr) return "";
  const std::string others =
      calls == 1 ? "" : fmt::format(", like {} of other sessions", Counted(calls - 1, "call"));
  return fmt::format("a call of {}, sent by {}, was never answered{}",
                     OwnerName(evidence.disturbances(), SessionOf(*first)),
                     At(first->at_ns - first->value[1]), others);
}

int64_t RunEndNs(const History& history) {
  return history.events.empty() ? 0 : history.events.back().at_ns;
}

// Returns why the run was cut short, or an empty text if it was not. Clients work for the run's
// whole duration, and the referee records events after them. So a run that ends earlier was cut
// short.
std::string WhyCutShort(const History& history, const Tally& tally) {
  const int64_t end_ns = RunEndNs(history);
  const std::string planned = FormatDuration(history.facts.duration);
  if (tally.died.contains(kSupervisor)) {
    return fmt::format("the run was cut short at {} (planned: {}): its supervisor was killed",
                       At(end_ns), planned);
  }
  const Duration interrupted = history.facts.interrupted;
  if (interrupted > Duration::zero() && interrupted < history.facts.duration) {
    return fmt::format("the run was cut short at {} (planned: {}): it was interrupted",
                       At(ToNs(interrupted)), planned);
  }
  if (end_ns >= ToNs(history.facts.duration)) return "";
  return fmt::format("the run was cut short at {} (planned: {})", At(end_ns), planned);
}

// The reasons why no claim of this run can be valid, a sentence each. Reads only those parts of
// `verdict` that do not depend on claims.
std::vector<std::string> WhyNothingIsValid(const Evidence& evidence, const Tally& tally,
                                           const FaultShortfalls& faults,
                                           const RunVerdict& verdict) {
  std::vector<std::string> why;
  if (!verdict.cut_short.empty()) why.push_back(verdict.cut_short);
  for (const auto& [client, records] : tally.lost) {
    why.push_back(fmt::format("{} of {} were lost: its segment was full",
                              Counted(records, "record"), ProcessName(client)));
  }
  for (const auto& [client, status] : tally.died) {
    if (client == kSupervisor) continue;  // WhyCutShort says so
    why.push_back(fmt::format("{} {} before the run ended", ProcessName(client),
                              DescribeEnd(static_cast<int>(status))));
  }
  if (std::string hung = UnansweredCalls(evidence); !hung.empty()) why.push_back(std::move(hung));
  if (std::string failed = WhyTooManyErrors(verdict.library_errors); !failed.empty())
    why.push_back(std::move(failed));
  why.insert(why.end(), faults.untested.begin(), faults.untested.end());
  if (std::string doubt = UnfinishedHold(evidence.holds(), evidence.disturbances()); !doubt.empty())
    why.push_back(std::move(doubt));
  return why;
}

std::vector<std::string> ExpectationWarnings(const RunFacts& facts) {
  std::vector<std::string> warnings;
  for (const auto& [claim, outcome] : facts.expect) {
    if (outcome == "any" || std::ranges::find(facts.claims, claim) != facts.claims.end()) continue;
    warnings.push_back(
        fmt::format("'{}' was expected to be {}, but was not judged", claim, outcome));
  }
  for (const auto& [claim, causes] : facts.expect_cause) {
    const std::vector<std::string> known = CauseNames();
    for (const std::string& cause : causes) {
      if (std::ranges::find(known, cause) == known.end())
        warnings.push_back(fmt::format("{}: {}", claim, UnknownWord("cause", cause, known)));
    }
  }
  return warnings;
}

// Sets the outcome of each claim in each trial, and counts the lost updates.
void CountTrials(RunVerdict& verdict, const Evidence& evidence, bool doubtful) {
  const Trials trials = TrialsOf(evidence.disturbances(), RunEndNs(evidence.history()));
  verdict.trial_unit = trials.unit;
  for (ClaimVerdict& claim : verdict.claims) {
    claim.trials = OutcomesOf(trials, claim, doubtful);
    if (claim.claim == "stock") verdict.lost_updates = CountLostUpdates(evidence.history(), trials);
  }
}

// Why the events cannot be judged; nothing: they can. Readers of files refuse such events too.
std::optional<std::string> WhyBroken(const History& history) {
  int64_t previous_ns = 0;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    std::optional<std::string> why = WhyInvalid(event, history.facts);
    if (!why && event.at_ns < previous_ns) why = "it is earlier than the previous event";
    if (why) return fmt::format("the history is broken: event {}: {}", i + 1, *why);
    previous_ns = event.at_ns;
  }
  return std::nullopt;
}

// A verdict in which every claim is unknown for the reason `why`.
RunVerdict Unjudged(const RunFacts& facts, const std::string& why) {
  RunVerdict verdict{.facts = facts, .warnings = {why}};
  for (const std::string& claim : facts.claims) {
    verdict.claims.push_back({.claim = claim, .reason = why});
  }
  Conclude(verdict);
  return verdict;
}

bool TouchesHoldOf(const Stall& stall, const Holds& holds) {
  // A stall of the supervisor or of a server affects every client.
  if (stall.client == kSupervisor || IsServer(stall.client)) return true;
  return std::ranges::any_of(holds.all, [&](const Hold& hold) {
    return hold.client == stall.client && Overlap(hold.core, stall.when);
  });
}

// One sentence for each process that the machine stalled during a hold for over half the lease.
std::vector<std::string> StallWarnings(const Evidence& evidence) {
  struct Stalled {
    int64_t times = 0;
    Span longest;
  };
  std::map<int32_t, Stalled> processes;
  for (const Stall& stall : evidence.disturbances().stalls) {
    const int64_t length_ns = stall.when.to_ns - stall.when.from_ns;
    if (length_ns <= ToNs(evidence.facts().lease) / 2) continue;
    if (!TouchesHoldOf(stall, evidence.holds())) continue;
    Stalled& stalled = processes[stall.client];
    ++stalled.times;
    if (length_ns > stalled.longest.to_ns - stalled.longest.from_ns) stalled.longest = stall.when;
  }
  std::vector<std::string> warnings;
  for (const auto& [client, stalled] : processes) {
    const int64_t longest_ns = stalled.longest.to_ns - stalled.longest.from_ns;
    warnings.push_back(fmt::format(
        "{} was stalled by the machine {} for over half the lease, at longest {:.0f} ms ({})",
        ProcessName(client), Counted(stalled.times, "time"), static_cast<double>(longest_ns) / 1e6,
        During(stalled.longest)));
  }
  return warnings;
}

// How many calls the library answered with an error, and the first texts. Leaves out the acquires
// if too many of them leave nothing valid: that reason has their number.
std::vector<std::string> ErrorWarnings(const RunFacts& facts, const LibraryErrors& errors) {
  std::vector<std::string> warnings;
  for (const CallErrors& of_kind : errors) {
    const bool is_said = &of_kind == &errors.front() && !WhyTooManyErrors(errors).empty();
    if (of_kind.errors > 0 && !is_said) warnings.push_back(DescribeErrors(of_kind));
  }
  if (!facts.library || facts.library->errors.empty()) return warnings;
  std::string quotes;
  for (const std::string& text : facts.library->errors)
    quotes += fmt::format("{}\"{}\"", quotes.empty() ? "" : ", ", Shortened(text));
  warnings.push_back("errors of the library: " + quotes);
  return warnings;
}

void ExplainAll(const Evidence& evidence, RunVerdict& verdict) {
  std::optional<ViolationContext> record;
  for (ClaimVerdict& claim : verdict.claims) {
    if (claim.violations.empty()) continue;
    if (!record) record.emplace(evidence);
    ExplainViolations(*record, claim);
  }
}

}  // namespace

void Conclude(RunVerdict& verdict) {
  verdict.overall = verdict.claims.empty() ? Outcome::kUnknown : Outcome::kValid;
  for (const ClaimVerdict& claim : verdict.claims) {
    verdict.overall = std::max(verdict.overall, claim.outcome);
  }
  const bool all_judged = ExpectationWarnings(verdict.facts).empty() && !verdict.claims.empty();
  verdict.as_expected = all_judged;
  bool decided_otherwise = false;
  for (const ClaimVerdict& claim : verdict.claims) {
    if (IsAsExpected(verdict.facts, claim)) continue;
    verdict.as_expected = false;
    if (claim.outcome != Outcome::kUnknown) decided_otherwise = true;
  }
  verdict.exit_code = verdict.as_expected ? ExitCode::kAsExpected
                      : decided_otherwise ? ExitCode::kViolated
                                          : ExitCode::kUnknown;
}

RunVerdict Judge(const History& history, const Limits& limits, const ClaimJudged& judged) {
  if (const std::optional<std::string> why = WhyBroken(history)) {
    return Unjudged(history.facts, *why);
  }
  RunVerdict verdict{.facts = history.facts};
  const Evidence evidence(history);
  const Disturbances& disturbances = evidence.disturbances();
  Tally tally = Count(evidence);
  verdict.cut_short = WhyCutShort(history, tally);
  const FaultShortfalls faults = FindShortfalls(evidence, tally, !verdict.cut_short.empty());
  verdict.library_errors = CountLibraryErrors(evidence);
  const std::vector<std::string> why = WhyNothingIsValid(evidence, tally, faults, verdict);
  for (const std::string& name : history.facts.claims) {
    ClaimVerdict claim = CheckClaim(evidence, limits, name);
    if (claim.outcome == Outcome::kValid && !why.empty()) {
      claim.outcome = Outcome::kUnknown;
      claim.reason = fmt::format("{}; but {}", claim.reason, why.front());
    }
    if (judged) judged(claim);
    verdict.claims.push_back(std::move(claim));
  }
  ExplainAll(evidence, verdict);
  for (size_t i = 0; i < history.facts.faults.size(); ++i) {
    const FaultFact& fault = history.facts.faults[i];
    if (tally.started[i] < fault.planned) verdict.not_fired.push_back(fault.name);
  }
  for (const auto& sentences :
       {why, faults.idle, faults.cut, WatchdogWarnings(evidence), WaitingCallWarnings(evidence),
        StallWarnings(evidence), ExpectationWarnings(history.facts),
        ErrorWarnings(history.facts, verdict.library_errors)}) {
    verdict.warnings.insert(verdict.warnings.end(), sentences.begin(), sentences.end());
  }
  CountTrials(verdict, evidence, !why.empty());
  verdict.blind_spots = FindBlindSpots(evidence);
  verdict.short_pauses = !PauseWarnings(evidence).empty();
  verdict.weak_control = IsWeakControl(verdict.facts, verdict.claims);
  if (verdict.weak_control) {
    verdict.warnings.emplace_back(
        "this is the control without a lock, and nothing was violated: the load is too weak to "
        "judge a lock");
  }
  for (const Stall& stall : disturbances.stalls) {
    ++verdict.stalls;
    verdict.longest_stall_ns =
        std::max(verdict.longest_stall_ns, stall.when.to_ns - stall.when.from_ns);
  }
  for (const ClaimVerdict& claim : verdict.claims) {
    if (std::string why = WhyOtherCause(history.facts, claim); !why.empty())
      verdict.warnings.push_back(std::move(why));
  }
  verdict.episodes = disturbances.episodes;
  verdict.untested = faults.untested;
  verdict.tally = std::move(tally);
  verdict.load = MeasureLoad(evidence);
  verdict.tally.latency.merge(verdict.load.latency);
  Conclude(verdict);
  return verdict;
}

}  // namespace doublehold
