#include "checker/stock_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "checker/aftermath.h"
#include "checker/holds.h"
#include "checker/scene.h"
#include "checker/story.h"

namespace doublehold {
namespace {

// A write that was invoked. It may have happened before its reply says so, or without one.
struct Pending {
  Event invoked;
  bool happened = false;  // a later write has read what it wrote
};

// A write over a stock that it had not read. It should have left one less than it found; by as much
// as it left more, orders were lost. One that left less brought some of them back:
//
//   c1:  read 9                                 write 8            found 6, left 8, not 5: 3 lost
//   c2:         read 9 write 8 .. 7 .. write 6
//   c3:                                 read 6        write 5     found 8, left 5, not 7: 2 back
//
// So c1 cost one order, and c3 none. What all of them cost adds up to orders less the fall of the
// stock.
struct Overwrite {
  Event write;
  std::optional<Event> read;
  std::optional<Event> over;  // none: the initial stock
  Span over_when;
  int64_t stock = 0;  // that it overwrote
  int64_t from_ns = 0;
  int64_t lost = 0;
};

// A write that the machine made late, or that may come of such a one.
struct Doubtful {
  std::string why;
  Event write;
  Span when;  // it took effect somewhere in there
};

struct Replay {
  int64_t stock = 0;
  std::optional<Event> last;  // the write that left it; none: the initial stock
  Span last_when;             // it took effect somewhere in there
  std::vector<Pending> pending;
  std::vector<Doubtful> doubtful;
};

class Telling {
 public:
  enum class Of : uint8_t { kWrong, kEvery };  // which items

  Telling(const Evidence& evidence, const std::vector<ItemCount>& items, Stories& stories, Of of)
      : of_(of),
        facts_(evidence.facts()),
        mode_(WriteModeOf(evidence.facts())),
        items_(items),
        holds_(evidence.holds()),
        scene_(evidence.scene()),
        stories_(stories),
        replays_(items.size()),
        tale_{std::vector<bool>(items.size()), std::vector<int64_t>(items.size())} {
    for (size_t i = 0; i < items.size(); ++i) replays_[i].stock = items[i].initial;
  }

  void Take(const Event& event) {
    if (event.key >= items_.size() || (of_ == Of::kWrong && items_[event.key].Wrong() == 0)) return;
    if (event.op == Op::kRead && event.type == EventType::kOk) reads_[SessionOf(event)] = event;
    if (event.op != Op::kWrite || event.client <= kReferee) return;
    Replay& replay = replays_[event.key];
    if (event.type == EventType::kInvoke) replay.pending.push_back({.invoked = event});
    if (event.type == EventType::kFail) TakePending(replay, SessionOf(event));
    if (event.type == EventType::kInfo)
      NoteIfDoubtful(replay, event, event.at_ns + ToNs(facts_.lease));
    if (event.type != EventType::kOk) return;
    NoteIfDoubtful(replay, event, event.at_ns);
    const std::optional<Pending> pending = TakePending(replay, SessionOf(event));
    if (mode_ == WriteMode::kDecrement && event.value[1] < 0) TellBelowZero(event);
    if (mode_ != WriteMode::kReadThenSet) return;
    if (pending && pending->happened) return;  // in the order of writes already, by who read it
    const int64_t from_ns = pending ? pending->invoked.at_ns : event.at_ns;
    if (event.value[0] != replay.stock) Catch(replay, event.value[0]);
    if (event.value[0] != replay.stock) NoteOverwrite(event, from_ns, replay);
    replay.stock = event.value[1];
    replay.last = event;
    replay.last_when = {from_ns, event.at_ns};
  }

  StockTale Finish() && {
    const bool none_costs =
        std::ranges::all_of(overwrites_, [](const auto& o) { return o.lost <= 0; });
    for (const Overwrite& overwrite : overwrites_) {
      if (overwrite.lost > 0 || none_costs) TellOverwrite(overwrite);
    }
    return std::move(tale_);
  }

 private:
  static std::optional<Pending> TakePending(Replay& replay, const SessionId& session) {
    for (auto it = replay.pending.rbegin(); it != replay.pending.rend(); ++it) {
      if (SessionOf(it->invoked) != session) continue;
      const Pending pending = *it;
      replay.pending.erase(std::next(it).base());
      return pending;
    }
    return std::nullopt;
  }

  // A write that has not been answered may be what somebody read.
  static void Catch(Replay& replay, int64_t stock) {
    for (Pending& pending : replay.pending) {
      if (pending.happened || pending.invoked.value[1] != stock) continue;
      pending.happened = true;
      replay.stock = stock;
      replay.last = pending.invoked;
      replay.last_when = {pending.invoked.at_ns, pending.invoked.at_ns};
      return;
    }
  }

