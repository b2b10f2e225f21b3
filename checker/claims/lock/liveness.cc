#include "checker/claims/lock/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/claims/lock/asked_in_vain.h"
#include "checker/claims/lock/availability.h"
#include "checker/claims/lock/key_states.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/names.h"
#include "checker/evidence/second_copies.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/evidence/traits.h"
#include "checker/measures/waits.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// How many times lease and grace clients may ask in vain.
constexpr int64_t kTimesPatience = 3;

// Returns the last hold of a key, which may still block the key; null if there is none. If a
// session entered it again while its lease ran, returns the last entry that it has not released.
const Hold* FindLastHold(const Holds& holds, uint16_t key) {
  const Hold* last = nullptr;
  for (const Hold& hold : holds.all) {
    if (hold.key != key) continue;
    const bool is_inside = last != nullptr && last->owner() == hold.owner() && !last->released &&
                           hold.core.from_ns <= last->valid_until_ns;
    if (!is_inside || !hold.released) last = &hold;
  }
  return last;
}

// Whether stalls of the referee, or of processes on the request path, were long.
bool IsProbeStalled(const Disturbances& disturbances, const KeyProbe& probe) {
  return !LongLockStalls(disturbances, kReferee, {probe.from_ns, probe.to_ns}).empty();
}

// The calls that may have left a key in its present state.
struct LastCalls {
  const Hold* last = nullptr;           // the last hold of the key
  std::vector<const Call*> unanswered;  // acquires and releases since `last`
};

LastCalls FindLastCalls(const Evidence& evidence, uint16_t key) {
  const Hold* last = FindLastHold(evidence.holds(), key);
  return {
      .last = last,
      .unanswered = evidence.calls().UnansweredSince(key, last == nullptr ? 0 : last->asked_ns)};
}

// Whether calls that stalls of the machine cut short are the only explanation for the state of the
// key. The last holder must have released the key, and there must be later unanswered calls. Each
// of these calls must have been stalled for most of its time. If a call lasted longer than a lease,
// only the last lease before its end counts.
bool IsLeftByStalls(const Evidence& evidence, const LastCalls& last_calls) {
  if (last_calls.last != nullptr && !last_calls.last->released) return false;
  const int64_t lease_ns = ToNs(evidence.facts().lease);
  const auto by_machine = [&](const Call* call) {
    const bool given_up = call->to_ns < kForeverNs;
    const int64_t to_ns = given_up ? call->to_ns : call->from_ns + lease_ns;
    const Span waited{std::max(call->from_ns, to_ns - lease_ns), to_ns};
    return StalledForMostOf(evidence.disturbances(), call->session.client, waited);
  };
  return !last_calls.unanswered.empty() && std::ranges::all_of(last_calls.unanswered, by_machine);
}

// Ranks how likely a fault left the key in its state:
// - 2: the fault killed the holder or a node, or was active during an unanswered call;
// - 1: any other fault;
// - 0: a slow section, which leaves nothing behind.
int RankFault(const Disturbances& disturbances, const LastCalls& last_calls,
              const FaultEpisode& episode) {
  const FaultFact& fault = FaultFor(disturbances.facts, episode);
  if (Does(fault, FaultTrait::kSlows)) return 0;
  const bool of_holder = last_calls.last != nullptr && !last_calls.last->released &&
                         last_calls.last->client == episode.client;
  if (IsCrash(fault) && (episode.client <= 0 || of_holder)) return 2;
  const bool cut_short = std::ranges::any_of(last_calls.unanswered, [&](const Call* call) {
    const bool its = episode.client < 0 || episode.client == call->session.client;
    return its && call->from_ns <= episode.to_ns && episode.from_ns <= call->to_ns;
  });
  return cut_short ? 2 : 1;
}

// Returns the fault that most likely left the key stuck, among those that began by `at_ns`. Among
// equally likely faults, returns the last. The fault may have ended: a stuck lock outlives its
// cause.
const FaultEpisode* FindLikeliestFault(const Disturbances& disturbances,
                                       const LastCalls& last_calls, int64_t at_ns) {
  const FaultEpisode* fault = nullptr;
  int best = 0;
  for (const FaultEpisode& episode : disturbances.episodes) {
    if (episode.from_ns > at_ns) break;
    if (ActsOnStoreAlone(episode, FaultFor(disturbances.facts, episode))) continue;
    const int likeliness = RankFault(disturbances, last_calls, episode);
    if (likeliness < best) continue;
    best = likeliness;
    fault = &episode;
  }
  return fault;
}

