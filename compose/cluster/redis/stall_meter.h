// Notices when the machine keeps the supervisor from running, since all messages go through it, or
// a server: each is sent a PING over a connection of its own, past all faults of the network, and
// whoever leaves one unanswered for long stood still. (A client meters itself:
// lib/redis/real_env.h.)
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_STALL_METER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_STALL_METER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "lib/base/event.h"
#include "lib/base/time.h"

namespace doublehold {

// A server that is down is asked again until it is back; a connection that breaks tells of no
// stall. Time in which the loop itself did not run does not count, so a stall of the supervisor is
// none of a server. Thread rule: the io_context's.
class StallMeter {
 public:
  // `report` is told of stalls of at least `shortest`, when they are over: an event without its
  // time, of kSupervisor or of OfServer(node).
  using Report = std::function<void(const Event& stall)>;
  StallMeter(boost::asio::io_context& io, Duration shortest, Report report);
  ~StallMeter();
  StallMeter(const StallMeter&) = delete;
  StallMeter& operator=(const StallMeter&) = delete;

  // Call before Begin. `socket`: the server's unix socket.
  void Watch(int node, const std::filesystem::path& socket);
  void Begin();

 private:
  struct Server;
  void Wait();
  void OnTick();
  void Ask(Server& server);
  void Tell(int32_t whose, Duration length) const;
  // Of the time since the last tick, what the loop was there to see.
  [[nodiscard]] Duration SinceTick() const;

  boost::asio::io_context& io_;
  Duration shortest_;
  Report report_;
  boost::asio::steady_timer timer_;
  MonoTime ticked_{};
  std::vector<std::unique_ptr<Server>> servers_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_STALL_METER_H_
