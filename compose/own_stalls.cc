#include "compose/own_stalls.h"

#include <utility>

#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr Duration kTick = 10ms;

}  // namespace

OwnStalls::OwnStalls(boost::asio::io_context& io, Duration shortest,
                     std::function<void(Duration)> report)
    : shortest_(shortest), report_(std::move(report)), timer_(io) {}

void OwnStalls::Begin() { Wait(RealMono() + kTick); }

void OwnStalls::Wait(MonoTime due) {
  timer_.expires_at(std::chrono::steady_clock::time_point(due.time_since_epoch()));
  timer_.async_wait([this, due](const boost::system::error_code& error) {
    if (error) return;
    const Duration late = RealMono() - due;
    if (late >= shortest_) report_(late);
    Wait(RealMono() + kTick);
  });
}

}  // namespace doublehold
