#include "compose/cluster/redis/node_clock.h"

#include <array>
#include <charconv>
#include <utility>

#include "lib/clock/clock_page.h"

namespace doublehold {
namespace {

constexpr Duration kInterval = 20ms;
// A slower answer is ignored, because it does not show when the server read its clock.
constexpr Duration kLongestAnswer = 5ms;
constexpr Duration kLongestStop = std::chrono::hours(24);  // no run is longer

}  // namespace

NodeClock::NodeClock(boost::asio::io_context& io, const std::filesystem::path& socket, Seen seen)
    : connection_(std::make_shared<AdminConnection>(io, socket)),
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
  connection_->Call(
      {"TIME"}, kLongestStop,
      [this, asked = ReadMachineClocks().mono](const CallResult& reply) { Take(reply, asked); });
}

// Asks again after kInterval, even after an error: the server may be restarted.
void NodeClock::Take(const CallResult& reply, MonoTime asked) {
  asking_ = false;
  if (!running_) return;
  const ClockReading now = ReadMachineClocks();
  const Duration took = now.mono - asked;
  const std::optional<Duration> server = ReadTime(reply);
  if (server && took <= kLongestAnswer)
    seen_(asked, *server - (now.wall.time_since_epoch() - took / 2));
  timer_.expires_after(kInterval);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && running_ && !asking_) Ask();
  });
}

std::optional<Duration> ReadTime(const CallResult& reply) {
  if (!reply || reply->items.size() != 2) return std::nullopt;
  std::array<int64_t, 2> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string& text = reply->items[i].text;
    if (std::from_chars(text.data(), text.data() + text.size(), numbers[i]).ec != std::errc{})
      return std::nullopt;
  }
  return std::chrono::seconds(numbers[0]) + std::chrono::microseconds(numbers[1]);
}

}  // namespace doublehold
