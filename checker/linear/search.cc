#include "checker/linear/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/container_hash/hash.hpp>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "checker/linear/model_rows.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr size_t kStatesTold = 4;
constexpr size_t kMostSlots = 1024;
constexpr uint32_t kFree = UINT32_MAX;

// An invocation or a return. An open operation has a slot: the lowest that was free.
struct Moment {
  uint32_t operation = 0;
  uint32_t slot = 0;
  bool returns = false;
};

struct Moments {
  std::vector<Moment>
      all;  // in time order; at one instant invocations first: operations that touch overlap
  size_t slots = 0;
  std::vector<uint32_t> slot_of;
};

// A process makes one call after the other.
struct OfProcess {
  // For each operation: the previous certain operation of its process, if that one returned at the
  // very instant of this one's invocation. By their times the two overlap; the process orders them.
  std::vector<uint32_t> before;
  // For each operation of unknown outcome: whether it is the last of its process, and the only one
  // without an answer.
  std::vector<bool> ends;
};

OfProcess OfProcesses(std::span<const Operation> operations) {
  std::vector<uint32_t> order(operations.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](uint32_t number) {
    const Operation& one = operations[number];
    return std::tuple(one.process, one.invoked, one.indeterminate ? one.invoked : one.returned);
  });
  OfProcess found{.before = std::vector<uint32_t>(operations.size(), kFree),
                  .ends = std::vector<bool>(operations.size())};
  uint32_t last = kFree;
  size_t unanswered = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const Operation& one = operations[order[i]];
    if (i == 0 || operations[order[i - 1]].process != one.process) {
      last = kFree;
      unanswered = 0;
    }
    if (last != kFree && operations[last].returned == one.invoked) found.before[order[i]] = last;
    if (!one.indeterminate) last = order[i];
    if (one.indeterminate) ++unanswered;
    const bool is_last = i + 1 == order.size() || operations[order[i + 1]].process != one.process;
    found.ends[order[i]] = is_last && one.indeterminate && unanswered == 1;
  }
  return found;
}

Moments MomentsOf(std::span<const Operation> operations) {
  struct At {
    int64_t time = 0;
    bool returns = false;
    uint32_t operation = 0;
    auto operator<=>(const At&) const = default;  // NOLINT(modernize-use-nullptr): no null
  };
  std::vector<At> order;
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto number = static_cast<uint32_t>(i);
    order.push_back({operations[i].invoked, false, number});
    if (!operations[i].indeterminate) order.push_back({operations[i].returned, true, number});
  }
  std::ranges::sort(order);
  Moments moments;
  std::vector<uint32_t>& slot_of = moments.slot_of;
  slot_of.resize(operations.size());
  std::vector<uint32_t> free;  // a heap, lowest first
  for (const At& at : order) {
    if (at.returns) {
      free.push_back(slot_of[at.operation]);
      std::ranges::push_heap(free, std::greater{});
    } else if (free.empty()) {
      slot_of[at.operation] = static_cast<uint32_t>(moments.slots++);
    } else {
      std::ranges::pop_heap(free, std::greater{});
      slot_of[at.operation] = free.back();
      free.pop_back();
    }
    moments.all.push_back({at.operation, slot_of[at.operation], at.returns});
  }
  return moments;
}

// The set of open operations that have their place in the order.
template <size_t kWords>
struct Placed {
  std::array<uint64_t, kWords> words{};
  [[nodiscard]] bool Has(uint32_t slot) const { return (words[slot / 64] >> (slot % 64) & 1) != 0; }
  void Set(uint32_t slot) { words[slot / 64] |= uint64_t{1} << (slot % 64); }
  void Clear(uint32_t slot) { words[slot / 64] &= ~(uint64_t{1} << (slot % 64)); }
  bool operator==(const Placed&) const = default;
};

template <size_t kWords>
struct Configuration {
  size_t moment = 0;  // index of a return whose operation has no place yet
  Placed<kWords> placed;
  ModelState state;
  bool operator==(const Configuration&) const = default;
  struct Hash {
    size_t operator()(const Configuration& at) const {
      size_t seed = at.moment;
      boost::hash_range(seed, at.placed.words.begin(), at.placed.words.end());
      boost::hash_range(seed, at.state.begin(), at.state.end());
      return seed;
    }
  };
};

