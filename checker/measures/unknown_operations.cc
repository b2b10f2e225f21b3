#include "checker/measures/unknown_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

bool IsData(Op op) { return op == Op::kWrite || op == Op::kOrder || op == Op::kSave; }

BlindCount* CountForOp(BlindSpots& spots, Op op) {
  switch (op) {
    case Op::kAcquire:
      return &spots.acquires;
    case Op::kExtend:
      return &spots.extends;
    case Op::kRelease:
      return &spots.releases;
    case Op::kWrite:
    case Op::kOrder:
    case Op::kSave:
      return &spots.writes;
    default:
      return nullptr;
  }
}

// A call that a session, or its watchdog, made on a key.
struct UnknownCall {
  Op op = Op::kAcquire;
  SessionId by;
  uint16_t key = 0;
  uint64_t hold = 0;
  Span when;  // ends at kForeverNs without an answer
  EventType outcome = EventType::kInfo;
  UnknownWhy why = UnknownWhy::kNoAnswer;
};

// The two latest ends of operations. With two, an operation finds the latest end other than its
// own.
struct LatestEnds {
  std::array<int64_t, 2> end_ns{-1, -1};
  void Add(int64_t at_ns) {
    end_ns[1] = std::max(end_ns[1], std::min(end_ns[0], at_ns));
    end_ns[0] = std::max(end_ns[0], at_ns);
  }
};

class BlindSpotFinder {
 public:
  explicit BlindSpotFinder(const Evidence& evidence)
      : evidence_(evidence), own_matters_(Judges("reentry")) {
    order_matters_ = Judges("fencing") || Judges("order");
    all_matters_ = own_matters_ || order_matters_;
    for (const Event& event : evidence.history().events) Note(event);
    for (const auto& [who, operation] : open_) Finish(operation);
    std::ranges::stable_sort(unknown_, {},
                             [](const UnknownCall& operation) { return operation.when.from_ns; });
    for (const Hold& hold : evidence.holds().all)
      by_session_[hold.key][hold.owner()].Add(hold.core.to_ns);
  }

  void Find(BlindSpots& spots) const {
    for (const UnknownCall& operation : unknown_) {
      BlindCount& count = *CountForOp(spots, operation.op);
      ++count.unknown;
      if (!CouldHide(operation)) continue;
      ++count.could_hide;
      if (spots.first.size() < BlindSpots::kMostDescribed)
        spots.first.push_back(Describe(operation));
    }
  }

 private:
  [[nodiscard]] bool Judges(std::string_view claim) const {
    const std::vector<std::string>& claims = evidence_.facts().claims;
    return std::ranges::find(claims, claim) != claims.end();
  }

  void Note(const Event& event) {
    errors_.Add(event);
    if (event.client <= kReferee || CountForOp(judged_ops_, event.op) == nullptr) return;
    const auto who = std::tuple(SessionOf(event), event.task, event.op, event.key);
    const bool begins = event.type == EventType::kInvoke;
    const auto before = open_.find(who);
    // If the record of the invocation was lost, the call was invoked at some earlier time.
    UnknownCall operation{.op = event.op,
                          .by = SessionOf(event),
                          .key = event.key,
                          .when = {begins ? event.at_ns : 0, kForeverNs}};
    if (begins && before != open_.end()) Finish(before->second);
    if (!begins && before != open_.end()) operation = before->second;
    if (event.hold != 0) operation.hold = event.hold;
    if (begins) {
      open_.insert_or_assign(who, operation);
      return;
    }
    operation.outcome = event.type;
    if (event.type != EventType::kInfo) {
      operation.when.to_ns = event.at_ns;
    } else {
      operation.why = errors_.WhyUnknown(event, operation.when.from_ns);
    }
    if (before != open_.end()) open_.erase(before);
    Finish(operation);
  }

  void Finish(const UnknownCall& operation) {
    if (operation.outcome == EventType::kInfo) unknown_.push_back(operation);
    // A refused acquire changed nothing, but it may have queued.
    const bool queued = all_matters_ && operation.op == Op::kAcquire;
    if (operation.outcome == EventType::kFail && !queued) return;
    by_session_[operation.key][operation.by].Add(operation.when.to_ns);
    if (IsData(operation.op))
      by_op_[{operation.key, operation.by, operation.op}].Add(operation.when.to_ns);
  }

  // Returns a time T. The operation may conflict with operations that ended at T or later.
  [[nodiscard]] int64_t SinceNs(const UnknownCall& operation) const {
    if (operation.op == Op::kSave) return 0;
    if (!IsData(operation.op)) return all_matters_ ? 0 : operation.when.from_ns;
    const Hold* hold = evidence_.holds().Find(operation.hold);
    return hold == nullptr ? 0 : std::min(hold->core.from_ns, operation.when.from_ns);
  }

  [[nodiscard]] bool CouldHide(const UnknownCall& operation) const {
    if (own_matters_ && !IsData(operation.op)) return true;
    const int64_t since_ns = SinceNs(operation);
    const auto& sessions = by_session_.at(operation.key);
    const bool others = std::ranges::any_of(sessions, [&](const auto& session) {
      return session.first != operation.by && session.second.end_ns[0] >= since_ns;
    });
    if (others || !IsData(operation.op)) return others;
    return by_op_.at({operation.key, operation.by, operation.op}).end_ns[1] >= since_ns;
  }

