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
// An answer that took longer does not say when it was given: the server, or we, were stopped
// meanwhile.
constexpr Duration kLongestAnswer = 5ms;
constexpr std::string_view kQuestion = "*1\r\n$4\r\nTIME\r\n";
constexpr size_t kLongestReply = 64;

std::optional<int64_t> TakeBulkNumber(std::string_view& text) {
  const size_t header = text.find("\r\n");
  if (header == std::string_view::npos || !text.starts_with('$')) return std::nullopt;
  text.remove_prefix(header + 2);
  const size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  int64_t number = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + end, number);
  if (status != std::errc{} || stop != text.data() + end) return std::nullopt;
  text.remove_prefix(end + 2);
  return number;
}

// "*2 $10 1700000000 $6 123456"; nothing while it is not whole.
std::optional<Duration> ReadTime(std::string_view text) {
  constexpr std::string_view kTwo = "*2\r\n";
  if (!text.starts_with(kTwo)) return std::nullopt;
  text.remove_prefix(kTwo.size());
  const std::optional<int64_t> seconds = TakeBulkNumber(text);
  if (!seconds) return std::nullopt;
  const std::optional<int64_t> micros = TakeBulkNumber(text);
  if (!micros) return std::nullopt;
  return std::chrono::seconds(*seconds) + std::chrono::microseconds(*micros);
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
  answer_.clear();
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
                            answer_.append(buffer_.data(), size);
                            const std::optional<Duration> server = ReadTime(answer_);
                            if (!server) return answer_.size() > kLongestReply ? Drop() : Receive();
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

// It may be restarted, and then answer again.
void NodeClock::Drop() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  asking_ = false;
  Later();
}

}  // namespace doublehold
