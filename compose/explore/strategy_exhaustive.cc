// Runs every execution within the bounds once. Executions with fewer deviations come first.
//
// The lists of deviations form a tree. A child has one more deviation than its parent, at a
// question after the parent's last deviation. So the search reaches each list once.
//
// A round runs the children of the last round's executions. For each parent the frontier keeps its
// deviations and one byte for each open question. The places of open questions are consecutive, so
// only the first place is stored. The last level is by far the largest. The frontier does not keep
// it.

#include <algorithm>
#include <array>

#include "compose/explore/strategy.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

using sim::ChoiceKind;
using sim::Deviation;
using sim::Deviations;

constexpr uint8_t kOrderFlag = 0x80;  // set in a byte of open_ if the question is about an order

// The frontier: executions of one level whose children are still to be run.
class Parents {
 public:
  void Add(const Done& done) {
    for (const Deviation& deviation : done.deviations) deviations_.push_back(deviation);
    const uint32_t first = done.open.empty() ? 0 : done.open.front().at;
    entries_.push_back({.first_at = first, .open_begin = open_.size()});
    for (size_t i = 0; i < done.open.size(); ++i) {
      const auto& question = done.open[i];
      CHECK(question.count < kOrderFlag && question.at == first + i);
      const uint8_t kind = question.kind == ChoiceKind::kOrder ? kOrderFlag : uint8_t{0};
      open_.push_back(static_cast<uint8_t>(question.count | kind));
    }
  }
  [[nodiscard]] size_t size() const { return entries_.size(); }
  // Requires that each parent has `level` deviations.
  [[nodiscard]] Deviations DeviationsOf(size_t parent, size_t level) const {
    const auto begin = deviations_.begin() + static_cast<std::ptrdiff_t>(parent * level);
    return {begin, begin + static_cast<std::ptrdiff_t>(level)};
  }
  [[nodiscard]] Questions OpenOf(size_t parent) const {
    Questions questions;
    const Entry& entry = entries_[parent];
    const size_t end =
        parent + 1 < entries_.size() ? entries_[parent + 1].open_begin : open_.size();
    for (size_t i = entry.open_begin; i < end; ++i) {
      questions.push_back(
          {.at = entry.first_at + static_cast<uint32_t>(i - entry.open_begin),
           .count = static_cast<uint32_t>(open_[i] & ~kOrderFlag),
           .kind = (open_[i] & kOrderFlag) != 0 ? ChoiceKind::kOrder : ChoiceKind::kFault});
    }
    return questions;
  }
  [[nodiscard]] int64_t Bytes() const {
    return static_cast<int64_t>(deviations_.capacity() * sizeof(Deviation) + open_.capacity() +
                                entries_.capacity() * sizeof(Entry));
  }

 private:
  struct Entry {
    uint32_t first_at = 0;
    size_t open_begin = 0;
  };
  std::vector<Deviation> deviations_;
  std::vector<uint8_t> open_;
  std::vector<Entry> entries_;
};

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const Bounds& bounds) : bounds_(bounds) {}

  size_t NextRound() override {
    if (level_ < 0) {
      level_ = 0;
      return 1;
    }
    if (level_ == bounds_.depth + bounds_.delays) return 0;
    ++level_;
    parents_ = std::exchange(next_, Parents{});
    return parents_.size();
  }

  std::vector<Done> RunPart(size_t part, Worker& worker) const override {
    if (level_ == 0) return {Run({}, worker)};
    std::vector<Done> all;
    Deviations deviations = parents_.DeviationsOf(part, static_cast<size_t>(level_) - 1);
    for (const Deviation& next : NextDeviations(bounds_, deviations, parents_.OpenOf(part))) {
      deviations.push_back(next);
      all.push_back(Run(deviations, worker));
      deviations.pop_back();
    }
    return all;
  }

  void Take(const Done& done) override {
    if (done.is_within && level_ < bounds_.depth + bounds_.delays) next_.Add(done);
  }
  [[nodiscard]] int64_t KeptBytes() const override { return parents_.Bytes() + next_.Bytes(); }

 private:
  Done Run(const Deviations& deviations, Worker& worker) const {
    Done done{.deviations = deviations};
    worker.Run(done);
    if (level_ == bounds_.depth + bounds_.delays) done.open.clear();
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
