// Names of claims, events and causes that changed after version 0.1.0. Readers accept the old names
// for one release; writers use the new ones.
//
// To remove them, delete this file and the calls of its functions. The compiler finds all uses
// except reports/old_names.py, which has the same table for the reports.
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

// One row for each renamed claim ("told" is "release-result"), event ("settle" is "late-reply") or
// cause.
std::span<const RenamedWord> RenamedClaims();
std::span<const RenamedWord> RenamedEvents();
std::span<const RenamedWord> RenamedCauses();

// Returns the new name of a renamed claim. Returns any other word unchanged.
std::string CurrentClaimName(std::string_view name);
std::vector<std::string> CurrentClaimNames(std::vector<std::string> names);
// Returns "'told' is the old name of 'release-result', which is given too". `claim` is a new name.
std::string ClaimGivenTwice(std::string_view claim);
// Renames the claims in a table. Returns an error if the table has both names of a claim. Otherwise
// returns "".
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
// Like CurrentClaimName, for the name of an event and for names of causes.
std::string CurrentEventName(std::string_view name);
std::vector<std::string> CurrentCauseNames(std::vector<std::string> names);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_OLD_NAMES_H_
