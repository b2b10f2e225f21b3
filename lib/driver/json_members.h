// The JSON objects of the driver protocol, taken apart strictly: a member that is missing, of
// another type or of no use is wrong, on either side of the protocol.
//
// What is wrong with a line is thrown (WrongLine), and caught where the line was taken. Pure.
#ifndef DOUBLEHOLD_LIB_DRIVER_JSON_MEMBERS_H_
#define DOUBLEHOLD_LIB_DRIVER_JSON_MEMBERS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lib/driver/answers.h"

namespace doublehold {

struct WrongLine : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
[[noreturn]] void Wrong(const std::string& why);

// A line that is one JSON object.
nlohmann::json ParsedObject(std::string_view line);

// An object with no members but those that are asked for. The object outlives it.
class Members {
 public:
  Members(const nlohmann::json& object, std::string what);

  // Null when it is not there.
  const nlohmann::json* Find(const char* name);
  const nlohmann::json& Get(const char* name);
  // Not empty.
  std::string Text(const char* name, size_t most = kLongestDriverLine);
  std::optional<int64_t> Whole(const char* name, int64_t least, int64_t most);
  int64_t NeededWhole(const char* name, int64_t least, int64_t most);
  bool Flag(const char* name);
  void CheckNothingElse() const;

 private:
  const nlohmann::json& object_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_JSON_MEMBERS_H_
