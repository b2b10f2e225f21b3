#include "compose/cluster/node_clock.h"

#include <utility>

#include "lib/clock/clock_page.h"

namespace doublehold {
namespace {

constexpr Duration kInterval = 20ms;
// A slower answer is ignored, because it does not show when the server read its clock.
constexpr Duration kLongestAnswer = 5ms;
constexpr Duration kLongestStop = std::chrono::hours(24);  // no run is longer

}  // namespace

NodeClock::NodeClock(boost::asio::io_context& io, const NodeAddress& server, AskTime ask, Seen seen)
    : connection_(std::make_shared<AskingConnection>(io, server)),
      ask_(std::move(ask)),
      timer_(io),
      seen_(std::move(seen)) {}

void NodeClock::Start() {
  if (std::exchange(running_, true)) return;
  if (!asking_) Ask();
}

void NodeClock::Stop() {
  running_ = false;
  timer_.cancel();
}

void NodeClock::Ask() {
  asking_ = true;
  told_.reset();
  connection_->Ask(
      ask_([this](Duration since_epoch) { told_ = since_epoch; }), kLongestStop,
      [this, asked = ReadMachineClocks().mono](Answered, const std::string&) { Take(asked); });
}

// Asks again after kInterval, even after an error: the server may be restarted.
void NodeClock::Take(MonoTime asked) {
  asking_ = false;
  if (!running_) return;
  const ClockReading now = ReadMachineClocks();
  const Duration took = now.mono - asked;
  if (told_ && took <= kLongestAnswer)
    seen_(asked, *told_ - (now.wall.time_since_epoch() - took / 2));
  timer_.expires_after(kInterval);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && running_ && !asking_) Ask();
  });
}

}  // namespace doublehold
