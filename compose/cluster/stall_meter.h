// Detects stalls of the supervisor, which forwards all messages, and of servers. Sends each server
// a PING over a connection on which no network fault acts. A server that does not answer a PING for
// long has stalled. (A client measures itself: lib/real/real_env.h.)
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_STALL_METER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_STALL_METER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "compose/cluster/question.h"
#include "lib/base/address.h"
#include "lib/base/event.h"
#include "lib/base/time.h"

namespace doublehold {

// Asks a server that is down repeatedly until it answers. A broken connection is no stall. Time in
// which the event loop did not run does not count, so a stall of the supervisor is not recorded as
// a stall of a server. Thread rule: runs on the io_context's thread.
class StallMeter {
 public:
  // Calls `report` when a stall of at least `shortest` has ended. The event has no time yet; its
  // client is kSupervisor or OfServer(node).
  using Report = std::function<void(const Event& stall)>;
  StallMeter(boost::asio::io_context& io, Duration shortest, Report report);
  ~StallMeter();
  StallMeter(const StallMeter&) = delete;
  StallMeter& operator=(const StallMeter&) = delete;

  // Call it before Begin. `ping` makes a question that a running server answers at once.
  void Watch(int node, const NodeAddress& server, std::function<Question()> ping);
  void Begin();

 private:
  struct Server;
  void Wait();
  void OnTick();
  void Ask(Server& server);
  void ReportStall(int32_t whose, Duration length) const;
  // Returns the part of the time since the last tick in which the event loop ran.
  [[nodiscard]] Duration SinceTick() const;

  boost::asio::io_context& io_;
  Duration shortest_;
  Report report_;
  boost::asio::steady_timer timer_;
  MonoTime ticked_{};
  std::vector<std::unique_ptr<Server>> servers_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_STALL_METER_H_
