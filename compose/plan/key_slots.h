// Finds the slot of a key, and the master of a Redis Cluster that has the key.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_

#include <string_view>

namespace doublehold {

constexpr int kSlots = 16'384;

// Returns the slot of a key. If the key has a non-empty text between braces, only this text is
// hashed.
int KeySlot(std::string_view key);

// Masters 1..`masters` share the slots evenly, in order. Returns the first slot of a master. For
// `masters` + 1, returns the number of slots.
inline int FirstSlot(int master, int masters) { return kSlots * (master - 1) / masters; }
int MasterOfKey(std::string_view key, int masters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_
