#include "lib/testing/mutants/mutants.h"

#include <algorithm>
#include <vector>

namespace doublehold {

std::span<const LockMutant> LockMutants() {
  static const std::vector<LockMutant> mutants = [] {
    std::vector<LockMutant> all;
    for (const auto some : {MutantsOfSetNxPx(), MutantsOfRedlock(), MutantsOfRedisson(),
                            MutantsOfOthers(), MutantsOfTheThirdFault()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return mutants;
}

const LockMutant* FindMutant(std::string_view name) {
  const auto found = std::ranges::find(LockMutants(), name, &LockMutant::name);
  return found == LockMutants().end() ? nullptr : &*found;
}

}  // namespace doublehold
