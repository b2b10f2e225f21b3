#include "compose/cluster/stall_meter.h"

#include <algorithm>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr Duration kTick = 10ms;
constexpr Duration kLongestStall = std::chrono::hours(24);  // no run is longer

}  // namespace

struct StallMeter::Server {
  int node = 0;
  std::shared_ptr<AskingConnection> connection;
  std::function<Question()> ping;
  bool asked = false;
  Duration waited{};  // how long the ping has been unanswered while the event loop ran
};

StallMeter::StallMeter(boost::asio::io_context& io, Duration shortest, Report report)
    : io_(io), shortest_(shortest), report_(std::move(report)), timer_(io) {}

StallMeter::~StallMeter() {
  for (const auto& server : servers_) server->connection->Close();
}

void StallMeter::Watch(int node, const NodeAddress& server, std::function<Question()> ping) {
  servers_.push_back(
      std::make_unique<Server>(Server{.node = node,
                                      .connection = std::make_shared<AskingConnection>(io_, server),
                                      .ping = std::move(ping)}));
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
  ReportStall(kSupervisor, late);
  for (const auto& server : servers_) {
    if (server->asked) server->waited += passed;
    if (!server->asked) Ask(*server);
  }
  ticked_ = RealMono();
}

void StallMeter::ReportStall(int32_t whose, Duration length) const {
  if (length < shortest_) return;
  report_({.client = whose, .op = Op::kStall, .type = EventType::kInfo, .value = {length.count()}});
}

void StallMeter::Ask(Server& server) {
  server.asked = true;
  server.waited = {};
  server.connection->Ask(server.ping(), kLongestStall,
                         [this, &server](Answered how, const std::string&) {
                           server.asked = false;
                           if (how == Answered::kLost) return;  // the connection broke
                           server.waited += SinceTick();
                           ReportStall(OfServer(server.node), server.waited);
                         });
}

}  // namespace doublehold
