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

constexpr size_t kStatesReported = 4;
constexpr size_t kMaxSlots = 1024;
constexpr uint32_t kNoCall = UINT32_MAX;

// An invocation or a return. Each open operation has a slot: the lowest slot that is free at its
// invocation.
struct SearchEvent {
  uint32_t operation = 0;
  uint32_t slot = 0;
  bool returns = false;
};

struct SearchEvents {
  // In time order. Invocations precede returns of the same instant, so touching operations overlap.
  std::vector<SearchEvent> all;
  size_t slots = 0;               // number of slots in use
  std::vector<uint32_t> slot_of;  // by operation
};

// Order constraints: a process makes one call after the other.
struct ProcessOrder {
  // For operation X: the process's previous certain operation, if that one returned at the instant
  // at which X was invoked. Their times overlap, but the process makes one call at a time.
  std::vector<uint32_t> before;
  // For each operation: whether it is the last of its process, and the process's only operation of
  // unknown outcome.
  std::vector<bool> is_lone_unknown;
};

ProcessOrder FindProcessOrder(std::span<const Operation> operations) {
  std::vector<uint32_t> order(operations.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](uint32_t number) {
    const Operation& one = operations[number];
    return std::tuple(one.process, one.invoked, one.indeterminate ? one.invoked : one.returned);
  });
  ProcessOrder found{.before = std::vector<uint32_t>(operations.size(), kNoCall),
                     .is_lone_unknown = std::vector<bool>(operations.size())};
  uint32_t last = kNoCall;
  size_t unanswered = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const Operation& one = operations[order[i]];
    if (i == 0 || operations[order[i - 1]].process != one.process) {
      last = kNoCall;
      unanswered = 0;
    }
    if (last != kNoCall && operations[last].returned == one.invoked) found.before[order[i]] = last;
    if (!one.indeterminate) last = order[i];
    if (one.indeterminate) ++unanswered;
    const bool is_last = i + 1 == order.size() || operations[order[i + 1]].process != one.process;
    found.is_lone_unknown[order[i]] = is_last && one.indeterminate && unanswered == 1;
  }
  return found;
}

SearchEvents AssignSlots(std::span<const Operation> operations) {
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
  SearchEvents events;
  std::vector<uint32_t>& slot_of = events.slot_of;
  slot_of.resize(operations.size());
  std::vector<uint32_t> free;  // a heap, lowest first
  for (const At& at : order) {
    if (at.returns) {
      free.push_back(slot_of[at.operation]);
      std::ranges::push_heap(free, std::greater{});
    } else if (free.empty()) {
      slot_of[at.operation] = static_cast<uint32_t>(events.slots++);
    } else {
      std::ranges::pop_heap(free, std::greater{});
      slot_of[at.operation] = free.back();
      free.pop_back();
    }
    events.all.push_back({at.operation, slot_of[at.operation], at.returns});
  }
  return events;
}

