#include "compose/cluster/leader_watch.h"

#include <algorithm>
#include <utility>

#include "compose/cluster/asking_connection.h"

namespace doublehold {
namespace {

constexpr Duration kLeaderInterval = std::chrono::milliseconds(20);
// A stopped server does not answer. What it answers later may be out of date.
constexpr Duration kLeaderPatience = std::chrono::milliseconds(200);

}  // namespace

struct LeaderWatch::Server {
  int node = 0;
  std::shared_ptr<AskingConnection> connection;
  bool asked = false;
};

LeaderWatch::LeaderWatch(boost::asio::io_context& io, std::function<Question()> ask)
    : ask_(std::move(ask)), io_(io), timer_(io) {}

LeaderWatch::~LeaderWatch() {
  for (const auto& server : servers_) server->connection->Close();
}

void LeaderWatch::Watch(int node, const NodeAddress& server) {
  servers_.push_back(std::make_unique<Server>(
      Server{.node = node, .connection = std::make_shared<AskingConnection>(io_, server)}));
}

void LeaderWatch::Begin() { AskAll(); }

std::optional<int> LeaderWatch::leader() const {
  return leaders_.empty() ? std::nullopt : std::optional(leaders_.back());
}

void LeaderWatch::AskAll() {
  for (const auto& server : servers_) {
    if (!server->asked) Ask(*server);
  }
  timer_.expires_after(kLeaderInterval);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) AskAll();
  });
}

void LeaderWatch::Ask(Server& server) {
  server.asked = true;
  server.connection->Ask(ask_(), kLeaderPatience,
                         [this, &server](Answered how, const std::string& /*why*/) {
                           server.asked = false;
                           if (how == Answered::kLost)
                             return;  // stopped, perhaps: it may still lead
                           const auto found = std::ranges::find(leaders_, server.node);
                           if (how != Answered::kYes && found != leaders_.end())
                             leaders_.erase(found);
                           if (how == Answered::kYes && found == leaders_.end())
                             leaders_.push_back(server.node);
                         });
}

}  // namespace doublehold
