// The address of a server that somebody else has started: "redis://user@host:6379/0", or
// "redis-sentinel://user@host:26379/0#name" for the primary that a sentinel knows by a name.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_ENDPOINT_H_
#define DOUBLEHOLD_COMPOSE_PLAN_ENDPOINT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace doublehold {

// The environment variable with the password of all endpoints. A plan, a report and a list of
// processes show no password.
constexpr const char* kPasswordVariable = "DOUBLEHOLD_PASSWORD";

struct Endpoint {
  std::string user;  // empty: the server's default user
  std::string host;  // a name, or an address of IPv4
  uint16_t port = 6379;
  int database = 0;
  bool tls = false;  // "rediss://"
  // The name of the primary, if host and port are those of a sentinel.
  std::string primary{};

  bool operator==(const Endpoint&) const = default;
};

// Whether a text has only letters, digits, '.', '-' and '_', so that it needs no quoting anywhere.
bool IsPlainName(std::string_view text);
// Refuses, in one line, a URL with a password or with another scheme.
Result<Endpoint> ParseEndpoint(std::string_view url);
// "10.0.0.5:6379", "10.0.0.5:26379#name"
std::string Place(const Endpoint& endpoint);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_ENDPOINT_H_
