// What a reader passed over because it made no sense, and what that may hide. A strict reader stops
// at the first instead.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_REJECTED_INPUT_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_REJECTED_INPUT_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/result.h"

namespace doublehold {

enum class SkipReason : uint8_t {
  kGarbled,  // not of the format, or cut off
  kTooLong,  // a form of more than FormReader::kMostBytes
  kNotUtf8,
  kNoEvent,       // without process, type or f, or with one that cannot be
  kNoTime,        // where others have one
  kTimeGoesBack,  // where a model needs times
  kIndexGoesBack,
  kUnknownFunction,
  kSecondOpen,     // an invocation of a process that has an open operation
  kNoOpen,         // a completion of a process that has none
  kOtherFunction,  // a completion of something else than was begun
  kNoKey,          // where others have one, or not where others have it
  kOtherKey,       // a completion under another key than that of what was begun
  kNoValue,        // a value that is none of those that the model has
};
constexpr size_t kSkipReasons = 14;
std::string_view Name(SkipReason reason);

// What it can have been, at worst.
enum class SkipWeight : uint8_t {
  kNothing,     // something that did not happen: any verdict stands
  kConstraint,  // something that was seen, or an answer: with it less would be valid, so that what is violated stays violated
  kAnything,    // something that changed the object: without it neither verdict stands
};

// Not thread-safe.
class Skips {
 public:
  struct Count {
    int64_t count = 0;
    int64_t first_line = 0;
  };

  // `name` is what messages call the file.
  Skips(std::string name, bool lenient) : name_(std::move(name)), lenient_(lenient) {}

  // Lenient: counted. Strict: the error "name:12: problem".
  Result<void> Add(int64_t line, SkipReason reason, SkipWeight weight, std::string_view problem);

  [[nodiscard]] const Count& Of(SkipReason reason) const {
    return counts_[static_cast<size_t>(reason)];
  }
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] SkipWeight weight() const { return weight_; }  // the worst of all
  // "2 not of the format (first in line 7), 1 ..."
  [[nodiscard]] std::string Told() const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  bool lenient_;
  int64_t count_ = 0;
  SkipWeight weight_ = SkipWeight::kNothing;
  std::array<Count, kSkipReasons> counts_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_REJECTED_INPUT_H_
