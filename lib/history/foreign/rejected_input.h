// The malformed input that a lenient reader skipped, and its possible effect on a verdict. A strict
// reader stops at the first malformed input instead.
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
  kGarbled,  // malformed or truncated
  kTooLong,  // a form larger than FormReader::kMostBytes
  kNotUtf8,
  kNoEvent,       // process, type or f is missing or invalid
  kNoTime,        // no time, although others have one
  kTimeGoesBack,  // time goes back, although the model needs times
  kIndexGoesBack,
  kUnknownFunction,
  kSecondOpen,     // an invocation by a process with an open operation
  kNoOpen,         // a completion by a process without an open operation
  kOtherFunction,  // a completion of a function that was not invoked
  kNoKey,          // no key although others have one, or a key although others have none
  kOtherKey,       // a completion with another key than the invocation
  kNoValue,        // a value that the model does not have
};
constexpr size_t kSkipReasons = 14;
std::string_view Name(SkipReason reason);

// The worst possible meaning of the skipped input.
enum class SkipWeight : uint8_t {
  kNothing,  // an operation without effect: every verdict stands
  // An observation or a reply. It could only make the history less valid: `violated` stands.
  kConstraint,
  kAnything,  // a change of the object: no verdict stands
};

// Not thread-safe.
class Skips {
 public:
  struct Count {
    int64_t count = 0;
    int64_t first_line = 0;
  };

  // `name` is the file's name in messages.
  Skips(std::string name, bool lenient) : name_(std::move(name)), lenient_(lenient) {}

  // If lenient, counts the problem and succeeds. If strict, returns the error "name:12: problem".
  Result<void> Add(int64_t line, SkipReason reason, SkipWeight weight, std::string_view problem);

  [[nodiscard]] const Count& Of(SkipReason reason) const {
    return counts_[static_cast<size_t>(reason)];
  }
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] SkipWeight weight() const { return weight_; }  // the worst weight so far
  // Returns, for example, "2 garbled (line 7 first), 1 too-long (line 12)".
  [[nodiscard]] std::string Summary() const;
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
