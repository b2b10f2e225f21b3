#include "checker/claims/data/stock_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "checker/claims/data/late_overwrite.h"
#include "checker/claims/data/write_order.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/names.h"
#include "checker/evidence/stall_propagation.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// A write that the machine delayed past its lease, or that is a consequence of such a write.
struct DoubtfulWrite {
  std::string why;
  Event write;
  Span when;  // the write took effect at some time in this span
};

bool SpansIntersect(const Span& a, const Span& b) {
  return a.from_ns <= b.to_ns && b.from_ns <= a.to_ns;
}

struct ItemReplay {
  explicit ItemReplay(int64_t initial) : order(initial) {}
  WriteOrder order;
  // mode kDecrement: writes that took a unit, in the order of their answers
  std::vector<Event> taken;
  std::vector<DoubtfulWrite> doubtful;
};

class StockReplayer {
 public:
  enum class Scope : uint8_t { kWrongItems, kAllItems };

  StockReplayer(const Evidence& evidence, const std::vector<ItemCount>& items, ClaimFindings& found,
                Scope scope)
      : scope_(scope),
        facts_(evidence.facts()),
        mode_(WriteModeOf(evidence.facts())),
        items_(items),
        holds_(evidence.holds()),
        disturbances_(evidence.disturbances()),
        found_(found),
        story_{std::vector<bool>(items.size()), std::vector<int64_t>(items.size())} {
    for (const ItemCount& item : items) replays_.emplace_back(item.initial);
  }

  void ReplayEvent(const Event& event) {
    if (event.key >= items_.size() ||
        (scope_ == Scope::kWrongItems && items_[event.key].Wrong() == 0))
      return;
    if (event.op == Op::kRead && event.type == EventType::kInvoke)
      asked_ns_[SessionOf(event)] = event.at_ns;
    if (event.op == Op::kRead && event.type == EventType::kOk) reads_[SessionOf(event)] = event;
    ItemReplay& replay = replays_[event.key];
    const bool ended = event.op == Op::kFinal && event.type == EventType::kOk;
    if (ended && mode_ == WriteMode::kReadThenSet) replay.order.End(event.value[0], event.at_ns);
    if (event.op != Op::kWrite || event.client <= kReferee) return;
    if (event.type == EventType::kInvoke) replay.order.Invoke(event);
    if (event.type == EventType::kFail) replay.order.Forget(SessionOf(event));
    if (event.type == EventType::kInfo)
      NoteIfDoubtful(replay, event, event.at_ns + ToNs(facts_.lease));
    if (event.type != EventType::kOk) return;
    NoteIfDoubtful(replay, event, event.at_ns);
    if (mode_ == WriteMode::kDecrement && event.value[1] < 0) {
      story_.described[event.key] = true;
      found_.Violated(event.at_ns, [&] { return DescribeBelowZero(event); });
    }
    if (mode_ == WriteMode::kDecrement) replay.taken.push_back(event);
    if (mode_ != WriteMode::kReadThenSet) return replay.order.Forget(SessionOf(event));
    const auto read = reads_.find(SessionOf(event));
    replay.order.Confirm(event, read == reads_.end() ? std::nullopt : std::optional(read->second));
  }

  StockStory Finish() && {
    std::vector<const Overwrite*> all;
    for (const ItemReplay& replay : replays_) {
      for (const Overwrite& overwrite : replay.order.overwrites())
        if (!overwrite.undone) all.push_back(&overwrite);
    }
    std::ranges::stable_sort(all, {}, [](const Overwrite* o) { return o->write.at_ns; });
    const bool none_costs = std::ranges::all_of(all, [](const auto* o) { return o->Cost() <= 0; });
    for (const Overwrite* overwrite : all) {
      if (overwrite->Cost() > 0 || none_costs) AddOverwrite(*overwrite);
    }
    return std::move(story_);
  }

 private:
  void NoteIfDoubtful(ItemReplay& replay, const Event& write, int64_t to_ns) const {
    std::string why = AftermathClause(disturbances_, holds_.Find(write.hold), nullptr, write.at_ns);
    if (const Hold* stale = FindStaleHold(write); why.empty() && stale != nullptr) {
      const StaleStory story = TellStale(disturbances_, *stale, 0, write.at_ns, write.at_ns);
      if (story.explained_by_stall) why = story.text + ", and may have written last";
    }
    if (why.empty()) return;
    replay.doubtful.push_back(
        {.why = std::move(why), .write = write, .when = {replay.order.InvokedNs(write), to_ns}});
  }