  void NoteIfDoubtful(Replay& replay, const Event& write, int64_t to_ns) const {
    std::string why = AftermathClause(scene_, holds_.Find(write.hold), nullptr, write.at_ns);
    if (const Hold* stale = StaleHoldOf(write); why.empty() && stale != nullptr) {
      const StaleStory story = TellStale(scene_, *stale, 0, write.at_ns, write.at_ns);
      if (story.by_stall) why = story.text + ", and may have written last";
    }
    if (why.empty()) return;
    const auto pending = std::ranges::find_if(replay.pending, [&write](const Pending& one) {
      return one.invoked.hold == write.hold && SessionOf(one.invoked) == SessionOf(write);
    });
    const int64_t from_ns = pending == replay.pending.end() ? write.at_ns : pending->invoked.at_ns;
    replay.doubtful.push_back({.why = std::move(why), .write = write, .when = {from_ns, to_ns}});
  }

  // Of writes that were under way together the order of the answers is not that in which they took effect: one that was
  // beside these two may be the one that should not have been, if it left what was read. Empty: none is doubtful.
  std::string DoubtAbout(const Overwrite& overwrite) const {
    const Span write{overwrite.from_ns, overwrite.write.at_ns};
    for (const Doubtful& doubtful : replays_[overwrite.write.key].doubtful) {
      const auto beside = [&doubtful](const Span& when) {
        return doubtful.when.from_ns <= when.to_ns && when.from_ns <= doubtful.when.to_ns;
      };
      const bool was_read = doubtful.write.value[1] == overwrite.write.value[0];
      const bool is_either = doubtful.write.hold == overwrite.write.hold ||
                             (overwrite.over && doubtful.write.hold == overwrite.over->hold);
      if (!was_read && !is_either) continue;
      if (beside(write) || (overwrite.over && beside(overwrite.over_when))) return doubtful.why;
    }
    return {};
  }

  void NoteOverwrite(const Event& write, int64_t from_ns, const Replay& replay) {
    Overwrite overwrite{.write = write,
                        .over = replay.last,
                        .over_when = replay.last_when,
                        .stock = replay.stock,
                        .from_ns = from_ns};
    const auto read = reads_.find(SessionOf(write));
    if (read != reads_.end() && read->second.value[0] == write.value[0])
      overwrite.read = read->second;
    overwrite.lost = write.value[1] - (replay.stock - 1);
    for (auto it = overwrites_.rbegin(); it != overwrites_.rend() && overwrite.lost < 0; ++it) {
      if (it->write.key != write.key) continue;
      const int64_t back = std::min(it->lost, -overwrite.lost);
      it->lost -= back;
      overwrite.lost += back;
    }
    overwrites_.push_back(overwrite);
  }

  void TellOverwrite(const Overwrite& overwrite) {
    const Event& write = overwrite.write;
    const int64_t lost = std::max<int64_t>(1, overwrite.lost);
    tale_.told[write.key] = true;
    tale_.explained[write.key] += lost;
    if (!stories_.Wanted()) return stories_.SawAt(write.at_ns);
    std::string what = fmt::format(
        "wrote stock {} at {} over {}", write.value[1], At(write.at_ns),
        overwrite.over
            ? fmt::format("{}'s {}", OwnerName(scene_, SessionOf(*overwrite.over)), overwrite.stock)
            : fmt::format("the initial {}", overwrite.stock));
    if (overwrite.read) {
      what += fmt::format(", having read {} at {}", write.value[0], At(overwrite.read->at_ns));
    }
    what += fmt::format(": {} {} lost", Counted(lost, "order"), lost == 1 ? "was" : "were");
    Violation violation = Explain(write, overwrite.over, what);
    const bool explained = violation.by_stall || violation.stale;
    if (const std::string doubt = explained ? "" : DoubtAbout(overwrite); !doubt.empty()) {
      violation.by_stall = true;
      violation.fault = -1;
      violation.sentence += "; " + doubt;
    }
    violation.from_ns = overwrite.from_ns;
    violation.count = lost;
    if (overwrite.over) violation.second = RefOf(overwrite.over->hold);
    stories_.Add(std::move(violation));
  }

  void TellBelowZero(const Event& write) {
    tale_.told[write.key] = true;
    if (!stories_.Wanted()) return stories_.SawAt(write.at_ns);
    stories_.Add(Explain(write, std::nullopt,
                         fmt::format("took the stock to {} at {}, having read {}", write.value[1],
                                     At(write.at_ns), write.value[0])));
  }

  // The hold under which a write was made, if its lease was over by then.
  const Hold* StaleHoldOf(const Event& write) const {
    const Hold* hold = holds_.Find(write.hold);
    const bool stale =
        hold != nullptr && !hold->LiveAt(write.at_ns) && hold->valid_until_ns < write.at_ns;
    return stale ? hold : nullptr;
  }

