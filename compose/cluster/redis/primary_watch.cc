#include "compose/cluster/redis/primary_watch.h"

#include <arpa/inet.h>

#include <string_view>
#include <utility>

#include "compose/cluster/redis/redis_question.h"
#include "lib/base/words.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr Duration kWatchInterval = std::chrono::milliseconds(100);
constexpr Duration kSentinelPatience = std::chrono::seconds(5);
constexpr Duration kWatchPatience = std::chrono::milliseconds(500);

std::optional<NodeAddress> AddressIn(const std::string& host, const std::string& port) {
  in_addr ignored{};
  const std::optional<int> number = ReadNumber(port);
  if (!number || *number < 1 || *number > UINT16_MAX ||
      inet_pton(AF_INET, host.c_str(), &ignored) != 1)
    return std::nullopt;
  return NodeAddress{.unix_path = {}, .host = host, .port = static_cast<uint16_t>(*number)};
}

}  // namespace

PrimaryWatch::PrimaryWatch(boost::asio::io_context& io, NodeAddress sentinel, std::string name)
    : sentinel_(std::move(sentinel)),
      name_(std::move(name)),
      connection_(std::make_shared<AskingConnection>(io, sentinel_)),
      timer_(io) {}

CallResult PrimaryWatch::FindPrimary() const {
  return MakeConnection(sentinel_)->Call(
      std::vector<std::string_view>{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_},
      RealMono() + kSentinelPatience);
}

CallResult PrimaryWatch::FindReplicas() const {
  return MakeConnection(sentinel_)->Call(std::vector<std::string_view>{"SENTINEL", "SLAVES", name_},
                                         RealMono() + kSentinelPatience);
}

std::optional<NodeAddress> PrimaryWatch::ReadAddress(const CallResult& answer) {
  if (!answer || answer->items.size() != 2) return std::nullopt;
  return AddressIn(answer->items[0].text, answer->items[1].text);
}

std::vector<NodeAddress> PrimaryWatch::ReadReplicas(const CallResult& answer) {
  std::vector<NodeAddress> replicas;
  if (!answer) return replicas;
  for (const Reply& one : answer->items) {
    std::string host;
    std::string port;
    for (size_t i = 0; i + 1 < one.items.size(); i += 2) {
      if (one.items[i].text == "ip") host = one.items[i + 1].text;
      if (one.items[i].text == "port") port = one.items[i + 1].text;
    }
    if (const auto address = AddressIn(host, port)) replicas.push_back(*address);
  }
  return replicas;
}

void PrimaryWatch::Begin(std::function<void(const NodeAddress&)> tell) {
  tell_ = std::move(tell);
  Ask();
}

void PrimaryWatch::Ask() {
  const auto hear = [this](const CallResult& reply) {
    if (const auto address = ReadAddress(reply)) tell_(*address);
    return true;
  };
  const auto again = [this](Answered /*how*/, const std::string& /*why*/) {
    timer_.expires_after(kWatchInterval);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) Ask();
    });
  };
  connection_->Ask(RedisQuestion({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_}, hear),
                   kWatchPatience, again);
}

}  // namespace doublehold
