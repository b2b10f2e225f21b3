// How a client finds the node that it is to talk to: it is asked each time that a connection is
// opened, and told what became of it.
#ifndef DOUBLEHOLD_LIB_REDIS_ROUTE_H_
#define DOUBLEHOLD_LIB_REDIS_ROUTE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/time.h"
#include "lib/redis/address.h"

namespace doublehold {

// The name by which sentinels know the master.
constexpr std::string_view kMasterName = "doublehold";

// What is known of servers of which clients follow the master. They call each other by ports that
// clients do not use: a client has links of its own.
struct Roster {
  std::vector<uint16_t> announced;  // by node number; [0] is of no use; empty: nobody is followed
  std::vector<NodeAddress> sentinels;  // empty: a cluster, when there are announced ports
};

// One connection's. Not thread-safe.
class Route {
 public:
  virtual ~Route() = default;

  // Where to connect; or why nobody knows, in a few words.
  virtual tl::expected<NodeAddress, std::string> Find(Deadline deadline) = 0;
  // The node that was found could not be reached, or was lost.
  virtual void Lost() {}
  // A server refused a command with this error. True: it belongs to another node, which Find
  // answers now.
  virtual bool Redirected(std::string_view error) {
    (void)error;
    return false;
  }
  // The same, but for one command: this node takes it, after ASKING, and the next one goes where
  // the others went.
  virtual std::optional<NodeAddress> AskedFor(std::string_view error) {
    (void)error;
    return std::nullopt;
  }
};

std::unique_ptr<Route> FixedRoute(NodeAddress address);
// To the master as sentinels, or the servers of a cluster, tell it; the addresses are by node
// number. Both outlive it.
std::unique_ptr<Route> RouteToMaster(const std::vector<NodeAddress>& addresses,
                                     const Roster& roster);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_ROUTE_H_