  // Either of two writes may be the one that should not have been: the later, or the one it was
  // made over, by a client whose lease was over before the later one's even began.
  Violation Explain(const Event& write, const std::optional<Event>& over, const std::string& what) {
    Violation violation{.key = KeyName(facts_, write.key),
                        .first = RefOf(write.hold),
                        .from_ns = write.at_ns,
                        .to_ns = write.at_ns};
    const int32_t other = over ? over->client : 0;
    const Hold* stale = StaleHoldOf(write);
    const Hold* stale_over = over ? StaleHoldOf(*over) : nullptr;
    if (stale == nullptr && stale_over == nullptr) {
      const auto faults =
          FaultsBehind(scene_, {.at_ns = write.at_ns, .stale = write.client, .other = other});
      violation.fault = faults.empty() ? -1 : faults.front()->fault;
      violation.sentence = fmt::format("{} {}; {}", OwnerName(scene_, SessionOf(write)), what,
                                       FaultsClause(scene_, faults));
      return violation;
    }
    violation.stale = true;
    const StaleStory story =
        stale != nullptr ? TellStale(scene_, *stale, other, write.at_ns, write.at_ns)
                         : TellStale(scene_, *stale_over, write.client, over->at_ns, over->at_ns);
    violation.fault = story.fault;
    violation.by_stall = story.by_stall;
    violation.sentence =
        stale != nullptr
            ? fmt::format("{}; it {}{}", story.text, what, story.suffix)
            : fmt::format("{}; it wrote stock {} at {}; {} {}{}", story.text, over->value[1],
                          At(over->at_ns), OwnerName(scene_, SessionOf(write)), what, story.suffix);
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
  const Scene& scene_;
  Stories& stories_;
  std::vector<Replay> replays_;
  std::vector<Overwrite> overwrites_;  // in the order in which they were confirmed
  std::map<SessionId, Event> reads_;   // the last of each session
  StockTale tale_;
};

// Whether two writes that may have been carried out started from one value. Where none did nothing was overwritten: take
// the first that wrote over what it had not read; until then the stock went down step by step, so one that it did not
// read started from the value that it read.
//
//   c1:  A-a=g=W------------w       read 5, written at once, and answered late
//   c2:            A-a=g=w          read 4: what c1 had written
bool OneValueWasReadTwice(const History& history) {
  std::map<std::pair<uint16_t, int64_t>, int> started;  // by item and the value that was read
  for (const Event& event : history.events) {
    if (event.op == Op::kLost) return true;  // perhaps
    if (event.op != Op::kWrite || event.client <= kReferee) continue;
    int& from = started[{event.key, event.value[0]}];
    if (event.type == EventType::kInvoke) ++from;
    if (event.type == EventType::kFail) --from;
  }
  return std::ranges::any_of(started, [](const auto& writes) { return writes.second > 1; });
}

// Nobody puts anything back: where more was seen than had been seen, or left by a write that was confirmed, another came
// late over it; and so did a confirmed write that had read more. Its sentence; empty when there is none.
//
//   c1:  A-a=g=W-?                   read 5; its 4 lands after c2's 3
//   c2:             A-a=g=w          read 4, wrote 3
//   final:                     4
std::string TellRise(const Evidence& evidence) {
  if (WriteModeOf(evidence.facts()) != WriteMode::kReadThenSet) return {};
  struct Least {
    int64_t stock = 0;
    int64_t at_ns = 0;
  };
  std::vector<Least> least(evidence.facts().keys.size(), {evidence.facts().initial_stock, 0});
  std::map<std::tuple<SessionId, Op, uint16_t>, Least> before;  // it was sent
  for (const Event& event : evidence.history().events) {
    const bool uses = event.op == Op::kRead || event.op == Op::kWrite;
    if (event.key >= least.size() || !(uses || event.op == Op::kFinal)) continue;
    Least& now = least[event.key];
    const std::tuple which(SessionOf(event), event.op, event.key);
    if (event.type == EventType::kInvoke) before[which] = now;
    if (event.type != EventType::kOk) continue;
    const auto sent = before.find(which);
    if (!uses || sent != before.end()) {
      const Least& known = uses ? sent->second : now;
      if (event.value[0] > known.stock) {
        return fmt::format("the stock {} {} at {}, and had been {} at {}",
                           event.op == Op::kWrite ? "that a write had read was" : "was",
                           event.value[0], At(event.at_ns), known.stock, At(known.at_ns));
      }
    }
    const int64_t left = event.value[event.op == Op::kWrite ? 1 : 0];
    if (left < now.stock) now = {left, event.at_ns};
  }
  return {};
}

}  // namespace

StockTale TellStock(const Evidence& evidence, const std::vector<ItemCount>& items,
                    Stories& stories) {
  Telling telling(evidence, items, stories, Telling::Of::kWrong);
  for (const Event& event : evidence.history().events) telling.Take(event);
  return std::move(telling).Finish();
}

std::string TellHiddenOverwrite(const Evidence& evidence, const std::vector<ItemCount>& items) {
  if (std::string rise = TellRise(evidence); !rise.empty()) return rise;
  if (!OneValueWasReadTwice(evidence.history())) return {};
  Stories stories(Limits{.violations_told = 1});
  Telling telling(evidence, items, stories, Telling::Of::kEvery);
  for (const Event& event : evidence.history().events) telling.Take(event);
  std::move(telling).Finish();
  return stories.FirstSentence();
}

}  // namespace doublehold
