// How a client finds the node to talk to. The connection asks the route each time it opens, and
// reports failures and redirections to it.
#ifndef DOUBLEHOLD_LIB_REDIS_ROUTE_H_
#define DOUBLEHOLD_LIB_REDIS_ROUTE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/address.h"
#include "lib/base/time.h"

namespace doublehold {

// The sentinels' name for the master.
constexpr std::string_view kMasterName = "doublehold";

// The servers among which clients find the master. Servers know each other by announced ports.
// Clients use the addresses of their own links instead.
struct Roster {
  // Announced ports by node number; [0] is unused. Empty if there is no master to follow.
  std::vector<uint16_t> announced;
  std::vector<NodeAddress> sentinels;  // empty in a cluster
};

// The route of one connection. Not thread-safe.
class Route {
 public:
  virtual ~Route() = default;

  // Returns the address to connect to, or a short reason why it is not known.
  virtual tl::expected<NodeAddress, std::string> Find(Deadline deadline) = 0;
  // Call when the node could not be reached, or the connection broke.
  virtual void Lost() {}
  // Call with a server's error. Returns true if the error redirects the client to another node. The
  // next Find returns that node.
  virtual bool Redirected(std::string_view error) {
    (void)error;
    return false;
  }
  // Like Redirected, but for one command only. Returns the node that accepts the command after
  // ASKING. Later commands use the old route.
  virtual std::optional<NodeAddress> AskedFor(std::string_view error) {
    (void)error;
    return std::nullopt;
  }
};

std::unique_ptr<Route> FixedRoute(NodeAddress address);
// Finds the master through sentinels, or through the servers of a cluster. `addresses` is indexed
// by node number. Both arguments must outlive the route.
std::unique_ptr<Route> RouteToMaster(const std::vector<NodeAddress>& addresses,
                                     const Roster& roster);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_ROUTE_H_
