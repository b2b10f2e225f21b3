// What can be written in a [[fault]]: for `doublehold list fault-keys` and docs/faults.md, which
// have it from here.
#ifndef DOUBLEHOLD_FAULTS_KEYS_H_
#define DOUBLEHOLD_FAULTS_KEYS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

struct FaultKey {
  std::string_view name;
  std::string_view value;                   // its form: "a duration"; of a choice: empty
  std::vector<std::string_view> choices{};  // all of them, as the kinds' own checks have them
  std::string_view meaning;
  bool of_all = false;  // faults of every kind can have it
};

// Those that all faults have, then the others: each of some kind, and none of any kind that is
// missing here.
std::span<const FaultKey> FaultKeys();

// "`request`, `reply` or `both`: ... Of hold, drop.": all of it in one line.
std::string Describe(const FaultKey& key);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KEYS_H_
