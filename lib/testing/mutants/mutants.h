// Locks as they are shipped but for one mistake each, that somebody could make: what the testbed
// has to find. In no registry; only tests make them.
#ifndef DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_
#define DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_

#include <memory>
#include <string_view>

#include "lib/locks/registry.h"

namespace doublehold {

struct LockMutant {
  std::string_view name;  // "no-px"
  std::string_view lock;  // of which it is one
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
};

// Null when there is none of that name.
const LockMutant* FindMutant(std::string_view name);
std::span<const LockMutant> LockMutants();

// Of each file its own; gathered in mutants.cc.
std::span<const LockMutant> MutantsOfSetNxPx();
std::span<const LockMutant> MutantsOfRedlock();
std::span<const LockMutant> MutantsOfRedisson();
std::span<const LockMutant> MutantsOfOthers();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_
