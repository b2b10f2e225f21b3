// The options of a registered part (a lock, a workload): their declarations, and the values of a
// run. An undeclared option is an error, so that a misspelt one is not silently ignored.
#ifndef DOUBLEHOLD_LIB_BASE_OPTIONS_H_
#define DOUBLEHOLD_LIB_BASE_OPTIONS_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/time.h"

namespace doublehold {

struct OptionSpec {
  enum class Kind : uint8_t { kFlag, kDuration, kInteger, kNumber, kChoice };
  std::string_view name;
  Kind kind = Kind::kFlag;
  std::string_view fallback;              // in the user's syntax; a duration may be in leases
  std::string_view help;                  // one line
  std::vector<std::string_view> choices;  // for kChoice
  int64_t least = 0;                      // for kInteger and kNumber
  int64_t most = INT64_MAX;

  bool operator==(const OptionSpec&) const = default;
};

// Checks the given values and adds the defaults, so that every option is present. Durations become
// ns. `what` names the part in messages: "lock redlock".
Result<std::map<std::string, std::string>> CompleteOptions(
    std::string_view what, std::span<const OptionSpec> specs,
    const std::map<std::string, std::string>& given, Lease lease);

// Checks that `values` is a possible result of CompleteOptions: exactly the declared options, each
// of its kind.
Result<void> CheckCompleted(std::string_view what, std::span<const OptionSpec> specs,
                            const std::map<std::string, std::string>& values);

// Reads completed options. Asking for an undeclared option is a bug.
class Options {
 public:
  // `values` must outlive this object.
  explicit Options(const std::map<std::string, std::string>& values);
  [[nodiscard]] bool Flag(std::string_view name) const { return Text(name) == "true"; }
  [[nodiscard]] Duration Span(std::string_view name) const { return Duration(Integer(name)); }
  [[nodiscard]] int64_t Integer(std::string_view name) const;
  [[nodiscard]] double Number(std::string_view name) const;
  [[nodiscard]] const std::string& Text(std::string_view name) const { return *Find(name).text; }

 private:
  struct Value {
    uint32_t mark = 0;  // hash of the name; different hashes mean different names
    std::string_view name;
    const std::string* text = nullptr;
    std::optional<int64_t> integer{};  // if the text is an integer
  };
  static uint32_t MarkOf(std::string_view name);
  [[nodiscard]] const Value& Find(std::string_view name) const;

  std::vector<Value> values_;  // few values: a linear search is faster than building a key
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_OPTIONS_H_
