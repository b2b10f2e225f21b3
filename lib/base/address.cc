#include "lib/base/address.h"

#include <fmt/format.h>

#include <charconv>

namespace doublehold {

Result<NodeAddress> ParseAddress(std::string_view text) {
  const auto bad = [text] {
    return BadInput(fmt::format("'{}' is not an address (unix:/path or tcp:127.0.0.1:6379)", text));
  };
  if (text.starts_with("unix:") && text.size() > 5) {
    return NodeAddress{.unix_path = std::string(text.substr(5)), .host = {}, .port = 0};
  }
  if (!text.starts_with("tcp:")) return bad();
  const std::string_view rest = text.substr(4);
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return bad();
  NodeAddress address{.unix_path = {}, .host = std::string(rest.substr(0, colon)), .port = 0};
  const std::string_view port = rest.substr(colon + 1);
  const auto [end, status] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (status != std::errc{} || end != port.data() + port.size() || address.port == 0) return bad();
  return address;
}

std::string FormatAddress(const NodeAddress& address) {
  if (!address.unix_path.empty()) return "unix:" + address.unix_path;
  return fmt::format("tcp:{}:{}", address.host, address.port);
}

}  // namespace doublehold