// The set of open operations that are placed in the order, by slot.
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
  size_t event = 0;  // index of a return whose operation is not placed yet
  Placed<kWords> placed;
  ModelState state;
  bool operator==(const Configuration&) const = default;
  struct Hash {
    size_t operator()(const Configuration& at) const {
      size_t seed = at.event;
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
         std::span<const Operation> operations, const SearchLimits& limits, SearchEvents events)
      : model_(model),
        operations_(operations),
        limits_(limits),
        events_(std::move(events)),
        process_order_(FindProcessOrder(operations)),
        end_(static_cast<uint32_t>(operations.size())),
        unknown_head_(end_ + 1),
        is_open_(operations.size() + 2),
        before_(operations.size() + 2),
        after_(operations.size() + 2) {
    before_[end_] = after_[end_] = unknown_head_;
    before_[unknown_head_] = after_[unknown_head_] = end_;
    now_.state = model.initial(parameters);
  }

  SearchResult Run() {
    bool forward = true;
    for (;;) {
      if (forward) {
        Advance();
        if (now_.event == events_.all.size()) return MakeResult(Outcome::kValid);
        RecordProgress();
        forward = seen_.insert(now_).second;
        if (forward) {
          tries_.push_back({now_, model_.has_owners ? kNoCall : after_[end_]});
          memory_bytes_ += EstimateBytes(now_.state);
        }
        if (static_cast<int64_t>(seen_.size()) > limits_.configurations ||
            memory_bytes_ > limits_.memory_bytes) {
          SearchResult result = MakeResult(Outcome::kUnknown);
          result.reason = fmt::format("the search ended after {} configurations", seen_.size());
          return result;
        }
      }
      if (tries_.empty()) return MakeResult(Outcome::kViolated);
      Rewind(tries_.back().from.event);
      forward = Place(tries_.back());
      if (!forward) tries_.pop_back();
    }
  }

 private:
  using At = Configuration<kWords>;
  struct Try {
    At from;
    uint32_t next = 0;  // open operation to try; kNoCall: the returning operation, then all
  };

  // Approximate memory of a cached configuration, including the overhead of the hash set.
  static int64_t EstimateBytes(const ModelState& state) {
    constexpr size_t kInline = ModelState::static_capacity;
    const size_t outside = state.capacity() > kInline ? state.capacity() : 0;
    return static_cast<int64_t>(sizeof(At) + 4 * sizeof(void*) + outside * sizeof(int64_t));
  }

  // Advances to the next return whose operation is not placed.
  void Advance() {
    for (; now_.event < events_.all.size(); ++now_.event) {
      const SearchEvent& event = events_.all[now_.event];
      if (!event.returns) {
        const uint32_t last = operations_[event.operation].indeterminate ? end_ : unknown_head_;
        Link(before_[last], event.operation, last);
        continue;
      }
      if (!now_.placed.Has(event.slot)) break;
      now_.placed.Clear(event.slot);
      Unlink(event.operation);
    }
    opened_to_ = now_.event;
  }

  // Restores the open operations of an earlier event. Undoes later events in reverse order.
  void Rewind(size_t to) {
    for (; opened_to_ > to; --opened_to_) {
      const auto& [operation, slot, returns] = events_.all[opened_to_ - 1];
      returns ? Link(before_[operation], operation, after_[operation]) : Unlink(operation);
    }
  }

  void Link(uint32_t before, uint32_t operation, uint32_t after) {
    is_open_[operation] = true;
    before_[operation] = before;
    after_[operation] = after;
    after_[before] = before_[after] = operation;
  }

  // Keeps the operation's own links, so that Rewind can link it again.
  void Unlink(uint32_t operation) {
    is_open_[operation] = false;
    after_[before_[operation]] = after_[operation];
    before_[after_[operation]] = before_[operation];
  }

  // Places the next possible open operation, or returns false. Tries operations on data in the
  // order of invocation, in which they mostly take effect. (On Porcupine's kv logs of 50 clients
  // this order needs a third of the configurations of any other.) For models with owners, tries the
  // returning operation first, because a waiting acquire takes effect just before its return.
  bool Place(Try& attempt) {
    const uint32_t returning = events_.all[attempt.from.event].operation;
    while (attempt.next != end_) {
      const uint32_t one = attempt.next == kNoCall ? returning : attempt.next;
      attempt.next = after_[attempt.next == kNoCall ? end_ : one];
      if (!IsNext(attempt.from, one)) continue;
      const Operation& operation = operations_[one];
      if (operation.indeterminate && IsDuplicateUnknown(attempt.from, one)) continue;
      ModelState state = attempt.from.state;
      if (!model_.apply(state, operation)) continue;
      now_ = attempt.from;
      now_.state = std::move(state);
      now_.placed.Set(events_.slot_of[one]);
      return true;
    }
    return false;
  }

  // Whether an open operation may be placed next. Its process's earlier operations come first.
  [[nodiscard]] bool IsNext(const At& from, uint32_t operation) const {
    if (operation == unknown_head_ || from.placed.Has(events_.slot_of[operation])) return false;
    const uint32_t before = process_order_.before[operation];
    return before == kNoCall || !is_open_[before] || from.placed.Has(events_.slot_of[before]);
  }

  // Whether an operation of unknown outcome earlier in the ring has the same effect. The search
  // tries only the first such operation. In a model with owners, this requires that each of the two
  // is the only unknown operation, and the last operation, of its process. Neither process may hold
  // anything now.
  [[nodiscard]] bool IsDuplicateUnknown(const At& from, uint32_t operation) const {
    const Operation& one = operations_[operation];
    if (model_.has_owners && !ProcessDoesNothingElse(from, operation)) return false;
    for (uint32_t other = after_[unknown_head_]; other != operation; other = after_[other]) {
      if (!IsNext(from, other)) continue;
      const Operation& two = operations_[other];
      const bool same = two.function == one.function && two.argument == one.argument;
      if (same && (!model_.has_owners || ProcessDoesNothingElse(from, other))) return true;
    }
    return false;
  }

  [[nodiscard]] bool ProcessDoesNothingElse(const At& from, uint32_t operation) const {
    return process_order_.is_lone_unknown[operation] &&
           std::ranges::find(from.state, OwnerNumber(operations_[operation])) == from.state.end();
  }

  // Records the furthest event reached, and a few states at that event, for the explanation.
  void RecordProgress() {
    if (now_.event > furthest_ || furthest_states_.empty()) {
      furthest_ = now_.event;
      furthest_states_.clear();
      furthest_open_.clear();
      for (uint32_t operation = after_[end_]; operation != end_; operation = after_[operation]) {
        if (operation != unknown_head_ && operation != events_.all[furthest_].operation)
          furthest_open_.push_back(operation);
      }
    }
    if (now_.event == furthest_ && furthest_states_.size() < kStatesReported &&
        std::ranges::find(furthest_states_, now_.state) == furthest_states_.end()) {
      furthest_states_.push_back(now_.state);
    }
  }

  SearchResult MakeResult(Outcome outcome) {
    SearchResult result{.outcome = outcome, .reason = {}};
    result.configurations = static_cast<int64_t>(seen_.size());
    if (outcome != Outcome::kViolated) return result;
    result.stuck = events_.all[furthest_].operation;
    result.open = std::move(furthest_open_);
    result.states = std::move(furthest_states_);
    return result;
  }

  const Model& model_;
  const std::span<const Operation> operations_;
  const SearchLimits limits_;
  const SearchEvents events_;
  const ProcessOrder process_order_;
  // The open operations at event `opened_to_`, as a ring of two lists in order of invocation. From
  // `end_` to `unknown_head_`: operations that return. From `unknown_head_` to `end_`: operations
  // of unknown outcome.
  const uint32_t end_, unknown_head_;
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
  CHECK(limits.open_operations <= kMaxSlots);
  for (const Operation& operation : operations) {
    CHECK(operation.function < model.functions.size());
    CHECK(operation.indeterminate || operation.invoked <= operation.returned);
  }
  SearchEvents events = AssignSlots(operations);
  if (events.slots > limits.open_operations) {
    return {.reason = fmt::format("{} operations are open at once, those of unknown outcome "
                                  "included; at most {} are searched",
                                  events.slots, limits.open_operations)};
  }
  const auto run = [&]<size_t kWords>() {
    return Search<kWords>(model, parameters, operations, limits, std::move(events)).Run();
  };
  if (events.slots <= 64) return run.template operator()<1>();
  if (events.slots <= 256) return run.template operator()<4>();
  return run.template operator()<kMaxSlots / 64>();
}

}  // namespace doublehold
