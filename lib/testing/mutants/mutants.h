// Mutants: locks that differ from the shipped locks by one plausible mistake each. The testbed must
// find each mistake. No registry lists the mutants. Only tests make them.
#ifndef DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_
#define DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_

#include <memory>
#include <string_view>

#include "lib/locks/registry.h"

namespace doublehold {

struct LockMutant {
  std::string_view name;  // for example "no-px"
  std::string_view lock;  // the lock from which the mutant differs
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
};

// Returns null when no mutant has this name.
const LockMutant* FindMutant(std::string_view name);
std::span<const LockMutant> LockMutants();

// Each function returns the mutants of one file. mutants.cc joins these lists.
std::span<const LockMutant> MutantsOfSetNxPx();
std::span<const LockMutant> MutantsOfRedlock();
std::span<const LockMutant> MutantsOfRedisson();
std::span<const LockMutant> MutantsOfOthers();
std::span<const LockMutant> MutantsOfTheThirdFault();  // need three faults

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_
