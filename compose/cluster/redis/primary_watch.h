// Asks a sentinel that the run did not start where the primary is.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_PRIMARY_WATCH_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_PRIMARY_WATCH_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compose/cluster/asking_connection.h"
#include "lib/base/address.h"
#include "lib/clients/redis.h"

namespace doublehold {

// Thread rule: runs on the io_context's thread.
class PrimaryWatch {
 public:
  // `name`: under which the sentinel knows the primary.
  PrimaryWatch(boost::asio::io_context& io, NodeAddress sentinel, std::string name);
  ~PrimaryWatch() { connection_->Close(); }
  PrimaryWatch(const PrimaryWatch&) = delete;
  PrimaryWatch& operator=(const PrimaryWatch&) = delete;

  // These wait for the sentinel. The addresses of replicas include those that are down.
  CallResult FindPrimary() const;
  CallResult FindReplicas() const;
  // Reads the address in an answer to FindPrimary.
  static std::optional<NodeAddress> ReadAddress(const CallResult& answer);
  static std::vector<NodeAddress> ReadReplicas(const CallResult& answer);

  // Calls `tell` with the primary's address whenever the sentinel has said it, ten times a second.
  void Begin(std::function<void(const NodeAddress& primary)> tell);

 private:
  void Ask();

  NodeAddress sentinel_;
  std::string name_;
  std::shared_ptr<AskingConnection> connection_;
  boost::asio::steady_timer timer_;
  std::function<void(const NodeAddress&)> tell_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_PRIMARY_WATCH_H_
