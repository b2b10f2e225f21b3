// The serving side of the driver protocol (docs/driver-protocol.md): parses a request line and
// formats its reply. As strict as the asking side (answers.h).
//
// Pure: no I/O and no waiting.
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
  int64_t protocol = 0;                          // for hello
  std::map<std::string, std::string> options{};  // for hello
  int client = 0;                                // for setup
  int sessions = 0;                              // for setup
  std::vector<DriverNode> nodes{};               // for setup
  uint64_t seed = 0;                             // for setup
  int session = 0;                               // for acquire, extend and release
  std::string key{};                             // for acquire
  Duration wait{};                               // for acquire
  bool reads = false;                            // for acquire
  Lease lease{};                                 // for setup, acquire and extend
  std::string grant{};                           // for extend and release
};

// Parses a line without its end.
std::variant<DriverRequest, BrokenLine> ParseRequest(std::string_view line);

// Returns the reply line, with its end. Leaves out fields that the kind or operation does not have.
std::string AnswerLine(uint64_t id, DriverOp op, const DriverAnswer& answer);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_REQUESTS_H_