// Returns until when an acquire may legitimately hold the key. Assumes that a request of unknown
// outcome arrives while its client waits, or before the probe begins.
int64_t LegitimatelyHeldUntilNs(const Evidence& evidence, const Call& acquire,
                                const KeyProbe& probe) {
  const LeaseEnds& ends = evidence.lease_ends();
  const int64_t gone_ns = ends.GoneNs(acquire.session.client);
  if (!acquire.Ok()) {
    const int64_t asked_until_ns = std::min({acquire.to_ns, gone_ns, probe.to_ns});
    return Later(std::max(asked_until_ns, probe.from_ns), acquire.asked[0]);
  }
  int64_t until_ns = ends.LatestNs(acquire, probe.from_ns, gone_ns);
  // A nested acquire may have set its own lease for all entries.
  for (const Call* nested : evidence.calls().Of(Op::kAcquire, acquire.key)) {
    if (MayBeReentrant(evidence.facts()) && nested->session == acquire.session &&
        nested->from_ns >= acquire.to_ns && nested->from_ns <= std::min(until_ns, probe.from_ns))
      until_ns = std::max(until_ns, ends.LatestNs(*nested, probe.from_ns, gone_ns));
  }
  const Hold* hold = evidence.holds().Find(acquire.hold);
  const bool may_be_extended =
      MayBeReentrant(evidence.facts()) && evidence.renewals().MayExtendLater(acquire.hold);
  const bool given_back =
      hold != nullptr && hold->released && !hold->unanswered && !may_be_extended;
  return given_back ? std::min(until_ns, hold->done_ns) : until_ns;
}

// Returns why the probe may have been refused legitimately; empty if there is no reason: a fault on
// lock servers during the probe, second copies of acquires, a probe that gave up early, or a lease
// that ran until less than half the grace before the end of the probe.
std::string WhyRefusedLegitimately(const Evidence& evidence, uint16_t key, const KeyProbe& probe) {
  const Disturbances& disturbances = evidence.disturbances();
  if (const auto why = evidence.disturbed().MayRefuseKey(key, {probe.from_ns, probe.to_ns}))
    return WhyClause(disturbances, *why);
  const int64_t tolerance_ns = ToNs(disturbances.facts.grace) / 2;
  if (const auto why = MayBeHadByCopies(evidence, key, {probe.from_ns, probe.to_ns},
                                        probe.waited_ns - tolerance_ns))
    return WhyClause(disturbances, *why);
  if (probe.waited_ns < probe.budget_ns - tolerance_ns)
    return "the probe gave up after " + ShortTime(probe.waited_ns);
  for (const Call* call : evidence.calls().Of(Op::kAcquire, key)) {
    if (call->outcome == EventType::kFail || call->from_ns > probe.to_ns) continue;
    const int64_t until_ns = LegitimatelyHeldUntilNs(evidence, *call, probe);
    if (until_ns <= probe.to_ns - tolerance_ns) continue;
    const std::string had = call->Ok()
                                ? "had been granted it at " + At(call->to_ns) + ", and had"
                                : fmt::format("had asked for it at {}, which {}, and may have had",
                                              At(call->from_ns), Describe(call->why));
    return fmt::format("{} {} it until {}", OwnerName(disturbances, call->session), had,
                       until_ns >= kForeverNs ? "the end" : At(until_ns));
  }
  return "";
}

std::string DescribeLastHold(const Disturbances& disturbances, const Hold& last) {
  const std::string_view released = !last.released    ? "never released it"
                                    : last.unanswered ? "called a release of unknown outcome at "
                                                      : "released it at ";
  return fmt::format("; {} was the last to be granted it, at {}, and {}{}",
                     OwnerName(disturbances, last.owner()), At(last.core.from_ns), released,
                     last.released ? At(last.core.to_ns) : "");
}

Violation DescribeStuckKey(const Evidence& evidence, uint16_t key, const KeyState& state) {
  const Disturbances& disturbances = evidence.disturbances();
  Violation violation{.key = KeyName(disturbances.facts, key)};
  if (state.outlasting) {
    const auto& [at_ns, left_ns, lease_ns] = *state.outlasting;
    violation.from_ns = violation.to_ns = at_ns;
    violation.sentence =
        left_ns >= kForeverNs
            ? fmt::format("at {} the key had no expiry: a holder that died would block it for ever",
                          At(at_ns))
            : fmt::format(
                  "at {} the key was to expire only after {}, though no lease was longer "
                  "than {}: a holder that died would block it for so long",
                  At(at_ns), ShortTime(left_ns), ShortTime(lease_ns));
  } else {
    const KeyProbe& probe = *state.probe;
    violation.from_ns = probe.from_ns;
    violation.to_ns = probe.to_ns;
    violation.explained_by_stall = IsProbeStalled(disturbances, probe);
    violation.sentence = fmt::format(
        "the key could not be acquired for {} after {}",
        FormatDuration(std::chrono::round<std::chrono::milliseconds>(Duration(probe.waited_ns))),
        At(probe.from_ns));
  }
  const LastCalls last_calls = FindLastCalls(evidence, key);
  const Hold* last = last_calls.last;
  const bool left = IsLeftByStalls(evidence, last_calls);
  violation.explained_by_stall = violation.explained_by_stall || left;
  if (left) violation.sentence += "; the machine cut short what may have left it so";
  if (last != nullptr) {
    violation.first = last->Ref();
    violation.sentence += DescribeLastHold(disturbances, *last);
  }
  const FaultEpisode* fault = FindLikeliestFault(disturbances, last_calls, violation.from_ns);
  violation.fault = fault == nullptr ? -1 : fault->fault;
  violation.sentence += fault == nullptr ? "; there was no fault before"
                                         : "; before that, " + FaultClause(disturbances, *fault);
  return violation;
}

