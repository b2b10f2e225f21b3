// Names of claims and events that have changed since version 0.1.0. Readers accept an old name for
// one release; writers write the new ones.
//
// To end that: delete this file, and what its functions are called for. The compiler finds it all
// but reports/old_names.py, which is the same table for the reports.
#ifndef DOUBLEHOLD_LIB_BASE_OLD_NAMES_H_
#define DOUBLEHOLD_LIB_BASE_OLD_NAMES_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace doublehold {

struct RenamedWord {
  std::string_view old_name;
  std::string_view new_name;
};

// One row a renamed claim ("told" is "release-result") or event ("settle" is "late-reply").
std::span<const RenamedWord> RenamedClaims();
std::span<const RenamedWord> RenamedEvents();

// The new name of a renamed claim; any other word as it is.
std::string CurrentClaimName(std::string_view name);
std::vector<std::string> CurrentClaimNames(std::vector<std::string> names);
// "'told' is the old name of 'release-result', which is given too". `claim` is a new name.
std::string ClaimGivenTwice(std::string_view claim);
// Puts what a table has of a claim under its new name. Returns an error where it has both names; ""
// otherwise.
template <typename T>
std::string UseCurrentClaimNames(std::map<std::string, T>& by_claim) {
  std::map<std::string, T> current;
  for (auto& [name, value] : by_claim) {
    const std::string claim = CurrentClaimName(name);
    if (!current.emplace(claim, std::move(value)).second) return ClaimGivenTwice(claim);
  }
  by_claim = std::move(current);
  return "";
}
// The new name of a renamed event; any other word as it is.
std::string CurrentEventName(std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_OLD_NAMES_H_
