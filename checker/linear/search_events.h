// Prepares operations for the search: their events in time order, and the order of each process.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_SEARCH_EVENTS_H_
#define DOUBLEHOLD_CHECKER_LINEAR_SEARCH_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/linear/operation.h"

namespace doublehold {

constexpr uint32_t kNoCall = UINT32_MAX;

// An invocation or a return. Each open operation has a slot of its own.
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

SearchEvents AssignSlots(std::span<const Operation> operations);
ProcessOrder FindProcessOrder(std::span<const Operation> operations);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_SEARCH_EVENTS_H_
