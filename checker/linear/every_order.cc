#include "checker/linear/every_order.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "checker/linear/plain_objects.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

// Whether both operations are of one process, and `first` was answered before `second` began.
bool ComesFirst(const std::vector<Operation>& operations, size_t first, size_t second) {
  const Operation& one = operations[first];
  const Operation& two = operations[second];
  if (one.process != two.process || one.indeterminate || one.returned > two.invoked) return false;
  const bool both_ways = (two.indeterminate ? two.invoked : two.returned) <= one.invoked;
  return !both_ways || first < second;
}

class EveryOrder {
 public:
  EveryOrder(const Model& model, const std::vector<Operation>& operations)
      : model_(model),
        object_(FindPlainObject(model.name)),
        operations_(operations),
        used_(operations.size()) {
    CHECK(object_ != nullptr);
  }

  // Whether the remaining operations can follow from this state. An operation may be next if no
  // remaining operation returned before its invocation.
  bool Extend(const PlainState& state) {
    bool all_certain_used = true;
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (used_[i]) continue;
      all_certain_used = all_certain_used && operations_[i].indeterminate;
      if (SomeoneComesBefore(i)) continue;
      PlainState next = state;
      if (!object_->take(next, model_.functions[operations_[i].function], operations_[i])) continue;
      used_[i] = true;
      const bool found = Extend(next);
      used_[i] = false;
      if (found) return true;
    }
    return all_certain_used;
  }

 private:
  [[nodiscard]] bool SomeoneComesBefore(size_t second) const {
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (used_[i] || i == second || operations_[i].indeterminate) continue;
      if (operations_[i].returned < operations_[second].invoked) return true;
      if (ComesFirst(operations_, i, second)) return true;
    }
    return false;
  }

  const Model& model_;
  const PlainObject* object_;
  const std::vector<Operation>& operations_;
  std::vector<bool> used_;
};

// A lock with a lease, used at whole instants only.
class EveryInstant {
 public:
  EveryInstant(const std::vector<Operation>& operations, int64_t grace)
      : operations_(operations), grace_(grace) {
    // No instant after the last event needs a trial: only operations of unknown outcome can take
    // effect there, and they change no answer.
    for (const Operation& one : operations) last_ = std::max({last_, one.returned, one.invoked});
  }

  // Whether the remaining operations can follow from `now` on. `owner` -1: nobody. The last owner's
  // lease ends at `end`; from then on it counts as over.
  bool Extend(uint32_t used, int64_t now, int32_t owner, int64_t end) {
    if (!seen_.insert({used, now, owner, end}).second) return false;
    bool all_certain_used = true;
    for (size_t i = 0; i < operations_.size(); ++i) {
      const Operation& one = operations_[i];
      if ((used >> i & 1) != 0) continue;
      all_certain_used = all_certain_used && one.indeterminate;
      if (SomeoneComesBefore(used, i)) continue;
      const int64_t latest = one.indeterminate ? last_ : one.returned;
      for (int64_t at = std::max(now, one.invoked); at <= latest; ++at) {
        if (TryAt(used | 1U << i, one, at, owner, end)) return true;
      }
    }
    return all_certain_used;
  }

 private:
  [[nodiscard]] bool SomeoneComesBefore(uint32_t used, size_t second) const {
    for (size_t i = 0; i < operations_.size(); ++i) {
      if ((used >> i & 1) == 0 && i != second && ComesFirst(operations_, i, second)) return true;
    }
    return false;
  }

  bool TryAt(uint32_t used, const Operation& one, int64_t at, int32_t owner, int64_t end) {
    if (one.function == 0) {
      const int64_t lease = one.argument[0];
      return (owner == -1 || at >= end) && Extend(used, at, one.process, at + lease);
    }
    if (one.function == 1)
      return owner == one.process && at <= end + grace_ && Extend(used, at, -1, 0);
    if (owner != one.process) return Extend(used, at, owner, end);
    return at >= end && Extend(used, at, -1, 0);
  }

  const std::vector<Operation>& operations_;
  const int64_t grace_;
  int64_t last_ = 0;
  std::set<std::tuple<uint32_t, int64_t, int32_t, int64_t>> seen_;
};

}  // namespace

bool CanBeOrdered(const Model& model, const ModelParameters& parameters,
                  const std::vector<Operation>& operations) {
  if (model.needs_times)
    return EveryInstant(operations, parameters.lease_grace.count()).Extend(0, 0, -1, 0);
  return EveryOrder(model, operations).Extend(PlainStart(parameters));
}

}  // namespace doublehold
