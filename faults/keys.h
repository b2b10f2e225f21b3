// The keys of a [[fault]]. `doublehold list fault-keys` and docs/faults.md are generated from here.
#ifndef DOUBLEHOLD_FAULTS_KEYS_H_
#define DOUBLEHOLD_FAULTS_KEYS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

struct FaultKey {
  std::string_view name;
  // The form of its value, such as "a duration". Empty if the key has choices.
  std::string_view value;
  std::vector<std::string_view> choices{};  // all accepted words, if the value is a word
  std::string_view meaning;
  bool of_all = false;  // every kind of fault has this key
};

// Returns the keys of all faults, then the keys of some kinds. Every key that a kind uses must be
// listed here.
std::span<const FaultKey> FaultKeys();

// Describes a key in one line: "a number, 1 or more: bytes that pass at a time (drip)".
std::string Describe(const FaultKey& key);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KEYS_H_
