#include "checker/stock_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "checker/aftermath.h"
#include "checker/holds.h"
#include "checker/scene.h"
#include "checker/stock_rise.h"
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
  std::vector<std::pair<size_t, int64_t>> brought_back{};  // of which overwrites, and how much
  bool undone = false;                                     // it was none: another came between
};

// A stock, and the write that left it; none: the initial one.
struct Left {
  int64_t stock = 0;
  std::optional<Event> last;
  Span last_when;  // it took effect somewhere in there
};

// A write that was confirmed, and over what.
struct Written {
  Event write;
  Span when;
  Left over;
  std::optional<size_t> overwrite{};  // its place among those
};

// A write that the machine made late, or that may come of such a one.
struct Doubtful {
  std::string why;
  Event write;
  Span when;  // it took effect somewhere in there
};

bool AreTogether(const Span& a, const Span& b) {
  return a.from_ns <= b.to_ns && b.from_ns <= a.to_ns;
}

struct Replay : Left {
  std::optional<Written> latest, before;  // the last two that were confirmed
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
    if (event.value[0] != replay.stock) Exchange(replay, event.value[0]);
    Confirm(event, {from_ns, event.at_ns}, replay);
  }

  StockTale Finish() && {
    const bool none_costs =
        std::ranges::all_of(overwrites_, [](const auto& o) { return o.lost <= 0; });
    for (const Overwrite& overwrite : overwrites_) {
      if (!overwrite.undone && (overwrite.lost > 0 || none_costs)) TellOverwrite(overwrite);
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

  void Confirm(const Event& write, const Span& when, Replay& replay) {
    Written written{.write = write, .when = when, .over = replay};
    if (write.value[0] != replay.stock) {
      written.overwrite = overwrites_.size();
      NoteOverwrite(write, when.from_ns, replay);
    }
    replay.before = std::exchange(replay.latest, written);
    static_cast<Left&>(replay) = {write.value[1], write, when};
  }

  // Of two writes that were under way together the one that was read afterwards came last, whichever was answered last:
  //
  //   c1:  W-----w                 wrote 7
  //   c2:   W------w               wrote 4
  //   c3:            A-a=g=W-w     read 7: so c1 wrote over c2's 4, and c3 over nothing
  void Exchange(Replay& replay, int64_t read) {
    if (!replay.before || replay.before->write.value[1] != read) return;
    const Written first = *replay.before;
    const Written second = *replay.latest;
    if (!AreTogether(first.when, second.when) || second.over.last != first.write) return;
    Undo(second);
    Undo(first);
    static_cast<Left&>(replay) = first.over;
    Confirm(second.write, second.when, replay);
    Confirm(first.write, first.when, replay);
  }

  // It stays in its place, and costs nothing.
  void Undo(const Written& written) {
    if (!written.overwrite) return;
    Overwrite& overwrite = overwrites_[*written.overwrite];
    for (const auto& [place, orders] : overwrite.brought_back) overwrites_[place].lost += orders;
    overwrite.lost = 0;
    overwrite.undone = true;
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
      const bool was_read = doubtful.write.value[1] == overwrite.write.value[0];
      const bool is_either = doubtful.write.hold == overwrite.write.hold ||
                             (overwrite.over && doubtful.write.hold == overwrite.over->hold);
      if (!was_read && !is_either) continue;
      const bool beside_over = overwrite.over && AreTogether(doubtful.when, overwrite.over_when);
      if (beside_over || AreTogether(doubtful.when, write)) return doubtful.why;
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
    for (size_t place = overwrites_.size(); place-- > 0 && overwrite.lost < 0;) {
      Overwrite& earlier = overwrites_[place];
      if (earlier.write.key != write.key || earlier.lost <= 0) continue;
      const int64_t back = std::min(earlier.lost, -overwrite.lost);
      earlier.lost -= back;
      overwrite.lost += back;
      overwrite.brought_back.emplace_back(place, back);
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
