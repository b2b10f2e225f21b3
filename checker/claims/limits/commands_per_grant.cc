#include "checker/claims/limits/commands_per_grant.h"

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
  std::map<SessionId, std::vector<Span>> asks_of;  // the waits and acquires of each session
  std::vector<Span> asks;                          // the same, merged
  Span last{-1, -1};                               // of these, the one that ended last
  uint16_t last_key = 0;
  std::vector<Span> may_have;        // it holds a key, or may have one, or releases one
  std::vector<const Call*> granted;  // by answer
};

// What a client did to be granted a key. `when` begins at the grant before, or with the run.
struct Search {
  int32_t client = 0;
  Span when;
  const Call* granted = nullptr;  // null: it was granted no key any more
  std::vector<Span> asks;
  int64_t sessions = 1;   // how many of its sessions asked
  int64_t sent = 0;       // all its commands
  int64_t own = 0;        // without those that it may have sent for a key that it had
  int64_t unstalled = 0;  // of these, those before a stall of the machine

  // The least that one of the sessions must have sent of so many commands.
  [[nodiscard]] int64_t Share(int64_t commands) const {
    return (commands + sessions - 1) / sessions;
  }
};

class GrantLimitChecker : ClaimChecker {
 public:
  GrantLimitChecker(const Evidence& evidence, const Limits& limits, int64_t limit)
      : ClaimChecker(evidence, limits, "grants",
                     {.what = "fewest commands left of the limit of a grant",
                      .missed = "most commands of a grant beyond the limit",
                      .unit = "commands"}),
        limit_(limit) {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("not all grants may be known"))
      return std::move(found_).Undecided(*why);
    if (!calls_.all.empty()) Gather();
    for (auto& [client, use] : uses_) JudgeClient(client, use);
    const int64_t sessions = most_.sessions;
    const std::string took = fmt::format(
        "took more than {}{}, the most {}{}", Counted(limit_, "command"),
        several_ ? " for each session" : "", most_.Share(most_.sent),
        sessions == 1 ? "" : fmt::format(" ({} sessions sent {})", sessions, most_.sent));
    return std::move(found_).Conclude(
        {.nothing_judged = "no client was granted a key with all its commands recorded",
         .judged = Counted(found_.judged(), "grant"),
         .violated = took,
         .valid = "none of {} " + took});
  }

 private:
  void Gather() {
    const int64_t end_ns = evidence_.history().events.back().at_ns;
    const auto add = [&](const SessionId& who, uint16_t key, const Span& when) {
      const Span asked{when.from_ns - 1, std::min(when.to_ns, end_ns)};
      ClientUse& use = uses_[who.client];
      use.asks_of[who].push_back(asked);
      if (std::pair(asked.to_ns, asked.from_ns) < std::pair(use.last.to_ns, use.last.from_ns))
        return;
      use.last = asked;
      use.last_key = key;
    };
    for (const KeyWait& wait : WaitsOf(evidence_.history(), disturbances_)) {
      // The grant ends a wait, although the wait is recorded to end a little later.
      const Hold* hold = holds_.Find(wait.hold);
      const int64_t end_ns = hold == nullptr ? wait.when.to_ns : hold->core.from_ns;
      add(wait.who, wait.key, {wait.when.from_ns, std::min(wait.when.to_ns, end_ns)});
    }
    for (const Call& call : calls_.all) {
      if (call.op == Op::kRelease)
        uses_[call.session.client].may_have.push_back({call.from_ns, call.to_ns});
      if (call.op != Op::kAcquire) continue;
      add(call.session, call.key, {call.from_ns, call.to_ns});
      if (call.outcome == EventType::kFail) continue;
      ClientUse& use = uses_[call.session.client];
      if (call.Ok()) use.granted.push_back(&call);
      const Call* release = calls_.ReleaseOf(call.hold);
      use.may_have.push_back({call.Ok() ? call.to_ns : call.from_ns,
                              release == nullptr ? kForeverNs : release->to_ns});
    }
  }

  void JudgeClient(int32_t client, ClientUse& use) {
    for (auto& [session, asks] : use.asks_of) {
      asks = MergeSpans(std::move(asks));
      use.asks.insert(use.asks.end(), asks.begin(), asks.end());
    }
    use.asks = MergeSpans(std::move(use.asks));
    use.may_have = MergeSpans(std::move(use.may_have));
    std::ranges::stable_sort(use.granted, {}, &Call::to_ns);
    Search search{.client = client, .when = {-1, 0}};
    for (const Call* grant : use.granted) {
      search.granted = grant;
      search.when.to_ns = grant->to_ns;
      if (search.when.from_ns < grant->to_ns) Judge(use, search);
      search.when.from_ns = grant->to_ns;
    }
    search.granted = nullptr;
    search.when.to_ns = kForeverNs;
    Judge(use, search);
  }

  void Count(const ClientUse& use, Search& search) const {
    search.sent = search.own = search.unstalled = 0;
    const auto count_own = [&](const Span& when) {
      int64_t own = sent_.Count(search.client, when);
      for (const Span& has : Within(use.may_have, when)) own -= sent_.Count(search.client, has);
      return own;
    };
    int64_t stalled_ns = kForeverNs;
    for (const Span& asks : search.asks) {
      for (const Stall* stall : disturbances_.StallsWithin(asks)) {
        if (CanDelayLock(*stall, search.client))
          stalled_ns = std::min(stalled_ns, stall->when.from_ns);
      }
      search.sent += sent_.Count(search.client, asks);
      search.own += count_own(asks);
      if (asks.from_ns < stalled_ns)
        search.unstalled += count_own({asks.from_ns, std::min(asks.to_ns, stalled_ns)});
    }
  }

  void Judge(const ClientUse& use, Search& search) {
    search.asks = Within(use.asks, search.when);
    if (search.asks.empty()) return;
    search.sessions = std::ranges::count_if(
        use.asks_of, [&](const auto& asks) { return !Within(asks.second, search.when).empty(); });
    several_ = several_ || search.sessions > 1;
    Count(use, search);
    const int64_t end_ns = search.asks.back().to_ns;
    if (search.sent <= limit_) {
      if (search.granted == nullptr) return;
      // An acquire sends at least one command, so 0 means that commands were not recorded.
      const bool known = search.sent > 0 && end_ns < sent_.recorded_until_ns();
      if (!known) return found_.PassedOver();
      found_.Judged();
      NoteMost(search, search.sent);
      return found_.NoteMargin(limit_ - search.Share(search.sent), end_ns,
                               [&] { return Describe(search, search.sent); });
    }
    const int64_t share = search.Share(search.unstalled);
    if (share <= limit_)
      return found_.Doubt(Describe(search, search.sent) +
                          (search.Share(search.sent) <= limit_
                               ? "; the limit is for each of these sessions"
                           : search.Share(search.own) <= limit_
                               ? "; some of these may be for a key that it already had"
                               : "; a stall of the machine may have caused the excess"));
    found_.Judged();
    NoteMost(search, search.unstalled);
    found_.NoteMargin(limit_ - share);
    found_.Violated(end_ns, [&] { return DescribeExcess(use, search); });
  }

  void NoteMost(const Search& search, int64_t sent) {
    if (search.Share(sent) <= most_.Share(most_.sent)) return;
    most_ = search;
    most_.sent = sent;
  }

  static Span AskedSpan(const Search& search) {
    return {search.asks.front().from_ns + 1, search.asks.back().to_ns};
  }

  [[nodiscard]] std::string Describe(const Search& search, int64_t sent) const {
    return fmt::format(
        "client {} sent {}{} to lock servers while {} waited for keys ({}), and {}", search.client,
        sent < search.sent ? "at least " : "", Counted(sent, "command"),
        search.sessions == 1 ? "it" : fmt::format("{} of its sessions", search.sessions),
        During(AskedSpan(search)),
        search.granted == nullptr ? "was granted none"
                                  : "was then granted " + KeyName(facts_, search.granted->key));
  }

  [[nodiscard]] Violation DescribeExcess(const ClientUse& use, const Search& search) const {
    const Call* grant = search.granted;
    return DescribeExcessWithin(
        disturbances_, grant != nullptr ? grant->key : use.last_key, AskedSpan(search),
        grant == nullptr ? nullptr : holds_.Find(grant->hold), Describe(search, search.unstalled),
        Counted(limit_, "command") + (search.sessions > 1 ? " for each session" : ""));
  }

  const ClientCommands& sent_ = evidence_.client_commands();
  const int64_t limit_;
  std::map<int32_t, ClientUse> uses_;
  Search most_;           // the search with the greatest share of `sent`
  bool several_ = false;  // several sessions of a client asked for one grant
};

}  // namespace

ClaimVerdict CheckCommandsPerGrant(const Evidence& evidence, const Limits& limits) {
  const auto limit = LimitOf(evidence.facts(), "commands-per-grant");
  if (!limit) return Undecided({.unit = "grants"}, "the run was given no limit of commands");
  return GrantLimitChecker(evidence, limits, *limit).Verdict();
}

}  // namespace doublehold
