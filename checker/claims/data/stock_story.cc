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
struct Doubtful {
  std::string why;
  Event write;
  Span when;  // it took effect at some time in this span
};

// "1 order was"
std::string Were(int64_t orders) {
  return fmt::format("{} {}", Counted(orders, "order"), orders == 1 ? "was" : "were");
}

bool AreTogether(const Span& a, const Span& b) {
  return a.from_ns <= b.to_ns && b.from_ns <= a.to_ns;
}

struct Replay {
  explicit Replay(int64_t initial) : order(initial) {}
  WriteOrder order;
  // mode kDecrement: writes that took a unit, in the order of their answers
  std::vector<Event> taken;
  std::vector<Doubtful> doubtful;
};

class StockTelling {
 public:
  enum class Of : uint8_t { kWrong, kEvery };  // which items

  StockTelling(const Evidence& evidence, const std::vector<ItemCount>& items, ClaimFindings& found,
               Of of)
      : of_(of),
        facts_(evidence.facts()),
        mode_(WriteModeOf(evidence.facts())),
        items_(items),
        holds_(evidence.holds()),
        disturbances_(evidence.disturbances()),
        found_(found),
        tale_{std::vector<bool>(items.size()), std::vector<int64_t>(items.size())} {
    for (const ItemCount& item : items) replays_.emplace_back(item.initial);
  }

