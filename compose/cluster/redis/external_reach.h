// How the run reaches a Redis server that it did not start: its address, encryption and login.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_REACH_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_REACH_H_

#include <string>
#include <vector>

#include "compose/cluster/service.h"
#include "compose/plan/endpoint.h"
#include "lib/base/address.h"
#include "lib/base/result.h"

namespace doublehold {

// How long the run waits for an answer, or for a server that must come back.
constexpr Duration kExternalPatience = std::chrono::seconds(5);
constexpr Duration kLookAgain = std::chrono::milliseconds(10);

// The commands that a new connection needs first: AUTH, SELECT. May contain the password.
std::vector<std::vector<std::string>> OpeningOf(const Endpoint& endpoint);
// The same commands for the proxy.
Greeting GreetingOf(const Endpoint& endpoint);
// Finds the IPv4 address of a host. May wait.
Result<std::string> Resolve(const std::string& host);
// Starts a program that encrypts, and returns where it listens. May wait.
Result<NodeAddress> Encrypt(const Service::Parts& parts, int node, const Endpoint& endpoint);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_REACH_H_
