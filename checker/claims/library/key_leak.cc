#include "checker/claims/library/key_leak.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

constexpr int64_t kNotThere = -2;
constexpr int64_t kNeverExpires = -1;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kMostMs = kForeverNs / kNsPerMs;
// A stall of a smaller share of a lease delays no message until the referee looks.
constexpr int64_t kStallsPerLease = 10;

// The state of a key on a server.
struct Look {
  int64_t at_ns = 0;
  int64_t pttl_ms = 0;
  int64_t node = 0;  // 0: not recorded
};

struct KeyUsage {
  std::vector<Look> looks;
  const Call* last = nullptr;  // the last release
  const Call* open = nullptr;  // a call of unknown outcome
  int64_t unreleased = 0;      // number of unreleased holds
  int64_t granted = 0;
  int64_t used_ns = -1;           // when the last grant or release was answered
  int64_t leases_end_ns = 0;      // the latest end of all leases
  std::vector<Span> refused;      // spans of acquires that failed
  std::optional<int64_t> had_ns;  // when the referee was granted the lock

  // Whether the key was, or may have been, in use: a failed attempt may have set it and removed it
  // again.
  [[nodiscard]] bool InUseAt(int64_t at_ns) const {
    if (!Before(used_ns, at_ns)) return true;
    return std::ranges::any_of(
        refused, [&](const Span& when) { return when.from_ns <= at_ns && at_ns <= when.to_ns; });
  }
};

