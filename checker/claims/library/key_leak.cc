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
#include "checker/evidence/second_copies.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

constexpr int64_t kNotThere = -2;
constexpr int64_t kNeverExpires = -1;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kMostMs = kForeverNs / kNsPerMs;

// The TTL of a key on a server, as the referee read it.
struct TtlReading {
  int64_t at_ns = 0;
  int64_t pttl_ms = 0;
  int64_t node = 0;  // 0: not recorded
};

struct KeyUsage {
  std::vector<TtlReading> readings;
  const Call* last = nullptr;        // the last release
  const Call* open = nullptr;        // a call of unknown outcome
  int64_t unreleased = 0;            // number of unreleased holds
  int64_t granted = 0;               // number of holds
  int64_t used_ns = -1;              // when the last grant or release was answered
  int64_t leases_end_ns = 0;         // the latest end of all leases
  std::vector<Span> refused;         // spans of acquires that failed
  std::optional<int64_t> probed_ns;  // when the referee was granted the lock

  // Whether the key may have been in use. A failed acquire may have set the key and removed it
  // again.
  [[nodiscard]] bool InUseAt(int64_t at_ns) const {
    if (!Before(used_ns, at_ns)) return true;
    return std::ranges::any_of(
        refused, [&](const Span& when) { return when.from_ns <= at_ns && at_ns <= when.to_ns; });
  }
  // When the last call before `at_ns` was answered.
  [[nodiscard]] int64_t LastUseNs(int64_t at_ns) const {
    int64_t last_ns = used_ns;
    for (const Span& when : refused)
      if (when.to_ns <= at_ns) last_ns = std::max(last_ns, when.to_ns);
    return last_ns;
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
    for (auto& [key, usage] : keys_) {
      // A reading while the key may have been in use proves nothing.
      std::erase_if(usage.readings,
                    [&](const TtlReading& reading) { return usage.InUseAt(reading.at_ns); });
      if (usage.granted == 0) continue;
      if (usage.readings.empty()) {
        found_.PassedOver();
      } else {
        Judge(key, usage);
      }
    }
    return std::move(found_).Conclude(
        {.nothing_judged = unnamed_ ? "under which name the lock is kept was not found out"
                                    : "no key that was granted was read at the end",
         .judged = Counted(found_.judged(), "key"),
         .violated = "was left behind, though all had released it",
         .valid = "none of {} was left behind" + LateClause()});
  }

