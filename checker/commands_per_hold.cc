#include "checker/commands_per_hold.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/calls.h"
#include "checker/decide.h"
#include "checker/limit.h"
#include "checker/story.h"

namespace doublehold {
namespace {

// For a key, by one of the sessions of a client.
struct Asked {
  int64_t from_ns = 0;
  int64_t done_ns = 0;  // when all that were asked by then were over
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
    if (sent_.empty())
      return Undecided(std::move(verdict), "no command of a client is in the record");
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
    for (const Call& call : evidence_.calls().all) {
      if (call.op != Op::kAcquire) continue;
      std::vector<Asked>& asked = asked_[call.session.client];
      const int64_t before_ns = asked.empty() ? 0 : asked.back().done_ns;
      asked.push_back({call.from_ns, std::max(before_ns, call.DoneNs())});
    }
  }

  // It, or another session of its client, asked for a key meanwhile. Its own acquire was over when
  // that began.
  [[nodiscard]] bool AskedBeside(const Hold& hold, const Span& when) const {
    const auto its = asked_.find(hold.client);
    if (its == asked_.end()) return false;
    const auto after = std::ranges::upper_bound(its->second, when.to_ns, {}, &Asked::from_ns);
    return after != its->second.begin() && Before(when.from_ns, std::prev(after)->done_ns);
  }

  void Judge(const Hold& hold) {
    const bool over = hold.released && !hold.unanswered && hold.done_ns < kForeverNs;
    const Span when{hold.core.from_ns, over ? hold.done_ns : hold.core.to_ns};
    if (AskedBeside(hold, when)) {
      ++passed_over_;
      return;
    }
    const auto its = sent_.find(hold.client);
    const int64_t sent = its == sent_.end() ? 0 : CountWithin(its->second, when);
    if (sent <= limit_) {
      const bool known = over && when.to_ns < kept_until_ns_;
      ++(known ? judged_ : passed_over_);
      if (!known) return;
      most_ = std::max(most_, sent);
      if (!left_.IsNear(limit_ - sent)) return left_.Add(limit_ - sent);
      return left_.Add(limit_ - sent, when.to_ns, What(hold, when, sent));
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
  Stories stories_;
  const int64_t limit_;
  std::map<int32_t, std::vector<int64_t>> sent_;  // of each client, by time
  std::map<int32_t, std::vector<Asked>> asked_;
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