  // Describes the first conflict of this list that is possible:
  // 1. with another session's hold that had not ended before;
  // 2. with another session's unanswered operation;
  // 3. if tokens or queues are judged, with the last earlier hold;
  // 4. with any other operation of another session;
  // 5. with an operation of the same client.
  [[nodiscard]] std::string DescribeConflict(const UnknownCall& operation) const {
    const Disturbances& disturbances = evidence_.disturbances();
    const int64_t met_ns =
        std::max(SinceNs(operation), IsData(operation.op) ? 0 : operation.when.from_ns);
    const Hold* before = nullptr;
    for (const Hold& hold : evidence_.holds().all) {
      if (hold.key != operation.key || hold.owner() == operation.by) continue;
      if (hold.core.to_ns >= met_ns) {
        return fmt::format("it may have met {}'s hold ({})", OwnerName(disturbances, hold.owner()),
                           During(hold.core));
      }
      if (before == nullptr || hold.core.to_ns > before->core.to_ns) before = &hold;
    }
    for (const UnknownCall& other : unknown_) {
      if (other.key != operation.key || other.by == operation.by) continue;
      return fmt::format("it may have met {}'s {}, called at {}, which {}",
                         OwnerName(disturbances, other.by), Name(other.op), At(other.when.from_ns),
                         doublehold::Describe(other.why));
    }
    if (before != nullptr && order_matters_ && !IsData(operation.op)) {
      return fmt::format("it may be out of order with {}'s hold before it ({})",
                         OwnerName(disturbances, before->owner()), During(before->core));
    }
    const int64_t did_ns = order_matters_ ? SinceNs(operation) : met_ns;
    for (const auto& [session, ends] : by_session_.at(operation.key)) {
      if (session != operation.by && ends.end_ns[0] >= did_ns)
        return fmt::format("it may have met what {} did", OwnerName(disturbances, session));
    }
    return "it may have met what the same client did";
  }

  [[nodiscard]] BlindSpot Describe(const UnknownCall& operation) const {
    const Disturbances& disturbances = evidence_.disturbances();
    return {.op = operation.op,
            .by = operation.by,
            .key = operation.key,
            .at_ns = operation.when.from_ns,
            .sentence =
                fmt::format("{}'s {} of {}, called at {}, {}: done then or later, {}",
                            OwnerName(disturbances, operation.by), Name(operation.op),
                            KeyName(disturbances.facts, operation.key), At(operation.when.from_ns),
                            doublehold::Describe(operation.why), DescribeConflict(operation))};
  }

  const Evidence& evidence_;
  bool own_matters_;            // operations may conflict with their own session
  bool order_matters_ = false;  // tokens or queues are judged
  bool all_matters_ = false;    // operations may conflict with earlier operations
  BlindSpots judged_ops_;
  ErrorAnswers errors_;
  std::map<std::tuple<SessionId, TaskKind, Op, uint16_t>, UnknownCall> open_;
  std::vector<UnknownCall> unknown_;
  std::map<uint16_t, std::map<SessionId, LatestEnds>> by_session_;
  std::map<std::tuple<uint16_t, SessionId, Op>, LatestEnds> by_op_;
};

std::vector<Stall> LongestStalls(std::vector<Stall> stalls) {
  const auto length = [](const Stall& stall) { return stall.when.from_ns - stall.when.to_ns; };
  std::ranges::stable_sort(stalls, {}, length);
  if (stalls.size() > BlindSpots::kMostDescribed) stalls.resize(BlindSpots::kMostDescribed);
  return stalls;
}

}  // namespace

int64_t BlindSpots::Unknown() const {
  return acquires.unknown + extends.unknown + releases.unknown + writes.unknown;
}

int64_t BlindSpots::CouldHide() const {
  return acquires.could_hide + extends.could_hide + releases.could_hide + writes.could_hide;
}

BlindSpots FindBlindSpots(const Evidence& evidence) {
  BlindSpots spots{.stalls = LongestStalls(evidence.disturbances().stalls)};
  for (const Hold& hold : evidence.holds().all) {
    if (hold.valid_until_ns >= kForeverNs) ++spots.without_lease[hold.client];
  }
  BlindSpotFinder(evidence).Find(spots);
  return spots;
}

bool IsWeakControl(const RunFacts& facts, const std::vector<ClaimVerdict>& claims) {
  if (!LockHas(facts, LockTrait::kGrantsAll)) return false;
  const auto outcome_of = [&](std::string_view name) -> std::optional<Outcome> {
    const auto claim = std::ranges::find(claims, name, &ClaimVerdict::claim);
    return claim == claims.end() ? std::nullopt : std::optional(claim->outcome);
  };
  const bool unprotected = facts.write == "read-modify-write" || facts.write == "check-then-decr";
  std::optional<Outcome> shows = unprotected ? outcome_of("stock") : std::nullopt;
  if (!shows) shows = outcome_of("exclusion");
  return shows && *shows != Outcome::kViolated;
}

}  // namespace doublehold
