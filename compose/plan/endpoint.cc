#include "compose/plan/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr int kMostDatabase = 10'000;
constexpr uint16_t kSentinelPort = 26379;  // the usual one
constexpr std::string_view kEncrypted = "rediss://";
constexpr std::string_view kOfSentinel = "redis-sentinel://";
// Whether the text is an address of IPv6, with or without brackets and a port.
bool IsIpv6(std::string_view text) {
  const auto fits = [](unsigned char c) { return std::isxdigit(c) != 0 || c == ':' || c == '.'; };
  return text.starts_with('[') ||
         (std::ranges::count(text, ':') > 1 && std::ranges::all_of(text, fits));
}

constexpr std::array kSchemes{std::string_view("redis://"), kEncrypted, kOfSentinel};

}  // namespace

bool IsPlainName(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
  });
}

Result<Endpoint> ParseEndpoint(std::string_view url) {
  // Shows nothing of what may be a user's password.
  const std::string_view shown = url.substr(url.rfind('@') + 1);
  const auto bad = [&] {
    return BadInput(
        fmt::format("'{}{}' is no endpoint (redis://host:6379, rediss://user@host:6379/0, "
                    "redis-sentinel://host:26379#primary)",
                    shown.size() < url.size() ? "..." : "", Shortened(shown)));
  };
  const auto* scheme =
      std::ranges::find_if(kSchemes, [&](std::string_view name) { return url.starts_with(name); });
  if (scheme == kSchemes.end()) return bad();
  Endpoint endpoint{.tls = *scheme == kEncrypted};
  std::string_view rest = url.substr(scheme->size());
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    endpoint.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (endpoint.user.find(':') != std::string::npos) {
      return BadInput(
          fmt::format("the endpoint of {} has a password, which every file of the run "
                      "would show; leave it out, and set {} in the environment",
                      Shortened(rest), kPasswordVariable));
    }
    if (!IsPlainName(endpoint.user)) return bad();
  }
  if (*scheme == kOfSentinel) {
    const size_t name = rest.find('#');
    if (name == std::string_view::npos || !IsPlainName(rest.substr(name + 1))) return bad();
    endpoint.port = kSentinelPort;
    endpoint.primary = rest.substr(name + 1);
    rest = rest.substr(0, name);
  }
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    const std::optional<int> number = ReadNumber(database.empty() ? "0" : database);
    if (!number || *number < 0 || *number > kMostDatabase) return bad();
    endpoint.database = *number;
    rest = rest.substr(0, slash);
  }
  if (IsIpv6(rest))
    return BadInput(
        fmt::format("the endpoint of {} has an address of IPv6, which is not "
                    "supported; use a host name or an address of IPv4",
                    Shortened(rest)));
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    const std::optional<int> port = ReadNumber(rest.substr(colon + 1));
    if (!port || *port < 1 || *port > UINT16_MAX) return bad();
    endpoint.port = static_cast<uint16_t>(*port);
    rest = rest.substr(0, colon);
  }
  endpoint.host = rest;
  if (!IsPlainName(endpoint.host)) return bad();
  return endpoint;
}

std::string Place(const Endpoint& endpoint) {
  return fmt::format("{}:{}{}{}", endpoint.host, endpoint.port, endpoint.primary.empty() ? "" : "#",
                     endpoint.primary);
}

}  // namespace doublehold
