#include "checker/claims/limits/commands_per_hold.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/claims/limits/limit.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/client_commands.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// The times at which the sessions of a client used keys. A wait lasts until its end, an acquire
// until its answer, a hold until the answer of its release.
struct KeyUses {
  std::vector<int64_t> from_ns, done_ns;  // both sorted
};

class CommandLimitChecker : ClaimChecker {
 public:
  CommandLimitChecker(const Evidence& evidence, const Limits& limits, int64_t limit)
      : ClaimChecker(evidence, limits, "holds",
                     {.what = "fewest commands left of the limit of a hold",
                      .missed = "most commands of a hold beyond the limit",
                      .unit = "commands"}),
        limit_(limit) {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("not all holds may be known"))
      return std::move(found_).Undecided(*why);
    if (std::ranges::any_of(calls_.all, &Call::AsksForSeveralKeys))
      return std::move(found_).Undecided(
          "an acquire asked for several keys, so its commands belong to no single key");
    GatherUses();
    for (const Hold& hold : holds_.all) JudgeHold(hold);
    const std::string took =
        fmt::format("took more than {}, the most {}", Counted(limit_, "command"), most_);
    return std::move(found_).Conclude(
        {.nothing_judged = "no hold was one of whose commands are known",
         .judged = Counted(found_.judged(), "hold"),
         .violated = took,
         .valid = "none of {} " + took});
  }

 private:
  void GatherUses() {
    const auto add = [&](int32_t client, const Span& when) {
      key_uses_[client].from_ns.push_back(when.from_ns);
      key_uses_[client].done_ns.push_back(when.to_ns);
    };
    // The current wait of each session and key. A granted wait ends as its hold begins.
    std::map<std::pair<SessionId, uint16_t>, std::pair<const Call*, int64_t>> waits;
    const auto finish = [&](const auto& wait) {
      const auto& [call, granted_ns] = wait;
      add(call->session.client, {call->from_ns, call->Ok() ? granted_ns : call->DoneNs()});
    };
    for (const Call& call : calls_.all) {
      const std::pair who{call.session, call.key};
      const auto wait = waits.find(who);
      if (call.op == Op::kWait) {
        if (wait != waits.end()) finish(wait->second);
        waits.insert_or_assign(who, std::pair{&call, call.to_ns});
      }
      if (call.op != Op::kAcquire) continue;
      add(call.session.client, {call.from_ns, call.DoneNs()});
      if (call.Ok() && call.waits && wait != waits.end()) wait->second.second = call.to_ns;
    }
    for (const auto& [who, wait] : waits) finish(wait);
    for (const Hold& hold : holds_.all) add(hold.client, HeldSpan(hold));
    for (auto& [client, uses] : key_uses_) {
      std::ranges::sort(uses.from_ns);
      std::ranges::sort(uses.done_ns);
    }
  }

  static bool IsReleased(const Hold& hold) {
    return hold.released && !hold.unanswered && hold.done_ns < kForeverNs;
  }
  // A hold without an answered release never ends, since its library may keep renewing the lease.
  static Span HeldSpan(const Hold& hold) {
    return {hold.core.from_ns, IsReleased(hold) ? hold.done_ns : kForeverNs};
  }

  // Returns how many of the commands within `when` are certainly of the hold. Requires `when` to
  // begin at the hold's grant: then the hold itself counts as one use, and its acquire has ended.
  [[nodiscard]] int64_t CountCertain(const Hold& hold, const Span& when) const {
    const KeyUses& uses = key_uses_.at(hold.client);
    const auto next = std::ranges::upper_bound(uses.from_ns, when.from_ns);
    const auto over = std::ranges::upper_bound(uses.done_ns, when.from_ns);
    const bool used = next - uses.from_ns.begin() - (over - uses.done_ns.begin()) > 1;
    int64_t until_ns = used ? when.from_ns : when.to_ns;
    if (next != uses.from_ns.end()) until_ns = std::min(until_ns, *next - 1);
    for (const Stall* stall : disturbances_.StallsWithin(when)) {
      if (CanDelayLock(*stall, hold.client)) until_ns = std::min(until_ns, stall->when.from_ns);
    }
    return sent_.Count(hold.client, {when.from_ns, std::max(when.from_ns, until_ns)});
  }

  void JudgeHold(const Hold& hold) {
    const bool over = IsReleased(hold);
    const Span when{hold.core.from_ns, over ? hold.done_ns : hold.core.to_ns};
    const int64_t sent = sent_.Count(hold.client, when);
    if (sent <= limit_) {
      // An answered release sent at least one command, so 0 means that commands went unrecorded.
      const bool known = over && sent > 0 && when.to_ns < sent_.recorded_until_ns();
      if (!known) return found_.PassedOver();
      found_.Judged();
      most_ = std::max(most_, sent);
      return found_.NoteMargin(limit_ - sent, when.to_ns,
                               [&] { return DescribeHold(hold, when, sent); });
    }
    const int64_t certain = CountCertain(hold, when);
    if (certain <= limit_)
      return found_.Doubt(DescribeHold(hold, when, sent) +
                          (disturbances_.StallsWithin(when).empty()
                               ? ", perhaps for another acquire or hold"
                               : ", and the machine stalled meanwhile"));
    found_.Judged();
    most_ = std::max(most_, certain);
    found_.NoteMargin(limit_ - certain);
    found_.Violated(when.to_ns, [&] {
      return DescribeExcessWithin(disturbances_, hold.key, when, &hold,
                                  DescribeHold(hold, when, certain), Counted(limit_, "command"));
    });
  }

  [[nodiscard]] std::string DescribeHold(const Hold& hold, const Span& when, int64_t sent) const {
    return fmt::format("{} held {} for {} ({}), and sent {} to lock servers meanwhile",
                       OwnerName(disturbances_, hold.owner()), KeyName(facts_, hold.key),
                       ShortTime(when.to_ns - when.from_ns), During(when),
                       Counted(sent, "command"));
  }

  const ClientCommands& sent_ = evidence_.client_commands();
  const int64_t limit_;
  std::map<int32_t, KeyUses> key_uses_;
  int64_t most_ = 0;
};

}  // namespace

ClaimVerdict CheckCommandsPerHold(const Evidence& evidence, const Limits& limits) {
  const auto limit = LimitOf(evidence.facts(), "commands-per-hold");
  if (!limit) return Undecided({.unit = "holds"}, "the run was given no limit of commands");
  return CommandLimitChecker(evidence, limits, *limit).Verdict();
}

}  // namespace doublehold
