#include "lib/redis/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

// A sentinel that does not answer within this time is skipped.
constexpr Duration kSentinelTimeout = 200ms;

class Fixed final : public Route {
 public:
  explicit Fixed(NodeAddress address) : address_(std::move(address)) {}
  tl::expected<NodeAddress, std::string> Find(Deadline /*deadline*/) override { return address_; }

 private:
  NodeAddress address_;
};

// Returns the number of the server that announces this port, or 0.
size_t NodeAt(const Roster& roster, std::string_view port_text) {
  uint16_t port = 0;
  std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  const auto found = std::ranges::find(roster.announced, port);
  return port == 0 || found == roster.announced.end()
             ? 0
             : static_cast<size_t>(found - roster.announced.begin());
}

// Asks a sentinel for each new connection, as most clients do. An open connection is used until it
// breaks, even if the master changes.
class BySentinel final : public Route {
 public:
  BySentinel(const std::vector<NodeAddress>& addresses, const Roster& roster)
      : addresses_(addresses), roster_(roster) {}

  tl::expected<NodeAddress, std::string> Find(Deadline deadline) override {
    for (size_t tried = 0; tried < roster_.sentinels.size(); ++tried) {
      const auto sentinel = MakeConnection(roster_.sentinels.at(sentinel_));
      const std::array<std::string_view, 3> ask{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", kMasterName};
      const CallResult answer =
          sentinel->Call(ask, std::min(deadline, RealMono() + kSentinelTimeout));
      if (answer && answer->items.size() == 2) {
        const size_t node = NodeAt(roster_, answer->items[1].text);
        if (node > 0) return addresses_.at(node);
      }
      sentinel_ = (sentinel_ + 1) % roster_.sentinels.size();
    }
    return tl::unexpected(std::string("no sentinel knows the master"));
  }

 private:
  const std::vector<NodeAddress>& addresses_;
  const Roster& roster_;
  size_t sentinel_ = 0;  // the sentinel that answered last
};

// Asks any node, and follows "MOVED 866 127.0.0.1:7002". A node replies "ASK 866 127.0.0.1:7002"
// while a slot is migrating, for a key that has already migrated.
class InCluster final : public Route {
 public:
  InCluster(const std::vector<NodeAddress>& addresses, const Roster& roster)
      : addresses_(addresses), roster_(roster) {}

  tl::expected<NodeAddress, std::string> Find(Deadline /*deadline*/) override {
    return addresses_.at(node_);
  }
  void Lost() override { node_ = node_ % (addresses_.size() - 1) + 1; }
  bool Redirected(std::string_view error) override {
    if (!error.starts_with("MOVED ")) return false;
    const size_t node = NodeAt(roster_, error.substr(error.rfind(':') + 1));
    if (node == 0) return false;
    node_ = node;
    return true;
  }
  std::optional<NodeAddress> AskedFor(std::string_view error) override {
    if (!error.starts_with("ASK ")) return std::nullopt;
    const size_t node = NodeAt(roster_, error.substr(error.rfind(':') + 1));
    return node == 0 ? std::nullopt : std::optional(addresses_.at(node));
  }

 private:
  const std::vector<NodeAddress>& addresses_;
  const Roster& roster_;
  size_t node_ = 1;
};

}  // namespace

std::unique_ptr<Route> FixedRoute(NodeAddress address) {
  return std::make_unique<Fixed>(std::move(address));
}

std::unique_ptr<Route> RouteToMaster(const std::vector<NodeAddress>& addresses,
                                     const Roster& roster) {
  if (roster.sentinels.empty()) return std::make_unique<InCluster>(addresses, roster);
  return std::make_unique<BySentinel>(addresses, roster);
}

}  // namespace doublehold
