#include "checker/testing/linear/every_order.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checker/testing/linear/plain_objects.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

// Whether both operations are of one process, and `first` returned no later than `second` was
// invoked. If this is true in both directions, only the operation with the lower index precedes the
// other.
bool PrecedesInProcess(const std::vector<Operation>& operations, size_t first, size_t second) {
  const Operation& one = operations[first];
  const Operation& two = operations[second];
  if (one.process != two.process || one.indeterminate || one.returned > two.invoked) return false;
  const bool both_ways = (two.indeterminate ? two.invoked : two.returned) <= one.invoked;
  return !both_ways || first < second;
}

class EveryOrder {
 public:
  EveryOrder(const Model& model, const std::vector<Operation>& operations)
      : model_(model), object_(*FindPlainObject(model.name)), operations_(operations) {
    CHECK(operations.size() < 32);
    // Instants after the last event are not tried. Only operations of unknown outcome can take
    // effect there, and no later operation depends on these.
    for (const Operation& one : operations) last_ = std::max({last_, one.returned, one.invoked});
  }

  // Whether the operations outside `used` can be ordered from this state. An operation may be next
  // if `used` contains each operation that must precede it.
  bool CanExtend(uint32_t used, const PlainState& state) {
    if (!seen_.insert({used, state}).second) return false;
    bool all_certain_used = true;
    for (size_t i = 0; i < operations_.size(); ++i) {
      const Operation& one = operations_[i];
      if ((used >> i & 1U) != 0) continue;
      all_certain_used = all_certain_used && one.indeterminate;
      if (HasPredecessor(used, i)) continue;
      // For a model that does not need times, one instant is enough.
      const int64_t first = model_.needs_times ? std::max(state.now, one.invoked) : 0;
      const int64_t last = model_.needs_times ? (one.indeterminate ? last_ : one.returned) : 0;
      for (int64_t at = first; at <= last; ++at) {
        PlainState next = state;
        next.now = at;
        const bool can = object_.apply(next, model_.functions[one.function], one);
        if (can && CanExtend(used | 1U << i, next)) return true;
      }
    }
    return all_certain_used;
  }

 private:
  [[nodiscard]] bool HasPredecessor(uint32_t used, size_t second) const {
    for (size_t i = 0; i < operations_.size(); ++i) {
      if ((used >> i & 1U) != 0 || i == second || operations_[i].indeterminate) continue;
      if (operations_[i].returned < operations_[second].invoked) return true;
      if (PrecedesInProcess(operations_, i, second)) return true;
    }
    return false;
  }

  const Model& model_;
  const PlainObject& object_;
  const std::vector<Operation>& operations_;
  int64_t last_ = 0;
  std::set<std::pair<uint32_t, PlainState>> seen_;
};

}  // namespace

bool CanBeOrdered(const Model& model, const ModelParameters& parameters,
                  const std::vector<Operation>& operations) {
  return EveryOrder(model, operations).CanExtend(0, InitialPlainState(parameters));
}

}  // namespace doublehold
