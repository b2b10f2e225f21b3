// The address of a server that somebody else has started: "redis://user@host:6379/0".
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

  bool operator==(const Endpoint&) const = default;
};

// Refuses, in one line, a URL with a password or with a scheme other than redis or rediss.
Result<Endpoint> ParseEndpoint(std::string_view url);
// "10.0.0.5:6379"
std::string Place(const Endpoint& endpoint);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_ENDPOINT_H_