template <size_t kWords>
class Search {
 public:
  Search(const Model& model, const ModelParameters& parameters,
         std::span<const Operation> operations, const SearchLimits& limits, Moments moments)
      : model_(model),
        operations_(operations),
        limits_(limits),
        moments_(std::move(moments)),
        of_process_(OfProcesses(operations)),
        end_(static_cast<uint32_t>(operations.size())),
        perhaps_(end_ + 1),
        is_open_(operations.size() + 2),
        before_(operations.size() + 2),
        after_(operations.size() + 2) {
    before_[end_] = after_[end_] = perhaps_;
    before_[perhaps_] = after_[perhaps_] = end_;
    now_.state = model.initial(parameters);
  }

  SearchResult Run() {
    bool forward = true;
    for (;;) {
      if (forward) {
        Advance();
        if (now_.moment == moments_.all.size()) return Ended(Outcome::kValid);
        Note();
        forward = seen_.insert(now_).second;
        if (forward) {
          tries_.push_back({now_, model_.has_owners ? kFree : after_[end_]});
          memory_bytes_ += BytesOf(now_.state);
        }
        if (static_cast<int64_t>(seen_.size()) > limits_.configurations ||
            memory_bytes_ > limits_.memory_bytes) {
          SearchResult result = Ended(Outcome::kUnknown);
          result.reason = fmt::format("the search ended after {} configurations", seen_.size());
          return result;
        }
      }
      if (tries_.empty()) return Ended(Outcome::kViolated);
      Rewind(tries_.back().from.moment);
      forward = Place(tries_.back());
      if (!forward) tries_.pop_back();
    }
  }

 private:
  using At = Configuration<kWords>;
  struct Try {
    At from;
    uint32_t next = 0;  // next open operation; kFree: first the returning one, then all
  };

  // Approximate memory of a visited configuration, with what the hash set adds.
  static int64_t BytesOf(const ModelState& state) {
    constexpr size_t kInline = ModelState::static_capacity;
    const size_t outside = state.capacity() > kInline ? state.capacity() : 0;
    return static_cast<int64_t>(sizeof(At) + 4 * sizeof(void*) + outside * sizeof(int64_t));
  }

  // Advances to the next return whose operation has no place.
  void Advance() {
    for (; now_.moment < moments_.all.size(); ++now_.moment) {
      const Moment& moment = moments_.all[now_.moment];
      if (!moment.returns) {
        const uint32_t last = operations_[moment.operation].indeterminate ? end_ : perhaps_;
        Link(before_[last], moment.operation, last);
        continue;
      }
      if (!now_.placed.Has(moment.slot)) break;
      now_.placed.Clear(moment.slot);
      Unlink(moment.operation);
    }
    opened_to_ = now_.moment;
  }

  // Restores the open operations of an earlier moment: undoes later moments, the last first.
  void Rewind(size_t to) {
    for (; opened_to_ > to; --opened_to_) {
      const auto& [operation, slot, returns] = moments_.all[opened_to_ - 1];
      returns ? Link(before_[operation], operation, after_[operation]) : Unlink(operation);
    }
  }

  void Link(uint32_t before, uint32_t operation, uint32_t after) {
    is_open_[operation] = true;
    before_[operation] = before;
    after_[operation] = after;
    after_[before] = before_[after] = operation;
  }

  // The operation keeps its own links, so that Link can restore it.
  void Unlink(uint32_t operation) {
    is_open_[operation] = false;
    after_[before_[operation]] = after_[operation];
    before_[after_[operation]] = before_[operation];
  }

  // Gives the next possible open operation a place, or returns false. Operations on data mostly
  // take effect in the order of their invocation. (With Porcupine's kv logs of 50 clients this
  // order needs a third of the configurations of any other.) A waiting acquire takes effect just
  // before it returns, so for locks the returning operation is tried first.
  bool Place(Try& attempt) {
    const uint32_t returning = moments_.all[attempt.from.moment].operation;
    while (attempt.next != end_) {
      const uint32_t one = attempt.next == kFree ? returning : attempt.next;
      attempt.next = after_[attempt.next == kFree ? end_ : one];
      if (!IsNext(attempt.from, one)) continue;
      const Operation& operation = operations_[one];
      if (operation.indeterminate && AnotherDoesTheSame(attempt.from, one)) continue;
      ModelState state = attempt.from.state;
      if (!model_.apply(state, operation)) continue;
      now_ = attempt.from;
      now_.state = std::move(state);
      now_.placed.Set(moments_.slot_of[one]);
      return true;
    }
    return false;
  }

