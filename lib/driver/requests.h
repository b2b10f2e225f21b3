// The serving side of the driver protocol (docs/driver-protocol.md): what a line that asks a driver
// means, and the line that answers it. As strict as the asking side (answers.h).
//
// Pure: nothing is read, written or waited for.
#ifndef DOUBLEHOLD_LIB_DRIVER_REQUESTS_H_
#define DOUBLEHOLD_LIB_DRIVER_REQUESTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/base/time.h"
#include "lib/driver/answers.h"

namespace doublehold {

struct DriverNode {
  std::string host;
  uint16_t port = 0;
  bool operator==(const DriverNode&) const = default;
};

struct DriverRequest {
  uint64_t id = 0;
  DriverOp op{};
  int64_t protocol = 0;                          // of hello
  std::map<std::string, std::string> options{};  // likewise
  int client = 0;                                // of setup
  int sessions = 0;                              // likewise
  std::vector<DriverNode> nodes{};               // likewise
  uint64_t seed = 0;                             // likewise
  int session = 0;                               // of acquire, extend and release
  std::string key{};                             // of acquire
  Duration wait{};                               // likewise
  bool reads = false;                            // likewise
  Lease lease{};                                 // of setup, acquire and extend
  std::string grant{};                           // of extend and release
};

// A line, without its end.
std::variant<DriverRequest, BrokenLine> ParseRequest(std::string_view line);

// The line that answers it, with its end. What a kind or an op does not have is left out.
std::string AnswerLine(uint64_t id, DriverOp op, const DriverAnswer& answer);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_REQUESTS_H_