class LivenessChecker : ClaimChecker {
 public:
  LivenessChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "keys",
                     {.what = "least time left of a probe's budget",
                      .missed = "longest a probe took beyond its budget"}) {}

  ClaimVerdict Verdict() && {
    const std::map<uint16_t, KeyState> states = ReadKeyStates(evidence_.history());
    for (const auto& [key, state] : states) JudgeKey(key, state);
    for (const auto& [key, asked] : FindAskedInVain(evidence_, patience_ns_)) {
      const auto state = states.find(key);
      JudgeAsked(key, asked, state == states.end() ? KeyState{} : state->second);
    }
    if (unanswered_ > 0)
      found_.Doubt(fmt::format("{} had no answer", Counted(unanswered_, "probe")));
    found_.Doubt(late_);
    found_.Doubt(refused_legitimately_);
    found_.PassedOver(CountUnprobedKeys(evidence_));
    if (!found_.describes()) return std::move(found_).Conclude({});
    const std::string wait = LongestWaitClause(evidence_.history(), disturbances_);
    const std::string_view or_why = some_never_expire_  ? ", or had no expiry"
                                    : some_expire_late_ ? ", or outlasted every lease"
                                                        : "";
    return std::move(found_).Conclude(
        {.nothing_judged = "no key was probed after the last fault",
         .judged = Counted(found_.judged(), "key"),
         .violated = fmt::format("could not be locked again in time{}{}", or_why, wait),
         .valid = "{} could be locked again in time" + wait});
  }

 private:
  void JudgeKey(uint16_t key, const KeyState& state) {
    if (state.IsAnswered() || state.outlasting) found_.Judged();
    if (state.probe && !state.IsAnswered()) ++unanswered_;
    if (state.IsAnswered() && !state.IsStuck()) NoteGranted(key, *state.probe);
    if (!state.IsStuck()) return;
    if (!state.outlasting) {
      const std::string why = WhyRefusedLegitimately(evidence_, key, *state.probe);
      if (!why.empty() && refused_legitimately_.empty())
        refused_legitimately_ = fmt::format("{} could not be acquired by {}, but {}",
                                            KeyName(facts_, key), At(state.probe->to_ns), why);
      if (!why.empty()) return;
    }
    stuck_.insert(key);
    const bool never = state.outlasting && state.outlasting->left_ns >= kForeverNs;
    some_never_expire_ = some_never_expire_ || never;
    some_expire_late_ = some_expire_late_ || (state.outlasting && !never);
    const int64_t at_ns = state.outlasting ? state.outlasting->at_ns : state.probe->to_ns;
    found_.Violated(at_ns, [&] { return DescribeStuckKey(evidence_, key, state); });
  }

  // Judges the clients' own time. On several nodes, clients may have kept each other from a
  // majority.
  void JudgeAsked(uint16_t key, const AskedInVain& asked, const KeyState& state) {
    if (stuck_.contains(key)) return;
    std::optional<Violation> violation;
    if (IsOnOneNode(facts_)) violation = FindRefusalOfFreeKey(evidence_, key, patience_ns_);
    if (!violation) {
      const Hold* last = FindLastHold(holds_, key);
      return found_.Doubt(fmt::format(
          "{} asked for {} in vain for {} until {}, longer than {} times lease and grace; nobody "
          "was granted the key, but the key is not proved free{}",
          OwnerName(disturbances_, asked.session), KeyName(facts_, key), ShortTime(asked.for_ns),
          At(asked.when.to_ns), kTimesPatience,
          last == nullptr ? "" : DescribeLastHold(disturbances_, *last)));
    }
    if (!state.IsAnswered()) found_.Judged();
    found_.Violated(violation->to_ns, [&] { return *violation; });
  }

  // Doubts a grant that was answered beyond the budget, since it may have taken effect in time.
  void NoteGranted(uint16_t key, const KeyProbe& probe) {
    const int64_t left_ns = probe.budget_ns - probe.waited_ns;
    if (left_ns < 0 && late_.empty()) {
      late_ = fmt::format("{} was had at {}, {} after lease and grace, and perhaps in time",
                          KeyName(facts_, key), At(probe.to_ns), ShortTime(-left_ns));
    }
    found_.NoteMargin(left_ns, probe.to_ns, [&] {
      return fmt::format("{} was had at {} with {} of the probe's budget left",
                         KeyName(facts_, key), At(probe.to_ns), ShortTime(left_ns));
    });
  }

  const int64_t patience_ns_ = kTimesPatience * ToNs(facts_.lease + facts_.grace);
  std::set<uint16_t> stuck_;
  int64_t unanswered_ = 0;
  bool some_never_expire_ = false;
  bool some_expire_late_ = false;
  std::string late_;  // describes the first grant that was answered late
  std::string refused_legitimately_;
};

}  // namespace

ClaimVerdict CheckLiveness(const Evidence& evidence, const Limits& limits) {
  return LivenessChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
