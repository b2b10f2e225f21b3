#include "checker/claims/limits/commands_per_hold.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/claims/limits/limit.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

// When the sessions of a client use keys: each acquire until its answer, each hold until the answer
// of its release.
struct Busy {
  std::vector<int64_t> from_ns, done_ns;  // both sorted
};

class CommandLimitChecker {
 public:
  CommandLimitChecker(const Evidence& evidence, const Limits& limits, int64_t limit)
      : evidence_(evidence), scene_(evidence.scene()), stories_(limits), limit_(limit) {}

  ClaimVerdict Verdict() && {
    ClaimVerdict verdict{.unit = "holds"};
    if (evidence_.holds().broken) return Undecided(std::move(verdict), *evidence_.holds().broken);
    if (!evidence_.calls().complete)
      return Undecided(std::move(verdict), "records were lost: not all holds may be known");
    Gather();
    for (const Hold& hold : evidence_.holds().all) Judge(hold);
    verdict.count = count_;
    verdict.opportunities = judged_;
    if (count_ == 0 && !doubt_.empty()) return Undecided(std::move(verdict), doubt_);
    if (judged_ == 0)
      return Undecided(std::move(verdict), "no hold was one of whose commands are known");
    if (const auto why = WhyTooLittle(judged_, passed_over_, "holds"); why && count_ == 0)
      return Undecided(std::move(verdict), *why);
    const std::string of = Counted(judged_, "hold");
    if (auto margin = std::move(left_).Take()) verdict.margins.push_back(std::move(*margin));
    return Decided(std::move(verdict), std::move(stories_),
                   fmt::format("{} of {} took more than {}, the most {}", count_, of,
                               Counted(limit_, "command"), most_),
                   fmt::format("none of {} took more than {}, the most {}", of,
                               Counted(limit_, "command"), most_));
  }

 private:
  void Gather() {
    for (const Event& event : evidence_.history().events) {
      if (event.op != Op::kTraffic) continue;
      if (event.type == EventType::kFail) {
        kept_until_ns_ = std::min(kept_until_ns_, event.at_ns);
      } else {
        sent_[static_cast<int32_t>(event.value[0])].push_back(event.at_ns);
      }
    }
    const auto add = [&](int32_t client, const Span& when) {
      busy_[client].from_ns.push_back(when.from_ns);
      busy_[client].done_ns.push_back(when.to_ns);
    };
    for (const Call& call : evidence_.calls().all) {
      if (call.op == Op::kAcquire) add(call.session.client, {call.from_ns, call.DoneNs()});
    }
    for (const Hold& hold : evidence_.holds().all) add(hold.client, WhileHeld(hold));
    for (auto& [client, busy] : busy_) {
      std::ranges::sort(busy.from_ns);
      std::ranges::sort(busy.done_ns);
    }
  }

  static bool IsOver(const Hold& hold) {
    return hold.released && !hold.unanswered && hold.done_ns < kForeverNs;
  }
  // A hold without an answered release lasts for ever, since its library may keep renewing it.
  static Span WhileHeld(const Hold& hold) {
    return {hold.core.from_ns, IsOver(hold) ? hold.done_ns : kForeverNs};
  }

  // Whether the client used another key meanwhile, so that its commands may belong to that use. The
  // hold itself counts as one use; its own acquire was over before.
  [[nodiscard]] bool IsBesideAnother(const Hold& hold, const Span& when) const {
    const Busy& busy = busy_.at(hold.client);
    const auto begun = std::ranges::upper_bound(busy.from_ns, when.to_ns) - busy.from_ns.begin();
    const auto over = std::ranges::upper_bound(busy.done_ns, when.from_ns) - busy.done_ns.begin();
    return begun - over > 1;
  }

  void Judge(const Hold& hold) {
    const bool over = IsOver(hold);
    const Span when{hold.core.from_ns, over ? hold.done_ns : hold.core.to_ns};
    const auto its = sent_.find(hold.client);
    const int64_t sent = its == sent_.end() ? 0 : CountWithin(its->second, when);
    if (sent <= limit_) {
      // An answered release sent at least one command.
      const bool known = over && sent > 0 && when.to_ns < kept_until_ns_;
      ++(known ? judged_ : passed_over_);
      if (!known) return;
      most_ = std::max(most_, sent);
      if (!left_.IsNear(limit_ - sent)) return left_.Add(limit_ - sent);
      return left_.Add(limit_ - sent, when.to_ns, What(hold, when, sent));
    }
    if (IsBesideAnother(hold, when)) {
      ++passed_over_;
      return;
    }
    ++judged_;
    if (!scene_.StallsWithin(when).empty()) {
      if (doubt_.empty()) doubt_ = What(hold, when, sent) + ", and the machine stalled meanwhile";
      return;
    }
    ++count_;
    most_ = std::max(most_, sent);
    left_.Add(limit_ - sent);
    if (!stories_.Wanted()) return stories_.SawAt(when.to_ns);
    const std::vector<const FaultEpisode*> faults = scene_.EpisodesWithin(when);
    Violation violation{.key = KeyName(scene_.facts, hold.key),
                        .first = hold.Ref(),
                        .from_ns = when.from_ns,
                        .to_ns = when.to_ns,
                        .sentence = What(hold, when, sent) + "; " + FaultsClause(scene_, faults)};
    if (!faults.empty()) violation.fault = faults.front()->fault;
    stories_.Add(std::move(violation));
  }

  static int64_t CountWithin(const std::vector<int64_t>& sent, const Span& when) {
    return std::ranges::upper_bound(sent, when.to_ns) -
           std::ranges::upper_bound(sent, when.from_ns);
  }

  [[nodiscard]] std::string What(const Hold& hold, const Span& when, int64_t sent) const {
    return fmt::format("{} held {} for {} ({}), and sent {} to servers of locks meanwhile",
                       OwnerName(scene_, hold.owner()), KeyName(scene_.facts, hold.key),
                       ShortTime(when.to_ns - when.from_ns), During(when),
                       Counted(sent, "command"));
  }

  const Evidence& evidence_;
  const Scene& scene_;
  ViolationLog stories_;
  const int64_t limit_;
  std::map<int32_t, std::vector<int64_t>> sent_;  // of each client, sorted by time
  std::map<int32_t, Busy> busy_;
  int64_t kept_until_ns_ = kForeverNs;
  MarginFinder left_{{.what = "fewest commands left of the limit of a hold",
                      .missed = "most commands of a hold beyond the limit",
                      .unit = "commands"}};
  int64_t count_ = 0;
  int64_t judged_ = 0;
  int64_t passed_over_ = 0;
  int64_t most_ = 0;
  std::string doubt_;
};

}  // namespace

ClaimVerdict CheckCommandsPerHold(const Evidence& evidence, const Limits& limits) {
  const auto limit = LimitOf(evidence.facts(), "commands-per-hold");
  if (!limit) return Undecided({.unit = "holds"}, "the run was given no limit of commands");
  return CommandLimitChecker(evidence, limits, *limit).Verdict();
}

}  // namespace doublehold