 private:
  void Gather() {
    for (const Event& event : evidence_.history().events) {
      if (event.op == Op::kExpiry && event.type == EventType::kOk)
        keys_[event.key].readings.push_back({.at_ns = event.at_ns,
                                             .pttl_ms = std::min(event.value[0], kMostMs),
                                             .node = event.value[1]});
      if (event.op == Op::kExpiry && event.value[1] > 0) read_nodes_.insert(event.value[1]);
      unnamed_ = unnamed_ || (event.op == Op::kExpiry && event.type == EventType::kInfo);
      if (event.op == Op::kProbe && event.type == EventType::kOk)
        keys_[event.key].probed_ns = event.at_ns;
      died_ = died_ || event.op == Op::kDied;
    }
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
      // A release without a hold only removes the client from a queue. It cannot leak a key.
      if (call.op == Op::kRelease && call.hold == 0) continue;
      KeyUsage& usage = keys_[call.key];
      if (call.outcome == EventType::kInfo) usage.open = &call;
      if (call.op == Op::kRelease) usage.last = &call;
      if (call.outcome == EventType::kFail && call.op == Op::kAcquire)
        usage.refused.push_back({call.from_ns, call.to_ns});
      const bool answered = call.outcome == EventType::kOk || call.op == Op::kRelease;
      if (answered && call.to_ns < kForeverNs) usage.used_ns = std::max(usage.used_ns, call.to_ns);
    }
    for (const Hold& hold : holds_.all) {
      KeyUsage& usage = keys_[hold.key];
      ++usage.granted;
      usage.leases_end_ns = std::max(usage.leases_end_ns, hold.valid_until_ns);
      if (!hold.released) ++usage.unreleased;
    }
  }

  // Reports how many keys were read only after the last lease had ended. By then a leaked key with
  // a TTL had expired.
  [[nodiscard]] std::string LateClause() const {
    if (late_ == 0) return "";
    return fmt::format(
        "; {} of these {} read only after the last lease had ended, and a leaked key that expired "
        "with its lease would not have been seen",
        late_, late_ == 1 ? "was" : "were");
  }

  void Judge(uint16_t key, const KeyUsage& usage) {
    std::string doubt;
    for (const TtlReading& reading : usage.readings) {
      if (reading.pttl_ms == kNotThere) continue;
      const std::string why = ExplainUncertainty(key, usage, reading);
      if (why.empty()) {
        found_.Judged();
        return found_.Violated(reading.at_ns,
                               [&] { return DescribeViolation(key, usage, reading); });
      }
      if (doubt.empty()) {
        doubt =
            fmt::format("{} was there at {}, but {}", KeyName(facts_, key), At(reading.at_ns), why);
      }
    }
    if (doubt.empty()) doubt = ExplainUnreadServer(key, usage);
    if (doubt.empty()) {
      found_.Judged();
      const bool in_time = std::ranges::all_of(usage.readings, [&](const TtlReading& reading) {
        return Before(reading.at_ns, usage.leases_end_ns);
      });
      if (!in_time) ++late_;
    }
    found_.Doubt(doubt);
  }

  // Names a lock server on which this key was not read; empty if there is none. The history does
  // not record which servers keep locks. So a server counts if any key was read on it.
  [[nodiscard]] std::string ExplainUnreadServer(uint16_t key, const KeyUsage& usage) const {
    for (const int64_t node : read_nodes_) {
      if (std::ranges::find(usage.readings, node, &TtlReading::node) != usage.readings.end())
        continue;
      return fmt::format("{} was not read on node {}", KeyName(facts_, key), node);
    }
    return "";
  }

  [[nodiscard]] std::string ExplainUncertainty(uint16_t key, const KeyUsage& usage,
                                               const TtlReading& leaked) const {
    if (usage.unreleased > 0) return "not everybody had released it";
    if (usage.open != nullptr)
      return fmt::format("what came of a call of {} is not known",
                         OwnerName(disturbances_, usage.open->session));
    if (died_) return "a client had ended by itself";
    if (BlocksNobody(usage, leaked))
      return fmt::format("the lock was granted all the same at {}", At(*usage.probed_ns));
    const int64_t most_ns = ToNs(facts_.lease) / kStallsPerLease;
    if (!IsOnOneNode(facts_) && leaked.at_ns - usage.LastUseNs(leaked.at_ns) < most_ns)
      return "a message that removes it may have been under way";
    const Span meanwhile{DelayedSinceNs(usage, leaked), leaked.at_ns};
    const Disturbed& disturbed = evidence_.disturbed();
    const Span before{0, leaked.at_ns};
    std::optional<Why> why =
        FirstOf(disturbed.MayReturnKeys(before), disturbed.FindKill(leaked.at_ns),
                disturbed.FindFault(meanwhile));
    if (!why && !IsOnOneNode(facts_)) why = disturbed.MayMoveClocks(before);
    if (!why) why = MayBeHadByCopies(evidence_, key, {leaked.at_ns, leaked.at_ns}, 0);
    if (!why) why = disturbed.FindStall(meanwhile, most_ns);
    return why ? WhyClause(disturbances_, *why) : "";
  }

  // Whether the only server granted the lock to the referee while the leaked key certainly existed.
  // In that case, the key may exist although nobody holds the lock.
  [[nodiscard]] bool BlocksNobody(const KeyUsage& usage, const TtlReading& leaked) const {
    if (!IsOnOneNode(facts_) || !usage.probed_ns) return false;
    if (!Before(leaked.at_ns, *usage.probed_ns)) return false;
    // The server read the TTL earlier than recorded, and rounded it to whole ms. Together, these
    // errors are less than half of the TTL.
    return leaked.pttl_ms == kNeverExpires ||
           *usage.probed_ns - leaked.at_ns < leaked.pttl_ms * kNsPerMs / 2;
  }

  // Start of the time in which a delayed message may explain the leaked key. On one server, an
  // answered release was carried out, so nothing before its invocation counts.
  [[nodiscard]] int64_t DelayedSinceNs(const KeyUsage& usage, const TtlReading& leaked) const {
    const int64_t released_ns = usage.last == nullptr ? 0 : usage.last->from_ns;
    if (IsOnOneNode(facts_)) return released_ns;
    if (leaked.pttl_ms == kNeverExpires) return 0;
    const int64_t lease_ns = ToNs(facts_.lease);
    // The TTL shows when the key was last set or extended. The key was not released before that.
    const int64_t set_ns =
        leaked.at_ns - std::max<int64_t>(lease_ns - leaked.pttl_ms * kNsPerMs, 0);
    return std::min(released_ns, set_ns - lease_ns);
  }

  [[nodiscard]] Violation DescribeViolation(uint16_t key, const KeyUsage& usage,
                                            const TtlReading& leaked) const {
    Violation violation{
        .key = KeyName(facts_, key), .from_ns = leaked.at_ns, .to_ns = leaked.at_ns};
    const std::string where = leaked.node > 0 ? fmt::format(" on node {}", leaked.node) : "";
    const std::string until =
        leaked.pttl_ms == kNeverExpires
            ? "without a TTL"
            : fmt::format("with a TTL of {}",
                          FormatDuration(std::chrono::milliseconds(leaked.pttl_ms)));
    violation.sentence =
        fmt::format("the key still existed{} at {}, {}", where, At(leaked.at_ns), until);
    if (usage.last != nullptr) {
      const Hold* hold = holds_.Find(usage.last->hold);
      if (hold != nullptr) violation.first = hold->Ref();
      violation.sentence +=
          fmt::format("; the last release, by {} at {}, reported {}",
                      OwnerName(disturbances_, usage.last->session), At(usage.last->from_ns),
                      usage.last->Ok() ? "success" : "that the lock was not its own, or gone");
    }
    NameEarlierFault(disturbances_, violation);
    return violation;
  }

  std::map<uint16_t, KeyUsage> keys_;
  std::set<int64_t> read_nodes_;  // lock servers on which the referee tried to read a key
  bool unnamed_ = false;          // the referee did not find out the name of a lock's key
  bool died_ = false;             // a client died
  int64_t late_ = 0;              // keys without a leak that were read only after the last lease
};

}  // namespace

ClaimVerdict CheckKeyLeak(const Evidence& evidence, const Limits& limits) {
  return KeyLeakChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
