// The claims `exclusion` and `lease-exclusion`.
//
// The first: is there an order of the grants and the releases, each within its bounds, in which the
// key is only granted to whom it may be? The search of checker/linear is asked the same. The
// second: is there an instant at which two have been promised the key?
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checker/linear/search.h"
#include "checker/testing/oracle/holding.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

using SharedOwners = std::vector<std::pair<SessionId, bool>>;  // and whether they share it; sorted

bool MayBeTogether(const SharedOwners& owners, SessionId session, bool shared) {
  return std::ranges::all_of(owners, [&](const auto& owner) {
    return owner.first == session || (owner.second && shared);
  });
}

bool SomeOrderOf(const History& history) {
  const std::vector<Holding> holdings = HoldingsOf(history);
  std::vector<Step> steps;
  for (const Holding& one : holdings) {
    steps.push_back({.from = one.grant.from, .to = one.grant.to});
    steps.push_back({.from = one.end, .to = one.gone, .after = static_cast<int>(steps.size()) - 1});
  }
  const Effects<SharedOwners> effects = [&](const SharedOwners& owners,
                                            size_t step) -> std::vector<SharedOwners> {
    const Holding& one = holdings[step / 2];
    const std::pair owner(one.grant.session, one.shared);
    SharedOwners next = owners;
    if (step % 2 == 0) {
      if (!MayBeTogether(owners, one.grant.session, one.shared)) return {};
      next.insert(std::ranges::upper_bound(next, owner), owner);
    } else {
      next.erase(std::ranges::find(next, owner));
    }
    return {next};
  };
  return SomeOrder<SharedOwners>(steps, {}, effects);
}

// A session that began something at the very instant at which something else of its was over: the
// search takes the two for simultaneous.
bool SomeoneIsQuick(const std::vector<Holding>& holdings) {
  for (const Holding& begun : holdings) {
    for (const Holding& over : holdings) {
      if (begun.grant.session != over.grant.session) continue;
      const bool same = begun.grant.hold == over.grant.hold;
      if (begun.end == over.grant.to || begun.grant.from == over.gone) return true;
      if (!same && (begun.grant.from == over.grant.to || begun.end == over.gone)) return true;
    }
  }
  return false;
}

// The same question for the search, whose models know either owners that enter again or readers.
std::string AskTheSearch(const History& history, bool innocent) {
  const std::vector<Holding> holdings = HoldingsOf(history);
  if (SomeoneIsQuick(holdings)) return "";
  const bool readers = std::ranges::any_of(holdings, &Holding::shared);
  const Model& model = *FindModel(readers ? "read-write-lock" : "reentrant-mutex");
  std::vector<Operation> operations;
  for (const Holding& one : holdings) {
    const bool writes = readers && !one.shared;
    const auto add = [&](int function, int64_t from, int64_t to) {
      operations.push_back({.function = static_cast<uint8_t>(function + (writes ? 2 : 0)),
                            .process = one.grant.session.client,
                            .indeterminate = to == kEver,
                            .invoked = from,
                            .returned = to});
    };
    add(0, one.grant.from, one.grant.to);
    add(1, one.end, one.gone);
  }
  const Outcome outcome = FindOrder(model, {}, operations).outcome;
  if (outcome == (innocent ? Outcome::kValid : Outcome::kViolated)) return "";
  return "the search, asked with the model " + std::string(model.name) + ", says " +
         std::string(Name(outcome));
}

// An extension, as the client saw it.
struct Extension {
  int64_t from = 0;
  int64_t to = kEver;
  EventType outcome = EventType::kInfo;
  int64_t lease = 0;
  int64_t until = 0;
};

// What is answered `ok` after the end of the hold tells nobody anything any more.
std::vector<Extension> ExtensionsOf(const History& history, const Holding& holding) {
  std::vector<Extension> extensions;
  bool over = false;
  for (const Event& event : history.events) {
    if (event.hold != holding.grant.hold) continue;
    const bool invoked = event.type == EventType::kInvoke;
    over = over || event.op == Op::kLeave || (event.op == Op::kRelease && invoked);
    if (event.op != Op::kExtend || (over && (invoked || event.type == EventType::kOk))) continue;
    if (invoked) {
      extensions.push_back({.from = event.at_ns, .lease = event.value[0]});
      continue;
    }
    if (extensions.empty() || extensions.back().to != kEver) continue;
    extensions.back().to = event.at_ns;
    extensions.back().outcome = event.type;
    extensions.back().until = event.value[0];
  }
  return extensions;
}

// Until when a holder was promised the key, as it knows at `now`: what it was told last; but while
// an extension is under way, or nobody knows what came of it, not beyond the lease that this one
// asked for.
int64_t PromisedUntil(const Holding& holding, const std::vector<Extension>& extensions,
                      double now) {
  int64_t until = holding.grant.answer[0];
  for (const Extension& one : extensions) {
    if (static_cast<double>(one.from) > now || one.outcome == EventType::kFail) continue;
    const bool told = one.outcome == EventType::kOk && static_cast<double>(one.to) <= now;
    until = told ? one.until : std::min(until, one.from + one.lease);
  }
  return until;
}

// Whether it was promised the key before `now`, and is after, and nothing gave it back. One that
// gave it back at the instant at which it was granted it had it at that instant, and at no other.
bool HasAt(const Holding& holding, const std::vector<Extension>& extensions, double now) {
  constexpr double kLittle = 0.25;  // nothing happens within it
  const auto from = static_cast<double>(holding.grant.to);
  const auto end = static_cast<double>(holding.kept);
  const auto promised = [&](double at) {
    return at < static_cast<double>(PromisedUntil(holding, extensions, at));
  };
  if (from == end) return now == from && promised(now);
  return from < now && now < end && promised(now - kLittle) && promised(now + kLittle);
}

bool NobodyBeside(const History& history) {
  const std::vector<Holding> holdings = HoldingsOf(history);
  int64_t last = 0;
  for (const Event& event : history.events) last = std::max(last, event.at_ns);
  std::vector<std::vector<Extension>> extensions;
  for (const Holding& one : holdings) extensions.push_back(ExtensionsOf(history, one));
  for (int64_t half = 0; half <= 2 * last + 1; ++half) {
    const double now = static_cast<double>(half) / 2;
    for (size_t i = 0; i < holdings.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const Holding &a = holdings[i], &b = holdings[j];
        if (a.grant.session == b.grant.session || (a.shared && b.shared)) continue;
        const bool points = a.grant.to == a.kept && b.grant.to == b.kept;
        if (!points && HasAt(a, extensions[i], now) && HasAt(b, extensions[j], now)) return false;
      }
    }
  }
  return true;
}

}  // namespace

ClaimTrials ExclusionTrials() {
  return {
      .claim = "exclusion", .any = AnyHolding, .innocent = SomeOrderOf, .besides = AskTheSearch};
}

ClaimTrials LeaseExclusionTrials() {
  return {.claim = "lease-exclusion", .any = AnyHolding, .innocent = NobodyBeside};
}

}  // namespace doublehold::brute
