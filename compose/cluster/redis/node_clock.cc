#include "compose/cluster/redis/node_clock.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/clock/clock_page.h"

namespace doublehold {
namespace {

constexpr Duration kInterval = 20ms;
// A slower answer does not show when the server read its clock: the server or this process was
// stopped meanwhile.
constexpr Duration kLongestAnswer = 5ms;
constexpr std::string_view kQuestion = "TIME\r\n";

// Parses ["1700000000", "123456"]: seconds and microseconds.
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

}  // namespace

NodeClock::NodeClock(boost::asio::io_context& io, std::filesystem::path socket, Seen seen)
    : socket_(io), timer_(io), path_(std::move(socket)), seen_(std::move(seen)) {}

void NodeClock::Start() {
  if (std::exchange(running_, true)) return;
  if (!asking_) Ask();
}

void NodeClock::Stop() {
  running_ = false;
  timer_.cancel();
}

void NodeClock::Connect() {
  asking_ = true;
  replies_ = ReplyReader();
  boost::system::error_code code;
  socket_.open({}, code);
  if (code) return Drop();
  socket_.async_connect({path_.string()}, [this](const boost::system::error_code& error) {
    if (error == boost::asio::error::operation_aborted) return;
    asking_ = false;
    if (error) return Drop();
    if (running_) Ask();
  });
}

void NodeClock::Ask() {
  if (!socket_.is_open()) return Connect();
  asking_ = true;
  asked_ = ReadMachineClocks().mono;
  boost::asio::async_write(socket_, boost::asio::buffer(kQuestion),
                           [this](const boost::system::error_code& error, size_t) {
                             if (error == boost::asio::error::operation_aborted) return;
                             if (error) return Drop();
                             Receive();
                           });
}

void NodeClock::Receive() {
  socket_.async_read_some(boost::asio::buffer(buffer_),
                          [this](const boost::system::error_code& error, size_t size) {
                            if (error == boost::asio::error::operation_aborted) return;
                            if (error) return Drop();
                            replies_.Feed({buffer_.data(), size});
                            const std::optional<CallResult> reply = replies_.Next();
                            if (!reply) return Receive();
                            const std::optional<Duration> server = ReadTime(*reply);
                            if (!server) return Drop();
                            const ClockReading now = ReadMachineClocks();
                            const Duration took = now.mono - asked_;
                            asking_ = false;
                            if (running_ && took <= kLongestAnswer) {
                              seen_(asked_, *server - (now.wall.time_since_epoch() - took / 2));
                            }
                            Later();
                          });
}

void NodeClock::Later() {
  if (!running_) return;
  timer_.expires_after(kInterval);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && running_ && !asking_) Ask();
  });
}

// Asks again later: the server may be restarted and answer then.
void NodeClock::Drop() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  asking_ = false;
  Later();
}

}  // namespace doublehold
