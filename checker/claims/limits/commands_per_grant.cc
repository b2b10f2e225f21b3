#include "checker/claims/limits/commands_per_grant.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/claims/limits/limit.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/client_commands.h"
#include "checker/evidence/names.h"
#include "checker/measures/waits.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// Returns the parts of disjoint `spans` within `when`.
std::vector<Span> Within(const std::vector<Span>& spans, const Span& when) {
  std::vector<Span> parts;
  auto next = std::ranges::upper_bound(spans, when.from_ns, {}, &Span::to_ns);
  for (; next != spans.end() && next->from_ns < when.to_ns; ++next)
    parts.push_back({std::max(next->from_ns, when.from_ns), std::min(next->to_ns, when.to_ns)});
  return parts;
}

// Commands are counted after the start of a span, and up to its end.
struct ClientUse {
  std::vector<Span> asks;             // it waits for a key, or asks for it
  std::vector<Span> may_have;         // it holds a key, or may have one
  std::vector<const Call*> acquires;  // in the order of their invocation
};

// What a client did to be granted a key. `when` begins at the grant before, or with the run.
struct Search {
  int32_t client = 0;
  Span when;
  const Call* granted = nullptr;  // null: it was granted no key any more
  std::vector<Span> asks;
  int64_t sent = 0, certain = 0;  // all its commands, and those that certainly count
};