  // Returns why a doubtful write may be the cause of an overwrite, or "" if there is no such write.
  // The doubtful write is the overwriting write, the overwritten write, or a write that left the
  // value read. It must be concurrent with the overwriting or the overwritten write. Reason:
  // concurrent writes may take effect in another order than the order of their answers.
  std::string ExplainDoubt(const Overwrite& overwrite) const {
    const Span write{overwrite.from_ns, overwrite.write.at_ns};
    for (const DoubtfulWrite& doubtful : replays_[overwrite.write.key].doubtful) {
      const bool was_read = doubtful.write.value[1] == overwrite.write.value[0];
      const bool is_either = doubtful.write.hold == overwrite.write.hold ||
                             (overwrite.over && doubtful.write.hold == overwrite.over->hold);
      if (!was_read && !is_either) continue;
      const bool beside_over = overwrite.over && SpansIntersect(doubtful.when, overwrite.over_when);
      if (beside_over || SpansIntersect(doubtful.when, write)) return doubtful.why;
    }
    return {};
  }

  void AddOverwrite(const Overwrite& overwrite) {
    const Event& write = overwrite.write;
    const int64_t lost = std::max<int64_t>(1, overwrite.Cost());
    story_.described[write.key] = true;
    story_.explained[write.key] += lost;
    found_.Violated(write.at_ns, [&] { return DescribeOverwrite(overwrite, lost); });
  }

  [[nodiscard]] Violation DescribeOverwrite(const Overwrite& overwrite, int64_t lost) const {
    const Event& write = overwrite.write;
    std::string what = fmt::format(
        "wrote stock {} at {} over {}", write.value[1], At(write.at_ns),
        overwrite.over
            ? fmt::format("{}'s {}", OwnerName(disturbances_, SessionOf(*overwrite.over)),
                          overwrite.stock)
            : fmt::format("the initial {}", overwrite.stock));
    if (overwrite.read) {
      what += fmt::format(", having read {} at {}", write.value[0], At(overwrite.read->at_ns));
    }
    // `undone`: orders that this write undid. `back`: undone orders that later writes restored.
    const int64_t undone = write.value[1] - (overwrite.stock - 1);
    const int64_t back = undone - overwrite.lost;
    if (back > 0) {
      what += fmt::format("; this undid {}, of which later writes restored {}",
                          Counted(undone, "order"), back);
    }
    what += fmt::format(": {} {} lost", Counted(lost, "order"), lost == 1 ? "was" : "were");
    Violation violation = DescribeWrite(write, overwrite.over, what);
    const bool explained = violation.explained_by_stall || violation.stale;
    if (const std::string doubt = explained ? "" : ExplainDoubt(overwrite); !doubt.empty()) {
      violation.explained_by_stall = true;
      violation.fault = -1;
      violation.sentence += "; " + doubt;
    }
    violation.from_ns = overwrite.from_ns;
    violation.count = lost;
    if (overwrite.over) violation.second = FindHoldRef(overwrite.over->hold);
    return violation;
  }

  // Describes a sale that took the stock below zero, although its client had read a positive stock.
  // Other writes took units after this read. One of them may have been under an expired lease.
  [[nodiscard]] Violation DescribeBelowZero(const Event& write) const {
    const ItemReplay& replay = replays_[write.key];
    // The stock that the client read may date from the invocation of the read.
    const auto asked = asked_ns_.find(SessionOf(write));
    const Span seen{asked == asked_ns_.end() ? write.at_ns : asked->second, write.at_ns};
    std::optional<Event> late;
    for (auto taken = replay.taken.rbegin(); taken != replay.taken.rend(); ++taken) {
      if (taken->at_ns < seen.from_ns) break;
      if (!late && FindStaleHold(*taken) != nullptr) late = *taken;
    }
    Violation violation =
        DescribeWrite(write, late,
                      fmt::format("took the stock to {} at {}, having read {}", write.value[1],
                                  At(write.at_ns), write.value[0]));
    if (late) violation.second = FindHoldRef(late->hold);
    const auto beside = [&seen](const DoubtfulWrite& one) {
      return SpansIntersect(one.when, seen);
    };
    const auto doubtful = std::ranges::find_if(replay.doubtful, beside);
    // Each doubtful write took one unit. So there must be at least as many such writes as units
    // below zero.
    const bool enough = std::ranges::count_if(replay.doubtful, beside) >= -write.value[1];
    if (enough && !violation.explained_by_stall) violation.sentence += "; " + doubtful->why;
    if (enough) violation.fault = -1;
    violation.explained_by_stall = enough;
    return violation;
  }

