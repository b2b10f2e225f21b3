// The options of a registered part (a lock, a workload): what there is, and the values of a run. An
// option that nobody declared is an error, so that a misspelt one cannot be silently ignored.
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
  std::string_view fallback;              // as a user would write it; durations may be in leases
  std::string_view help;                  // one line
  std::vector<std::string_view> choices;  // of kChoice
  int64_t least = 0;                      // of kInteger, kNumber
  int64_t most = INT64_MAX;
};

// Checks what was given against the specs and fills in what was not: afterwards every option is
// present. Durations come out in ns. `what` names the part in messages: "lock redlock".
Result<std::map<std::string, std::string>> CompleteOptions(
    std::string_view what, std::span<const OptionSpec> specs,
    const std::map<std::string, std::string>& given, Lease lease);

// Whether `values` could have come from there: every option present, none other, each of its kind.
Result<void> CheckCompleted(std::string_view what, std::span<const OptionSpec> specs,
                            const std::map<std::string, std::string>& values);

// Reads completed options; asking for one that is not there is a bug.
class Options {
 public:
  // The values outlive it.
  explicit Options(const std::map<std::string, std::string>& values);
  [[nodiscard]] bool Flag(std::string_view name) const { return Text(name) == "true"; }
  [[nodiscard]] Duration Span(std::string_view name) const { return Duration(Integer(name)); }
  [[nodiscard]] int64_t Integer(std::string_view name) const;
  [[nodiscard]] double Number(std::string_view name) const;
  [[nodiscard]] const std::string& Text(std::string_view name) const { return *Find(name).text; }

 private:
  struct Value {
    uint32_t mark = 0;  // of the name: two with different ones differ
    std::string_view name;
    const std::string* text = nullptr;
    std::optional<int64_t> integer{};  // where the text is one
  };
  static uint32_t MarkOf(std::string_view name);
  [[nodiscard]] const Value& Find(std::string_view name) const;

  std::vector<Value> values_;  // few: to look at each takes less than to make a key of a name
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_OPTIONS_H_
