// Servers that are installed by name (drivers/servers.toml): "redis@6.2", "etcd@3.6.16".
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_KEPT_SERVERS_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_KEPT_SERVERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

struct KeptServer {
  std::string name;  // "redis@6.2"; "etcd@VERSION" stands for every version
  std::string service;
  std::string summary;
};
// Returns the servers of drivers/servers.toml, read once. Safe to call from any thread.
const std::vector<KeptServer>& KeptServers();

// Whether the text names such a server, and not a file.
bool IsServerName(std::string_view text);

// Refuses a server that is unknown, or belongs to another service. An empty service fits any.
Result<void> CheckServer(const std::string& name, std::string_view service);
// Refuses the plan's server likewise.
Result<void> CheckServer(const Plan& plan);

// Installs a server unless it is installed, and returns the path of its program. May take minutes.
// Requires that CheckServer accepts the name.
Result<std::string> InstallServer(const std::string& name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_KEPT_SERVERS_H_
