// Runs every execution within the bounds once. Executions with fewer deviations come first.
//
// The lists of deviations form a tree. A child has one more deviation than its parent, at a
// question after the parent's last deviation. So the search reaches each list once.
//
// A round runs the children of the last round's executions. For each parent the frontier keeps its
// deviations and two bytes for each open question. The places of open questions are consecutive, so
// only the first place is stored. The last level is by far the largest. The frontier does not keep
// it.
//
// Equal states go on in the same way, so only the first execution that reaches a state goes on from
// it. The others are counted with their outcomes all the same.

#include <algorithm>
#include <climits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "compose/explore/strategy.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

using sim::ChoiceKind;
using sim::Deviation;
using sim::Deviations;

constexpr uint8_t kOrderFlag = 0x80;  // set in a byte of open_ if the question is about an order

// The frontier: executions of one level whose continuations are still to be run.
class Parents {
 public:
  // Keeps the open questions up to the first whose state an earlier execution has reached. From
  // there on, both executions go on in the same way, so the earlier one stands for both.
  void Add(const Done& done) {
    for (const Deviation& deviation : done.deviations) deviations_.push_back(deviation);
    const uint32_t first = done.open.empty() ? 0 : done.open.front().at;
    const auto number = static_cast<uint32_t>(entries_.size());
    entries_.push_back({.first_at = first,
                        .open_begin = open_.size(),
                        .stands_for = done.stands_for,
                        .outcomes_begin = outcomes_.size(),
                        .cut_off = done.cut_off});
    outcomes_.insert(outcomes_.end(), done.outcomes.begin(), done.outcomes.end());
    for (uint32_t i = 0; i < done.open.size(); ++i) {
      const auto& question = done.open[i];
      CHECK(question.count < kOrderFlag && question.at == first + i);
      if (!done.states.empty() && question.kind == ChoiceKind::kFault) {
        sim::StateDigest state = done.states[i].digest;
        state.Mix(done.used);
        const auto [reached, is_new] = reached_.try_emplace(state, Place{number, i});
        if (!is_new && reached->second.parent != number) {
          entries_.back().goes_on = reached->second;
          return;
        }
      }
      const uint8_t kind = question.kind == ChoiceKind::kOrder ? kOrderFlag : uint8_t{0};
      open_.push_back({.count = static_cast<uint8_t>(question.count | kind)});
      if (!done.states.empty()) open_.back().idle = static_cast<uint8_t>(done.states[i].idle);
    }
  }
  // Call when all executions of the level were added.
  void Settle() {
    reached_ = {};
    std::vector<int64_t> more(entries_.size());
    for (size_t i = entries_.size(); i-- > 0;) {
      if (!entries_[i].goes_on) continue;
      const Place at = *entries_[i].goes_on;
      joined_.push_back({.at = at, .stand_for = entries_[i].stands_for + more[i]});
      more[at.parent] += joined_.back().stand_for;
    }
    std::ranges::sort(joined_, {}, &Joined::at);
  }
  [[nodiscard]] size_t size() const { return entries_.size(); }
  // Requires that each parent has `level` deviations.
  [[nodiscard]] Deviations DeviationsOf(size_t parent, size_t level) const {
    const auto begin = deviations_.begin() + static_cast<std::ptrdiff_t>(parent * level);
    return {begin, begin + static_cast<std::ptrdiff_t>(level)};
  }
  // Without the answers that change nothing, unless `with_idle`.
  [[nodiscard]] Questions OpenOf(size_t parent, bool with_idle) const {
    Questions questions;
    uint32_t at = entries_[parent].first_at;
    for (const Open& open : PartOf(open_, parent, &Entry::open_begin)) {
      const uint32_t idle = with_idle ? 0 : open.idle;
      questions.push_back(
          {.at = at++,
           .count = static_cast<uint32_t>(open.count & ~kOrderFlag) - idle,
           .kind = (open.count & kOrderFlag) != 0 ? ChoiceKind::kOrder : ChoiceKind::kFault});
    }
    return questions;
  }
  // The continuations of a parent by one answer that changes nothing. They are judged as the parent
  // was. Requires that each parent has `level` deviations.
  [[nodiscard]] Done IdleOf(size_t parent, size_t level) const {
    const Entry& entry = entries_[parent];
    const std::span<const Outcome> outcomes = PartOf(outcomes_, parent, &Entry::outcomes_begin);
    Done done{.deviations = DeviationsOf(parent, level),
              .stands_for = 0,
              .is_run = false,
              .cut_off = entry.cut_off,
              .how_unusual = INT_MAX,  // the parent itself is shown before it
              .outcomes = {outcomes.begin(), outcomes.end()}};
    uint32_t at = entry.first_at;
    for (const Open& open : PartOf(open_, parent, &Entry::open_begin)) {
      if (open.idle > 0) done.stands_for += open.idle * StandsFor(parent, at);
      ++at;
    }
    return done;
  }
  // The number of executions for which a continuation of a parent at a question stands.
  [[nodiscard]] int64_t StandsFor(size_t parent, uint32_t question) const {
    int64_t all = entries_[parent].stands_for;
    const Place first{static_cast<uint32_t>(parent), 0};
    for (auto joined = std::ranges::lower_bound(joined_, first, {}, &Joined::at);
         joined != joined_.end() && joined->at.parent == parent &&
         entries_[parent].first_at + joined->at.question <= question;
         ++joined)
      all += joined->stand_for;
    return all;
  }
  [[nodiscard]] int64_t Bytes() const {
    constexpr size_t kReached = sizeof(sim::StateDigest) + sizeof(Place) + 3 * sizeof(void*);
    return static_cast<int64_t>(
        deviations_.capacity() * sizeof(Deviation) + open_.capacity() * sizeof(Open) +
        entries_.capacity() * sizeof(Entry) + outcomes_.capacity() * sizeof(Outcome) +
        reached_.size() * kReached + joined_.capacity() * sizeof(Joined));
  }