  // Whether an open operation may be next, given the order of its own process.
  [[nodiscard]] bool IsNext(const At& from, uint32_t operation) const {
    if (operation == perhaps_ || from.placed.Has(moments_.slot_of[operation])) return false;
    const uint32_t before = of_process_.before[operation];
    return before == kFree || !is_open_[before] || from.placed.Has(moments_.slot_of[before]);
  }

  // Only the first of equal operations of unknown outcome is tried: it stands for all of them. With
  // owners, this needs two operations whose processes do nothing else and hold nothing now.
  [[nodiscard]] bool AnotherDoesTheSame(const At& from, uint32_t operation) const {
    const Operation& one = operations_[operation];
    if (model_.has_owners && !IsNobodyElse(from, operation)) return false;
    for (uint32_t other = after_[perhaps_]; other != operation; other = after_[other]) {
      if (!IsNext(from, other)) continue;
      const Operation& two = operations_[other];
      const bool same = two.function == one.function && two.argument == one.argument;
      if (same && (!model_.has_owners || IsNobodyElse(from, other))) return true;
    }
    return false;
  }

  [[nodiscard]] bool IsNobodyElse(const At& from, uint32_t operation) const {
    return of_process_.ends[operation] &&
           std::ranges::find(from.state, OwnerOf(operations_[operation])) == from.state.end();
  }

  // Notes how far the search came, for the explanation.
  void Note() {
    if (now_.moment > furthest_ || furthest_states_.empty()) {
      furthest_ = now_.moment;
      furthest_states_.clear();
      furthest_open_.clear();
      for (uint32_t operation = after_[end_]; operation != end_; operation = after_[operation]) {
        if (operation != perhaps_ && operation != moments_.all[furthest_].operation)
          furthest_open_.push_back(operation);
      }
    }
    if (now_.moment == furthest_ && furthest_states_.size() < kStatesTold &&
        std::ranges::find(furthest_states_, now_.state) == furthest_states_.end()) {
      furthest_states_.push_back(now_.state);
    }
  }

  SearchResult Ended(Outcome outcome) {
    SearchResult result{.outcome = outcome, .reason = {}};
    result.configurations = static_cast<int64_t>(seen_.size());
    if (outcome != Outcome::kViolated) return result;
    result.stuck = moments_.all[furthest_].operation;
    result.open = std::move(furthest_open_);
    result.states = std::move(furthest_states_);
    return result;
  }

  const Model& model_;
  const std::span<const Operation> operations_;
  const SearchLimits limits_;
  const Moments moments_;
  const OfProcess of_process_;
  // The open operations at the moment opened_to_, as a ring. From `end_` to `perhaps_`: those that
  // must have a place. From `perhaps_` to `end_`: those of unknown outcome. Each part is in the
  // order of invocation.
  const uint32_t end_, perhaps_;
  std::vector<bool> is_open_;
  std::vector<uint32_t> before_, after_;
  size_t opened_to_ = 0;
  At now_;
  std::vector<Try> tries_;
  std::unordered_set<At, typename At::Hash> seen_;
  int64_t memory_bytes_ = 0;
  size_t furthest_ = 0;
  std::vector<size_t> furthest_open_;
  std::vector<ModelState> furthest_states_;
};

}  // namespace

SearchResult FindOrder(const Model& model, const ModelParameters& parameters,
                       std::span<const Operation> operations, const SearchLimits& limits) {
  CHECK(limits.open_operations <= kMostSlots);
  for (const Operation& operation : operations) {
    CHECK(operation.function < model.functions.size());
    CHECK(operation.indeterminate || operation.invoked <= operation.returned);
  }
  Moments moments = MomentsOf(operations);
  if (moments.slots > limits.open_operations) {
    return {.reason = fmt::format("{} operations are open at once, those of unknown outcome "
                                  "included; at most {} are searched",
                                  moments.slots, limits.open_operations)};
  }
  const auto run = [&]<size_t kWords>() {
    return Search<kWords>(model, parameters, operations, limits, std::move(moments)).Run();
  };
  if (moments.slots <= 64) return run.template operator()<1>();
  if (moments.slots <= 256) return run.template operator()<4>();
  return run.template operator()<kMostSlots / 64>();
}

}  // namespace doublehold
