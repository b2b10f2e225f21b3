// Finds the master of a Redis Cluster that has a key.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_

#include <string_view>

namespace doublehold {

constexpr int kSlots = 16'384;

// The slot of a key. Only a non-empty text between braces counts, if there is one.
int SlotOf(std::string_view key);

// Masters 1..`masters` share the slots evenly, in order. Returns the first slot of a master; for
// `masters` + 1 the number of slots.
inline int FirstSlotOf(int master, int masters) { return kSlots * (master - 1) / masters; }
int MasterOfKey(std::string_view key, int masters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_
