// The address of a real node.
#ifndef DOUBLEHOLD_LIB_BASE_ADDRESS_H_
#define DOUBLEHOLD_LIB_BASE_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace doublehold {

struct NodeAddress {
  std::string unix_path;  // used if not empty
  std::string host = "127.0.0.1";
  uint16_t port = 0;
};

// Parses the format of FormatAddress: "unix:/path" or "tcp:127.0.0.1:6379".
Result<NodeAddress> ParseAddress(std::string_view text);
std::string FormatAddress(const NodeAddress& address);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_ADDRESS_H_
