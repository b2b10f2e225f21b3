// Locks that differ from the shipped ones by one plausible mistake each. The testbed must find each
// of them. No registry lists them; only tests make them.
#ifndef DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_
#define DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_

#include <memory>
#include <string_view>

#include "lib/locks/registry.h"

namespace doublehold {

struct LockMutant {
  std::string_view name;  // for example "no-px"
  std::string_view lock;  // the lock that it is a mutant of
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
};

// Returns null when no mutant has this name.
const LockMutant* FindMutant(std::string_view name);
std::span<const LockMutant> LockMutants();

// The mutants of each file; mutants.cc joins them.
std::span<const LockMutant> MutantsOfSetNxPx();
std::span<const LockMutant> MutantsOfRedlock();
std::span<const LockMutant> MutantsOfRedisson();
std::span<const LockMutant> MutantsOfOthers();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_TESTING_MUTANTS_MUTANTS_H_