class GrantLimitChecker : ClaimChecker {
 public:
  GrantLimitChecker(const Evidence& evidence, const Limits& limits, int64_t limit)
      : ClaimChecker(evidence, limits, "grants",
                     {.what = "fewest commands left of the limit of a grant",
                      .missed = "most commands of a grant beyond the limit",
                      .unit = "commands"}),
        sent_(evidence.history()),
        limit_(limit) {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("not all grants may be known"))
      return std::move(found_).Undecided(*why);
    Gather();
    for (auto& [client, use] : uses_) JudgeClient(client, use);
    const std::string took =
        fmt::format("took more than {}, the most {}", Counted(limit_, "command"), most_);
    return std::move(found_).Conclude(
        {.nothing_judged = "no command was recorded of a client that asked for a key",
         .judged = Counted(found_.judged(), "grant"),
         .violated = took,
         .valid = "none of {} " + took});
  }

 private:
  void Gather() {
    for (const KeyWait& wait : WaitsOf(evidence_.history(), disturbances_))
      uses_[wait.who.client].asks.push_back({wait.when.from_ns - 1, wait.when.to_ns});
    std::unordered_map<uint64_t, int64_t> freed_ns;  // by hold
    for (const Call& call : calls_.all) {
      if (call.op == Op::kRelease && call.Ok()) freed_ns.try_emplace(call.hold, call.to_ns);
    }
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire) continue;
      ClientUse& use = uses_[call.session.client];
      use.acquires.push_back(&call);
      use.asks.push_back({call.from_ns - 1, call.to_ns});
      if (call.outcome == EventType::kFail) continue;
      const auto freed = freed_ns.find(call.hold);
      use.may_have.push_back({call.Ok() ? call.to_ns : call.from_ns,
                              freed == freed_ns.end() ? kForeverNs : freed->second});
    }
  }

  void JudgeClient(int32_t client, ClientUse& use) {
    use.asks = MergeSpans(std::move(use.asks));
    use.may_have = MergeSpans(std::move(use.may_have));
    std::vector<const Call*> granted;
    std::ranges::copy_if(use.acquires, std::back_inserter(granted), &Call::Ok);
    std::ranges::stable_sort(granted, {}, &Call::to_ns);
    Search search{.client = client, .when = {-1, 0}};
    for (const Call* grant : granted) {
      search.granted = grant;
      search.when.to_ns = grant->to_ns;
      // An acquire of several keys is one grant.
      if (search.when.from_ns < grant->to_ns) Judge(use, search);
      search.when.from_ns = grant->to_ns;
    }
    search.granted = nullptr;
    search.when.to_ns = kForeverNs;
    Judge(use, search);
  }

  void Count(const ClientUse& use, Search& search) const {
    search.sent = search.certain = 0;
    search.asks = Within(use.asks, search.when);
    int64_t certain_until_ns = search.when.to_ns;
    for (const Stall* stall : disturbances_.StallsWithin(search.when))
      certain_until_ns = std::min(certain_until_ns, stall->when.from_ns);
    for (const Span& asks : search.asks) {
      search.sent += sent_.Count(search.client, asks);
      const Span certain{asks.from_ns, std::min(asks.to_ns, certain_until_ns)};
      search.certain += sent_.Count(search.client, certain);
      for (const Span& has : Within(use.may_have, certain))
        search.certain -= sent_.Count(search.client, has);
    }
  }

  void Judge(const ClientUse& use, Search& search) {
    Count(use, search);
    if (search.asks.empty()) return;
    const int64_t end_ns = search.asks.back().to_ns;
    if (search.sent <= limit_) {
      // An acquire sends at least one command, so 0 means that commands were not recorded.
      const bool known = search.sent > 0 && end_ns < sent_.recorded_until_ns();
      if (search.granted == nullptr || !known) return found_.PassedOver();
      found_.Judged();
      most_ = std::max(most_, search.sent);
      return found_.NoteMargin(limit_ - search.sent, end_ns,
                               [&] { return Describe(search, search.sent); });
    }
    if (search.certain <= limit_)
      return found_.Doubt(Describe(search, search.sent) +
                          (disturbances_.StallsWithin(search.when).empty()
                               ? ", but had a key meanwhile, or may have had one"
                               : ", and the machine stalled meanwhile"));
    found_.Judged();
    most_ = std::max(most_, search.certain);
    found_.NoteMargin(limit_ - search.certain);
    found_.Violated(end_ns, [&] { return DescribeExcess(search); });
  }

  static Span AskedSpan(const Search& search) {
    return {search.asks.front().from_ns + 1, search.asks.back().to_ns};
  }

  [[nodiscard]] std::string Describe(const Search& search, int64_t sent) const {
    return fmt::format("client {} sent {} to servers of locks while it asked for keys ({}), and {}",
                       search.client, Counted(sent, "command"), During(AskedSpan(search)),
                       search.granted == nullptr
                           ? "was granted none"
                           : "was then granted " + KeyName(facts_, search.granted->key));
  }

  [[nodiscard]] Violation DescribeExcess(const Search& search) const {
    const Span when = AskedSpan(search);
    const std::vector<const FaultEpisode*> faults = disturbances_.EpisodesWithin(when);
    const Call& asked = search.granted != nullptr ? *search.granted : LastAcquire(search);
    Violation violation{
        .key = KeyName(facts_, asked.key),
        .from_ns = when.from_ns,
        .to_ns = when.to_ns,
        .sentence = Describe(search, search.certain) + "; " + FaultsClause(disturbances_, faults)};
    if (const Hold* hold = holds_.Find(asked.hold)) violation.first = hold->Ref();
    if (!faults.empty()) violation.fault = faults.front()->fault;
    return violation;
  }

  [[nodiscard]] const Call& LastAcquire(const Search& search) const {
    return *uses_.at(search.client).acquires.back();
  }

  const ClientCommands sent_;
  const int64_t limit_;
  std::map<int32_t, ClientUse> uses_;
  int64_t most_ = 0;
};

}  // namespace

ClaimVerdict CheckCommandsPerGrant(const Evidence& evidence, const Limits& limits) {
  const auto limit = LimitOf(evidence.facts(), "commands-per-grant");
  if (!limit) return Undecided({.unit = "grants"}, "the run was given no limit of commands");
  return GrantLimitChecker(evidence, limits, *limit).Verdict();
}

}  // namespace doublehold