  // Returns the hold of a write if its lease had expired at the answer. Returns null otherwise.
  const Hold* FindStaleHold(const Event& write) const {
    const Hold* hold = holds_.Find(write.hold);
    return hold != nullptr && hold->ExpiredBefore(write.at_ns) ? hold : nullptr;
  }

  // Blames `over` if only that write was under an expired lease. Otherwise blames `write`.
  [[nodiscard]] Violation DescribeWrite(const Event& write, const std::optional<Event>& over,
                                        const std::string& what) const {
    Violation violation{.key = KeyName(facts_, write.key),
                        .first = FindHoldRef(write.hold),
                        .from_ns = write.at_ns,
                        .to_ns = write.at_ns};
    const int32_t other = over ? over->client : 0;
    const Hold* stale = FindStaleHold(write);
    const Hold* stale_over = over ? FindStaleHold(*over) : nullptr;
    if (stale == nullptr && stale_over == nullptr) {
      const auto faults = FaultsBehind(
          disturbances_, {.at_ns = write.at_ns, .stale = write.client, .other = other});
      violation.fault = faults.empty() ? -1 : faults.front()->fault;
      violation.before_faults =
          fmt::format("{} {}; ", OwnerName(disturbances_, SessionOf(write)), what);
      violation.sentence = *violation.before_faults + FaultsClause(disturbances_, faults);
      return violation;
    }
    violation.stale = true;
    const StaleStory story =
        stale != nullptr
            ? TellStale(disturbances_, *stale, other, write.at_ns, write.at_ns)
            : TellStale(disturbances_, *stale_over, write.client, over->at_ns, over->at_ns);
    violation.fault = story.fault;
    violation.explained_by_stall = story.explained_by_stall;
    violation.sentence =
        stale != nullptr
            ? fmt::format("{}; it {}{}", story.text, what, story.suffix)
            : fmt::format("{}; it wrote stock {} at {}; {} {}{}", story.text, over->value[1],
                          At(over->at_ns), OwnerName(disturbances_, SessionOf(write)), what,
                          story.suffix);
    return violation;
  }

  std::optional<HoldRef> FindHoldRef(uint64_t id) const {
    const Hold* hold = holds_.Find(id);
    return hold == nullptr ? std::nullopt : std::optional(hold->Ref());
  }

  Scope scope_;
  const RunFacts& facts_;
  WriteMode mode_;
  const std::vector<ItemCount>& items_;
  const Holds& holds_;
  const Disturbances& disturbances_;
  ClaimFindings& found_;
  std::vector<ItemReplay> replays_;
  std::map<SessionId, Event> reads_;       // last read of each session
  std::map<SessionId, int64_t> asked_ns_;  // when each session invoked its last read
  StockStory story_;
};

}  // namespace

StockStory DescribeStockErrors(const Evidence& evidence, const std::vector<ItemCount>& items,
                               ClaimFindings& found) {
  StockReplayer replayer(evidence, items, found, StockReplayer::Scope::kWrongItems);
  for (const Event& event : evidence.history().events) replayer.ReplayEvent(event);
  return std::move(replayer).Finish();
}

std::string DescribeHiddenOverwrite(const Evidence& evidence, const std::vector<ItemCount>& items) {
  if (std::string rise = DescribeRise(evidence); !rise.empty()) return rise;
  if (!WasOneValueReadTwice(evidence.history())) return {};
  ClaimFindings found("orders", {.violations_told = 1});
  StockReplayer replayer(evidence, items, found, StockReplayer::Scope::kAllItems);
  for (const Event& event : evidence.history().events) replayer.ReplayEvent(event);
  std::move(replayer).Finish();
  return found.FirstSentence();
}

}  // namespace doublehold
