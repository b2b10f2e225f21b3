#include "compose/plan/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr int kMostDatabase = 10'000;

// Letters, digits and the punctuation of names; so a name needs no quoting anywhere.
bool IsPlain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

Result<Endpoint> ParseEndpoint(std::string_view url) {
  const auto bad = [](std::string_view shown) {
    return BadInput(
        fmt::format("'{}' is no endpoint (redis://host:6379, rediss://user@host:6379/0)", shown));
  };
  Endpoint endpoint;
  std::string_view rest = url;
  for (const auto& [scheme, tls] : {std::pair("redis://", false), std::pair("rediss://", true)}) {
    if (!url.starts_with(scheme)) continue;
    rest.remove_prefix(std::string_view(scheme).size());
    endpoint.tls = tls;
  }
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    endpoint.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (endpoint.user.find(':') != std::string::npos) {
      return BadInput(
          fmt::format("the endpoint of {} has a password, which every file of the run "
                      "would show; leave it out, and set {} in the environment",
                      rest, kPasswordVariable));
    }
    if (!IsPlain(endpoint.user)) return bad(url);
  }
  if (rest.size() == url.size()) return bad(url);  // neither "redis://" nor "rediss://"
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    const auto number = ReadNumber(database.empty() ? "0" : database);
    if (!number || *number < 0 || *number > kMostDatabase) return bad(url);
    endpoint.database = static_cast<int>(*number);
    rest = rest.substr(0, slash);
  }
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    const auto port = ReadNumber(rest.substr(colon + 1));
    if (!port || *port < 1 || *port > UINT16_MAX) return bad(url);
    endpoint.port = static_cast<uint16_t>(*port);
    rest = rest.substr(0, colon);
  }
  endpoint.host = rest;
  if (!IsPlain(endpoint.host)) return bad(url);
  return endpoint;
}

std::string Place(const Endpoint& endpoint) {
  return fmt::format("{}:{}", endpoint.host, endpoint.port);
}

}  // namespace doublehold