class KeyLeakChecker : ClaimChecker {
 public:
  KeyLeakChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "keys") {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("others may have been let in"))
      return std::move(found_).Undecided(*why);
    Gather();
    for (auto& [key, of] : keys_) {
      // A look while the key was or may have been in use proves nothing.
      std::erase_if(of.looks, [&](const Look& look) { return of.InUseAt(look.at_ns); });
      if (of.granted == 0) continue;
      if (of.looks.empty()) {
        found_.PassedOver();
      } else {
        Judge(key, of);
      }
    }
    return std::move(found_).Conclude(
        {.nothing_judged = unnamed_ ? "under which name the lock is kept was not found out"
                                    : "no key that was granted was looked for at the end",
         .judged = Counted(found_.judged(), "key"),
         .violated = "was left behind, though all had released it",
         .valid = "none of {} was left behind" + LateClause()});
  }

 private:
  void Gather() {
    for (const Event& event : evidence_.history().events) {
      if (event.op == Op::kExpiry && event.type == EventType::kOk)
        keys_[event.key].looks.push_back({.at_ns = event.at_ns,
                                          .pttl_ms = std::min(event.value[0], kMostMs),
                                          .node = event.value[1]});
      if (event.op == Op::kExpiry && event.value[1] > 0) looked_at_.insert(event.value[1]);
      unnamed_ = unnamed_ || (event.op == Op::kExpiry && event.type == EventType::kInfo);
      if (event.op == Op::kProbe && event.type == EventType::kOk)
        keys_[event.key].had_ns = event.at_ns;
      died_ = died_ || event.op == Op::kDied;
    }
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
      // A release without a hold only leaves a queue, and leaves no key behind.
      if (call.op == Op::kRelease && call.hold == 0) continue;
      KeyUsage& of = keys_[call.key];
      if (call.outcome == EventType::kInfo) of.open = &call;
      if (call.op == Op::kRelease) of.last = &call;
      if (call.outcome == EventType::kFail && call.op == Op::kAcquire)
        of.refused.push_back({call.from_ns, call.to_ns});
      const bool answered = call.outcome == EventType::kOk || call.op == Op::kRelease;
      if (answered && call.to_ns < kForeverNs) of.used_ns = std::max(of.used_ns, call.to_ns);
    }
    for (const Hold& hold : holds_.all) {
      KeyUsage& of = keys_[hold.key];
      ++of.granted;
      of.leases_end_ns = std::max(of.leases_end_ns, hold.valid_until_ns);
      if (!hold.released) ++of.unreleased;
    }
  }

  // Says how many looks came after the last lease, when a key left with its lease was gone.
  [[nodiscard]] std::string LateClause() const {
    if (late_ == 0) return "";
    return fmt::format(
        "; {} of these {} looked for only after the last lease, and left for the rest of that "
        "would "
        "not have been seen",
        late_, late_ == 1 ? "was" : "were");
  }

  void Judge(uint16_t key, const KeyUsage& of) {
    std::string doubt;
    for (const Look& look : of.looks) {
      if (look.pttl_ms == kNotThere) continue;
      const std::string why = ExplainUncertainty(of, look);
      if (why.empty()) {
        found_.Judged();
        return found_.Violated(look.at_ns, [&] { return Tell(key, of, look); });
      }
      if (doubt.empty()) {
        doubt =
            fmt::format("{} was there at {}, but {}", KeyName(facts_, key), At(look.at_ns), why);
      }
    }
    if (doubt.empty()) doubt = WhyNotAllLooked(key, of);
    if (doubt.empty()) {
      found_.Judged();
      const bool in_time = std::ranges::all_of(
          of.looks, [&](const Look& look) { return Before(look.at_ns, of.leases_end_ns); });
      if (!in_time) ++late_;
    }
    found_.Doubt(doubt);
  }

  // Why not all lock servers were looked at; empty: they were. The history does not record which
  // servers keep locks, so all counts that were looked at for any key.
  [[nodiscard]] std::string WhyNotAllLooked(uint16_t key, const KeyUsage& of) const {
    for (const int64_t node : looked_at_) {
      if (std::ranges::find(of.looks, node, &Look::node) != of.looks.end()) continue;
      return fmt::format("{} was not looked for on node {}", KeyName(facts_, key), node);
    }
    return "";
  }

  [[nodiscard]] std::string ExplainUncertainty(const KeyUsage& of, const Look& left) const {
    if (of.unreleased > 0) return "not everybody had released it";
    if (of.open != nullptr)
      return fmt::format("what came of a call of {} is not known",
                         OwnerName(disturbances_, of.open->session));
    if (died_) return "a client had ended by itself";
    if (KeepsNobodyOut(of, left))
      return fmt::format("the lock was granted all the same at {}", At(*of.had_ns));
    const Span meanwhile{SinceNs(of, left), left.at_ns};
    for (const FaultEpisode& episode : disturbances_.episodes) {
      const FaultFact& fault = FaultFor(facts_, episode);
      if (LosesData(fault) || IsCrash(fault)) return FaultClause(disturbances_, episode);
      const bool moved = MovesAClock(fault) && facts_.nodes > 1;
      if (moved || Overlap({episode.from_ns, episode.to_ns + 1}, meanwhile))
        return FaultClause(disturbances_, episode);
    }
    const auto stalls = disturbances_.StallsWithin(meanwhile);
    const int64_t most_ns = ToNs(facts_.lease) / kStallsPerLease;
    if (std::ranges::any_of(stalls, [&](const Stall* stall) {
          return stall->when.to_ns - stall->when.from_ns > most_ns;
        }))
      return "the machine had stalled since";
    return "";
  }

  // Whether the only server granted the lock while it certainly had the key. Then the key may
  // remain although nobody holds the lock.
  [[nodiscard]] bool KeepsNobodyOut(const KeyUsage& of, const Look& left) const {
    if (facts_.nodes > 1 || !of.had_ns || !Before(left.at_ns, *of.had_ns)) return false;
    // When the server read the TTL is not recorded. An earlier reading and the rounding to whole ms
    // make up less than half of the TTL.
    return left.pttl_ms == kNeverExpires || *of.had_ns - left.at_ns < left.pttl_ms * kNsPerMs / 2;
  }

  // From when on a message in transit may have left the key. On one server an answered release has
  // been carried out.
  [[nodiscard]] int64_t SinceNs(const KeyUsage& of, const Look& left) const {
    const int64_t released_ns = of.last == nullptr ? 0 : of.last->from_ns;
    if (facts_.nodes <= 1) return released_ns;
    if (left.pttl_ms == kNeverExpires) return 0;
    const int64_t lease_ns = ToNs(facts_.lease);
    // The TTL shows when the key was last set or extended; it was released no earlier than that.
    const int64_t set_ns = left.at_ns - std::max<int64_t>(lease_ns - left.pttl_ms * kNsPerMs, 0);
    return std::min(released_ns, set_ns - lease_ns);
  }

  [[nodiscard]] Violation Tell(uint16_t key, const KeyUsage& of, const Look& left) const {
    Violation violation{.key = KeyName(facts_, key), .from_ns = left.at_ns, .to_ns = left.at_ns};
    const std::string where = left.node > 0 ? fmt::format(" on node {}", left.node) : "";
    const std::string until =
        left.pttl_ms == kNeverExpires
            ? "and never expires"
            : fmt::format("for {} more", FormatDuration(std::chrono::milliseconds(left.pttl_ms)));
    violation.sentence =
        fmt::format("the key was still there{} at {}, {}", where, At(left.at_ns), until);
    if (of.last != nullptr) {
      const Hold* hold = holds_.Find(of.last->hold);
      if (hold != nullptr) violation.first = hold->Ref();
      violation.sentence +=
          fmt::format("; the last to release it was {}, at {}, and was told {}",
                      OwnerName(disturbances_, of.last->session), At(of.last->from_ns),
                      of.last->Ok() ? "that this freed it" : "that it was not its own, or gone");
    }
    NameEarlierFault(disturbances_, violation, [](const FaultFact&) { return true; });
    return violation;
  }

  std::map<uint16_t, KeyUsage> keys_;
  std::set<int64_t> looked_at_;  // nodes
  bool unnamed_ = false;
  bool died_ = false;
  int64_t late_ = 0;  // of the keys that were not left behind
};

}  // namespace

ClaimVerdict CheckKeyLeak(const Evidence& evidence, const Limits& limits) {
  return KeyLeakChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
