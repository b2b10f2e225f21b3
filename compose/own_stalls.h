// The stall meter of the supervisor: all messages go through it, so it matters when the machine keeps it from running.
#ifndef DOUBLEHOLD_COMPOSE_OWN_STALLS_H_
#define DOUBLEHOLD_COMPOSE_OWN_STALLS_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "lib/base/time.h"

namespace doublehold {

// A timer of the loop that notices how late it is called.
class OwnStalls {
 public:
  // `report` is told of stalls of at least `shortest`.
  OwnStalls(boost::asio::io_context& io, Duration shortest, std::function<void(Duration)> report);
  void Begin();

 private:
  void Wait(MonoTime due);

  Duration shortest_;
  std::function<void(Duration)> report_;
  boost::asio::steady_timer timer_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OWN_STALLS_H_
