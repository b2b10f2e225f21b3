#include "checker/linear/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/container_hash/hash.hpp>
#include <unordered_map>
#include <utility>

#include "checker/linear/model_rows.h"
#include "checker/linear/search_events.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr size_t kStatesReported = 4;
constexpr size_t kMaxSlots = 1024;

// The set of open operations that are placed in the order, by slot.
template <size_t kWords>
struct Placed {
  std::array<uint64_t, kWords> words{};
  [[nodiscard]] bool Has(uint32_t slot) const { return (words[slot / 64] >> (slot % 64) & 1) != 0; }
  void Set(uint32_t slot) { words[slot / 64] |= uint64_t{1} << (slot % 64); }
  void Clear(uint32_t slot) { words[slot / 64] &= ~(uint64_t{1} << (slot % 64)); }
  [[nodiscard]] Placed Without(const Placed& other) const {
    Placed rest = *this;
    for (size_t i = 0; i < kWords; ++i) rest.words[i] &= ~other.words[i];
    return rest;
  }
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
        before_(is_open_.size()),
        after_(is_open_.size()) {
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
        forward = Visit();
        if (forward) {
          tries_.push_back({now_, last_is_unknown_, model_.has_owners ? kNoCall : after_[end_]});
          ++configurations_;
          memory_bytes_ += EstimateBytes(now_.state);
        }
        if (configurations_ > limits_.configurations || memory_bytes_ > limits_.memory_bytes) {
          SearchResult result = MakeResult(Outcome::kUnknown);
          result.reason = fmt::format("the search ended after {} configurations", configurations_);
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
    bool last_is_unknown = false;  // whether the last placed operation has an unknown outcome
    uint32_t next = 0;  // open operation to try; kNoCall: the returning operation, then all
  };
  using Seen =
      std::unordered_map<At, boost::container::small_vector<Placed<kWords>, 1>, typename At::Hash>;

  // Caches the configuration. Returns false if a cached one leads as far: the same operations are
  // placed there, except that some of unknown outcome are still open.
  bool Visit() {
    const Placed<kWords> certain = now_.placed.Without(unknown_);
    const Placed<kWords> unknown = now_.placed.Without(certain);
    const At key{now_.event, certain, now_.state};
    auto& noted = seen_[key];
    const auto leads_as_far = [&](const Placed<kWords>& one) {
      return one.Without(unknown) == Placed<kWords>{};
    };
    if (std::ranges::any_of(noted, leads_as_far)) return false;
    noted.push_back(unknown);
    return true;
  }

  // Approximate memory of a cached configuration, including the overhead of the hash map.
  static int64_t EstimateBytes(const ModelState& state) {
    constexpr size_t kInline = ModelState::static_capacity;
    const size_t outside = state.capacity() > kInline ? state.capacity() : 0;
    return static_cast<int64_t>(sizeof(typename Seen::value_type) + 4 * sizeof(void*) +
                                outside * sizeof(int64_t));
  }

  // Advances to the next return whose operation is not placed.
  void Advance() {
    for (; now_.event < events_.all.size(); ++now_.event) {
      const SearchEvent& event = events_.all[now_.event];
      if (!event.returns) {
        const bool unknown = operations_[event.operation].indeterminate;
        const uint32_t last = unknown ? end_ : unknown_head_;
        Link(before_[last], event.operation, last);
        if (unknown) unknown_.Set(event.slot);
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
      if (operations_[operation].indeterminate) unknown_.Clear(slot);
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
      // tries_ has the configuration before the last placed operation just below this one.
      if (attempt.last_is_unknown &&
          LeadsTo(tries_[tries_.size() - 2].from.state, operation, state))
        continue;
      if (operation.indeterminate && !IsNeeded(attempt.from, one, state)) continue;
      last_is_unknown_ = operation.indeterminate;
      now_ = attempt.from;
      now_.state = std::move(state);
      now_.placed.Set(events_.slot_of[one]);
      return true;
    }
    return false;
  }

  [[nodiscard]] bool LeadsTo(ModelState from, const Operation& operation,
                             const ModelState& to) const {
    return model_.apply(from, operation) && from == to;
  }

  // Whether some open operation needs `unknown`, which leads to `state`: it can follow, but without
  // `unknown` it cannot, or leads elsewhere.
  [[nodiscard]] bool IsNeeded(const At& from, uint32_t unknown, const ModelState& state) const {
    for (uint32_t next = after_[end_]; next != end_; next = after_[next]) {
      if (next == unknown || !IsNext(from, next)) continue;
      ModelState then = state;
      if (!model_.apply(then, operations_[next])) continue;
      if (!LeadsTo(from.state, operations_[next], then)) return true;
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
    result.configurations = configurations_;
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
  bool last_is_unknown_ = false;  // whether `now_` was reached by an operation of unknown outcome
  Placed<kWords> unknown_;        // the open operations of unknown outcome
  // The visited configurations without their placed operations of unknown outcome; for each, the
  // sets of these operations.
  Seen seen_;
  int64_t configurations_ = 0;
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
