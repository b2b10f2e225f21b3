#include "checker/measures/tally.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {
namespace {

// Limit for the lost records of one segment. Sums of such numbers cannot overflow.
constexpr int64_t kMostLost = int64_t{1} << 32;

// Whether a fault killed the client at `at_ns` or earlier. No fault kills the supervisor, although
// FaultEpisode::client is kSupervisor for a fault on a node.
bool WasKilledBy(const Disturbances& disturbances, int32_t client, int64_t at_ns) {
  return std::ranges::any_of(disturbances.episodes, [&](const FaultEpisode& episode) {
    return client > kReferee && episode.client == client && episode.from_ns <= at_ns &&
           IsCrash(disturbances.facts.faults[static_cast<size_t>(episode.fault)]);
  });
}

class Counter {
 public:
  explicit Counter(const Disturbances& disturbances) : disturbances_(disturbances) {
    tally_.started.resize(disturbances.facts.faults.size());
    for (const FaultEpisode& episode : disturbances.episodes)
      ++tally_.started[static_cast<size_t>(episode.fault)];
  }

  void Count(const Event& event) {
    if (event.op == Op::kLost) {
      tally_.lost[event.client] += std::clamp<int64_t>(event.value[0], 1, kMostLost);
    }
    if (event.op == Op::kDied && !WasKilledBy(disturbances_, event.client, event.at_ns)) {
      tally_.died[event.client] = event.value[0];
    }
    if (event.client <= kReferee || event.task != TaskKind::kSession) return;
    if (!HasKey(event.op)) return;
    if (!first_ns_) first_ns_ = event.at_ns;
    last_ns_ = event.at_ns;
    CountOperation(event);
  }

  Tally Finish(const Holds& holds) && {
    for (const auto& [who, since_ns] : open_) ++*UnknownCounter(std::get<Op>(who));
    std::vector<int64_t> held;
    for (const Hold& hold : holds.all) {
      if (hold.client > kReferee && hold.released) {
        held.push_back(hold.core.to_ns - hold.core.from_ns);
      }
    }
    tally_.latency = {{"acquire", PercentilesOf(std::move(lengths_[Op::kAcquire]))},
                      {"wait", PercentilesOf(std::move(lengths_[Op::kWait]))},
                      {"hold", PercentilesOf(std::move(held))},
                      {"release", PercentilesOf(std::move(lengths_[Op::kRelease]))}};
    if (first_ns_) tally_.seconds = ToSeconds(Duration(last_ns_ - *first_ns_));
    return std::move(tally_);
  }

 private:
  void CountOperation(const Event& event) {
    if (event.op == Op::kAcquire && event.type == EventType::kInvoke) ++tally_.attempts;
    if (event.op == Op::kAcquire && event.type == EventType::kOk) ++tally_.grants;
    if (event.op == Op::kOrder && event.type == EventType::kOk) ++tally_.orders;
    if (event.type == EventType::kInfo) ++*UnknownCounter(event.op);
    if (event.type == EventType::kInvoke) {
      open_[{SessionOf(event), event.op, event.key}] = event.at_ns;
      return;
    }
    const auto open = open_.find({SessionOf(event), event.op, event.key});
    if (open == open_.end()) return;
    const bool answered = event.type == EventType::kOk ||
                          (event.op == Op::kRelease && event.type == EventType::kFail);
    if (answered) lengths_[event.op].push_back(event.at_ns - open->second);
    open_.erase(open);
  }

  int64_t* UnknownCounter(Op op) {
    switch (op) {
      case Op::kAcquire:
        return &tally_.unknown_acquires;
      case Op::kRelease:
        return &tally_.unknown_releases;
      case Op::kWrite:
      case Op::kOrder:
        return &tally_.unknown_writes;
      default:
        return &ignored_;
    }
  }

  const Disturbances& disturbances_;
  Tally tally_;
  // Invocation times of pending operations. An operation that never ends has an unknown outcome.
  std::map<std::tuple<SessionId, Op, uint16_t>, int64_t> open_;
  std::map<Op, std::vector<int64_t>> lengths_;
  std::optional<int64_t> first_ns_;
  int64_t last_ns_ = 0;
  int64_t ignored_ = 0;
};

}  // namespace

Tally Count(const Evidence& evidence) {
  Counter counter(evidence.disturbances());
  for (const Event& event : evidence.history().events) counter.Count(event);
  return std::move(counter).Finish(evidence.holds());
}

}  // namespace doublehold
