// Which master of a Redis Cluster keeps a key.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_

#include <string_view>

namespace doublehold {

constexpr int kSlots = 16'384;

// Of what is between braces, where there is something; else of the whole key.
int SlotOf(std::string_view key);

// Masters 1..`masters` share the slots evenly, in their order: the first slot of one of them, and
// of the one after the last.
inline int FirstSlotOf(int master, int masters) { return kSlots * (master - 1) / masters; }
int MasterOfKey(std::string_view key, int masters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_KEY_SLOTS_H_