  void Take(const Event& event) {
    if (event.key >= items_.size() || (of_ == Of::kWrong && items_[event.key].Wrong() == 0)) return;
    if (event.op == Op::kRead && event.type == EventType::kInvoke)
      asked_ns_[SessionOf(event)] = event.at_ns;
    if (event.op == Op::kRead && event.type == EventType::kOk) reads_[SessionOf(event)] = event;
    Replay& replay = replays_[event.key];
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
      tale_.told[event.key] = true;
      found_.Violated(event.at_ns, [&] { return TellBelowZero(event); });
    }
    if (mode_ == WriteMode::kDecrement) replay.taken.push_back(event);
    if (mode_ != WriteMode::kReadThenSet) return replay.order.Forget(SessionOf(event));
    const auto read = reads_.find(SessionOf(event));
    replay.order.Confirm(event, read == reads_.end() ? std::nullopt : std::optional(read->second));
  }

  StockTale Finish() && {
    std::vector<const Overwrite*> all;
    for (const Replay& replay : replays_) {
      for (const Overwrite& overwrite : replay.order.overwrites())
        if (!overwrite.undone) all.push_back(&overwrite);
    }
    std::ranges::stable_sort(all, {}, [](const Overwrite* o) { return o->write.at_ns; });
    const bool none_costs = std::ranges::all_of(all, [](const auto* o) { return o->Cost() <= 0; });
    for (const Overwrite* overwrite : all) {
      if (overwrite->Cost() > 0 || none_costs) TellOverwrite(*overwrite);
    }
    return std::move(tale_);
  }

 private:
  void NoteIfDoubtful(Replay& replay, const Event& write, int64_t to_ns) const {
    std::string why = AftermathClause(disturbances_, holds_.Find(write.hold), nullptr, write.at_ns);
    if (const Hold* stale = StaleHoldOf(write); why.empty() && stale != nullptr) {
      const StaleStory story = TellStale(disturbances_, *stale, 0, write.at_ns, write.at_ns);
      if (story.explained_by_stall) why = story.text + ", and may have written last";
    }
    if (why.empty()) return;
    replay.doubtful.push_back(
        {.why = std::move(why), .write = write, .when = {replay.order.InvokedNs(write), to_ns}});
  }

  // Concurrent writes may have taken effect in another order than that of their answers. So a
  // doubtful write that was concurrent with this overwrite may be its cause, if it left the value
  // that was read. Empty: there is none.
  std::string DoubtAbout(const Overwrite& overwrite) const {
    const Span write{overwrite.from_ns, overwrite.write.at_ns};
    for (const Doubtful& doubtful : replays_[overwrite.write.key].doubtful) {
      const bool was_read = doubtful.write.value[1] == overwrite.write.value[0];
      const bool is_either = doubtful.write.hold == overwrite.write.hold ||
                             (overwrite.over && doubtful.write.hold == overwrite.over->hold);
      if (!was_read && !is_either) continue;
      const bool beside_over = overwrite.over && AreTogether(doubtful.when, overwrite.over_when);
      if (beside_over || AreTogether(doubtful.when, write)) return doubtful.why;
    }
    return {};
  }

  void TellOverwrite(const Overwrite& overwrite) {
    const Event& write = overwrite.write;
    const int64_t lost = std::max<int64_t>(1, overwrite.Cost());
    tale_.told[write.key] = true;
    tale_.explained[write.key] += lost;
    found_.Violated(write.at_ns, [&] { return Tell(overwrite, lost); });
  }

  [[nodiscard]] Violation Tell(const Overwrite& overwrite, int64_t lost) const {
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
    // Orders that this write undid, less those that later writes brought back.
    const int64_t undone = write.value[1] - (overwrite.stock - 1);
    const int64_t back = undone - overwrite.lost;
    what += back > 0 ? fmt::format(": {} undone, and {} of them brought back by later writes: ",
                                   Were(undone), back)
                     : ": ";
    what += Were(lost) + " lost";
    Violation violation = Explain(write, overwrite.over, what);
    const bool explained = violation.explained_by_stall || violation.stale;
    if (const std::string doubt = explained ? "" : DoubtAbout(overwrite); !doubt.empty()) {
      violation.explained_by_stall = true;
      violation.fault = -1;
      violation.sentence += "; " + doubt;
    }
    violation.from_ns = overwrite.from_ns;
    violation.count = lost;
    if (overwrite.over) violation.second = RefOf(overwrite.over->hold);
    return violation;
  }

  // A sale below zero had read a positive stock: others took units meanwhile, and one of them may
  // have been late.
  [[nodiscard]] Violation TellBelowZero(const Event& write) const {
    const Replay& replay = replays_[write.key];
    // The stock that it read may date from the invocation of the read.
    const auto asked = asked_ns_.find(SessionOf(write));
    const Span seen{asked == asked_ns_.end() ? write.at_ns : asked->second, write.at_ns};
    std::optional<Event> late;
    for (auto taken = replay.taken.rbegin(); taken != replay.taken.rend(); ++taken) {
      if (taken->at_ns < seen.from_ns) break;
      if (!late && StaleHoldOf(*taken) != nullptr) late = *taken;
    }
    Violation violation = Explain(write, late,
                                  fmt::format("took the stock to {} at {}, having read {}",
                                              write.value[1], At(write.at_ns), write.value[0]));
    if (late) violation.second = RefOf(late->hold);
    const auto beside = [&seen](const Doubtful& one) { return AreTogether(one.when, seen); };
    const auto doubtful = std::ranges::find_if(replay.doubtful, beside);
    // Each doubtful write took one unit.
    const bool enough = std::ranges::count_if(replay.doubtful, beside) >= -write.value[1];
    if (enough && !violation.explained_by_stall) violation.sentence += "; " + doubtful->why;
    if (enough) violation.fault = -1;
    violation.explained_by_stall = enough;
    return violation;
  }

  // The hold of a write, if its lease was over by then; else null.
  const Hold* StaleHoldOf(const Event& write) const {
    const Hold* hold = holds_.Find(write.hold);
    const bool stale =
        hold != nullptr && !hold->LiveAt(write.at_ns) && hold->valid_until_ns < write.at_ns;
    return stale ? hold : nullptr;
  }

  // Either of the two writes may be to blame: the later one, or the one that it overwrote, if that
  // one was written under an expired lease.
  [[nodiscard]] Violation Explain(const Event& write, const std::optional<Event>& over,
                                  const std::string& what) const {
    Violation violation{.key = KeyName(facts_, write.key),
                        .first = RefOf(write.hold),
                        .from_ns = write.at_ns,
                        .to_ns = write.at_ns};
    const int32_t other = over ? over->client : 0;
    const Hold* stale = StaleHoldOf(write);
    const Hold* stale_over = over ? StaleHoldOf(*over) : nullptr;
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

  std::optional<HoldRef> RefOf(uint64_t id) const {
    const Hold* hold = holds_.Find(id);
    return hold == nullptr ? std::nullopt : std::optional(hold->Ref());
  }

  Of of_;
  const RunFacts& facts_;
  WriteMode mode_;
  const std::vector<ItemCount>& items_;
  const Holds& holds_;
  const Disturbances& disturbances_;
  ClaimFindings& found_;
  std::vector<Replay> replays_;
  std::map<SessionId, Event> reads_;  // last read of each session
  std::map<SessionId, int64_t> asked_ns_;
  StockTale tale_;
};

}  // namespace

StockTale TellStock(const Evidence& evidence, const std::vector<ItemCount>& items,
                    ClaimFindings& found) {
  StockTelling telling(evidence, items, found, StockTelling::Of::kWrong);
  for (const Event& event : evidence.history().events) telling.Take(event);
  return std::move(telling).Finish();
}

std::string TellHiddenOverwrite(const Evidence& evidence, const std::vector<ItemCount>& items) {
  if (std::string rise = TellRise(evidence); !rise.empty()) return rise;
  if (!OneValueWasReadTwice(evidence.history())) return {};
  ClaimFindings found("orders", {.violations_told = 1});
  StockTelling telling(evidence, items, found, StockTelling::Of::kEvery);
  for (const Event& event : evidence.history().events) telling.Take(event);
  std::move(telling).Finish();
  return found.FirstSentence();
}

}  // namespace doublehold