 private:
  // An open question of a parent, counted from its first.
  struct Place {
    uint32_t parent = 0;
    uint32_t question = 0;
    auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr): no null
  };
  struct Entry {
    uint32_t first_at = 0;
    size_t open_begin = 0;
    int64_t stands_for = 1;
    size_t outcomes_begin = 0;
    bool cut_off = false;
    std::optional<Place> goes_on{};  // the place from which another parent stands for it too
  };
  struct Joined {
    Place at;
    int64_t stand_for = 0;
  };
  struct FirstWord {
    size_t operator()(const sim::StateDigest& digest) const { return digest.first(); }
  };
  struct Open {
    uint8_t count = 0;
    uint8_t idle = 0;  // the number of its last answers that change nothing
  };
  // The part of a list of all parents that belongs to one parent.
  template <typename T>
  [[nodiscard]] std::span<const T> PartOf(const std::vector<T>& list, size_t parent,
                                          size_t Entry::*begins) const {
    const size_t begin = entries_[parent].*begins;
    const size_t end = parent + 1 < entries_.size() ? entries_[parent + 1].*begins : list.size();
    return std::span(list).subspan(begin, end - begin);
  }

  std::vector<Deviation> deviations_;
  std::vector<Open> open_;
  std::vector<Outcome> outcomes_;  // of each entry, one for each claim
  std::vector<Entry> entries_;
  std::unordered_map<sim::StateDigest, Place, FirstWord> reached_;  // until the level is complete
  std::vector<Joined> joined_;                                      // sorted
};

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const Bounds& bounds) : bounds_(bounds) {}

  size_t NextRound() override {
    if (level_ < 0) {
      level_ = 0;
      return 1;
    }
    if (IsLast()) return 0;
    ++level_;
    next_.Settle();
    parents_ = std::exchange(next_, Parents{});
    return parents_.size();
  }

  std::vector<Done> RunPart(size_t part, Worker& worker) const override {
    if (level_ == 0) return {Run({}, 1, worker)};
    std::vector<Done> all;
    const auto made = static_cast<size_t>(level_) - 1;
    Deviations deviations = parents_.DeviationsOf(part, made);
    // Executions of one fault are run, so that every place is struck.
    const bool skips_idle = IsLast() && made > 0 && bounds_.most.empty();
    if (skips_idle && MayFault(deviations)) all.push_back(parents_.IdleOf(part, made));
    for (const Deviation& next :
         NextDeviations(bounds_, deviations, parents_.OpenOf(part, !skips_idle))) {
      deviations.push_back(next);
      all.push_back(Run(deviations, parents_.StandsFor(part, next.at), worker));
      deviations.pop_back();
    }
    return all;
  }

  void Take(const Done& done) override {
    if (done.is_within && !IsLast()) next_.Add(done);
  }
  [[nodiscard]] int64_t KeptBytes() const override { return parents_.Bytes() + next_.Bytes(); }

 private:
  [[nodiscard]] bool IsLast() const { return level_ == bounds_.depth + bounds_.delays; }
  [[nodiscard]] bool MayFault(const Deviations& made) const {
    return std::ranges::count(made, ChoiceKind::kFault, &Deviation::kind) < bounds_.depth;
  }
  Done Run(const Deviations& deviations, int64_t stands_for, Worker& worker) const {
    Done done{.deviations = deviations, .stands_for = stands_for};
    worker.Run(done, bounds_.ComparesStates() && !IsLast());
    if (IsLast()) done.open.clear();
    return done;
  }
  const Bounds& bounds_;
  int level_ = -1;
  Parents parents_, next_;
};

}  // namespace

std::unique_ptr<Strategy> MakeExhaustive(const Bounds& bounds) {
  return std::make_unique<Exhaustive>(bounds);
}

}  // namespace doublehold
