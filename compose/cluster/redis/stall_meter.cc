#include "compose/cluster/redis/stall_meter.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <string_view>
#include <utility>

#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

namespace asio = boost::asio;

constexpr Duration kTick = 10ms;
constexpr std::string_view kPing = "PING\r\n";

}  // namespace

struct StallMeter::Server {
  Server(asio::io_context& io, int its_node, const std::filesystem::path& path)
      : node(its_node), address(path.string()), socket(io) {}

  int node;
  asio::local::stream_protocol::endpoint address;
  asio::local::stream_protocol::socket socket;
  bool asked = false;
  Duration waited{};  // how long the event loop has seen the PING unanswered
  std::array<char, 256> answer{};
};

StallMeter::StallMeter(asio::io_context& io, Duration shortest, Report report)
    : io_(io), shortest_(shortest), report_(std::move(report)), timer_(io) {}

StallMeter::~StallMeter() = default;

void StallMeter::Watch(int node, const std::filesystem::path& socket) {
  servers_.push_back(std::make_unique<Server>(io_, node, socket));
}

void StallMeter::Begin() {
  ticked_ = RealMono();
  Wait();
}

Duration StallMeter::SinceTick() const { return std::min(RealMono() - ticked_, 2 * kTick); }

void StallMeter::Wait() {
  timer_.expires_at(std::chrono::steady_clock::time_point((ticked_ + kTick).time_since_epoch()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    OnTick();
    Wait();
  });
}

void StallMeter::OnTick() {
  const Duration passed = SinceTick();
  const Duration late = RealMono() - ticked_ - kTick;
  Tell(kSupervisor, late);
  for (const auto& server : servers_) {
    if (server->asked) server->waited += passed;
    if (!server->asked) Ask(*server);
  }
  ticked_ = RealMono();
}

void StallMeter::Tell(int32_t whose, Duration length) const {
  if (length < shortest_) return;
  report_({.client = whose, .op = Op::kStall, .type = EventType::kInfo, .value = {length.count()}});
}

void StallMeter::Ask(Server& server) {
  boost::system::error_code error;
  if (!server.socket.is_open()) {
    // A stopped server's connection is accepted by the kernel, and the PING waits.
    if (server.socket.open(server.address.protocol(), error)) return;
    server.socket.non_blocking(true, error);
    if (!error) server.socket.connect(server.address, error);
  }
  if (!error) server.socket.write_some(asio::buffer(kPing), error);
  if (error) {
    server.socket.close(error);
    return;
  }
  server.asked = true;
  server.waited = {};
  server.socket.async_read_some(asio::buffer(server.answer),
                                [this, &server](const boost::system::error_code& failed, size_t) {
                                  server.asked = false;
                                  boost::system::error_code ignored;
                                  if (failed) {
                                    server.socket.close(ignored);
                                    return;
                                  }
                                  server.waited += SinceTick();
                                  Tell(OfServer(server.node), server.waited);
                                });
}

}  // namespace doublehold
