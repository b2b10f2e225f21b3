#include "compose/run/sent_traffic.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "compose/client/session_loop.h"
#include "lib/plan/topology.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

// Commands that keep a connection or discover the servers. None of them touches a key, so they do
// not count as traffic.
constexpr std::array<std::string_view, 21> kUpkeep{
    "PING", "ECHO",      "HELLO",       "AUTH",       "SELECT",     "CLIENT",       "COMMAND",
    "INFO", "ROLE",      "TIME",        "CONFIG",     "CLUSTER",    "SENTINEL",     "READONLY",
    "QUIT", "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"};

}  // namespace

void SentTraffic::Watch(const Plan& plan) {
  if (plan.direct) return;
  const bool judges = JudgesIdle(plan) || JudgesTraffic(plan);
  keeps_all_ = JudgesTraffic(plan);
  for (int client = 1; client <= plan.clients; ++client) {
    for (int node = 1; node <= ServersOf(plan); ++node) {
      const LinkId link{.client = client, .node = node};
      carried_before_[link] = proxy_.Traffic(link);
      if (!judges) continue;
      LinkRule rule{.direction = Direction::kRequest, .action = LinkRule::Action::kWatch};
      rule.seen = [this, link](std::string_view command, bool /*is_lost*/) { Keep(link, command); };
      rules_.push_back(proxy_.SetLink(link, std::move(rule)));
    }
  }
}

void SentTraffic::Keep(LinkId link, std::string_view command) {
  if (command.empty() || std::ranges::find(kUpkeep, command) != kUpkeep.end()) return;
  std::deque<MonoTime>& sent = sent_[link];
  if (keeps_all_ && kept_ == kMostOfAll) {
    if (!full_) full_ = RealMono();
    return;
  }
  if (!keeps_all_ && sent.size() == kMostIdle) sent.pop_front();
  sent.push_back(RealMono());
  ++kept_;
}

void SentTraffic::Stop() {
  for (const RuleId rule : rules_) proxy_.ClearLink(rule);
  rules_.clear();
  for (const auto& [link, before] : carried_before_) {
    const LinkTraffic all = proxy_.Traffic(link);
    carried_[link] = {.commands = all.commands - before.commands,
                      .bytes = all.bytes - before.bytes};
  }
  carried_before_.clear();
  if (stopped_ == MonoTime{}) stopped_ = RealMono();
}

std::vector<Event> SentTraffic::Among(const std::vector<Event>& events, MonoTime start) const {
  // For each client, the time from the first to the last idle event of its sessions.
  std::map<int, std::pair<int64_t, int64_t>> idle;
  for (const Event& event : events) {
    if (event.op != Op::kIdle) continue;
    auto [at, is_new] = idle.try_emplace(event.client, event.at_ns, event.at_ns);
    at->second.second = event.at_ns;
  }
  std::vector<Event> traffic;
  if (full_) {
    traffic.push_back({.at_ns = ToNs(*full_ - start),
                       .client = kSupervisor,
                       .op = Op::kTraffic,
                       .type = EventType::kFail});
  }
  for (const auto& [link, times] : sent_) {
    const auto of = idle.find(link.client);
    if (of == idle.end() && !keeps_all_) continue;
    for (const MonoTime at : times) {
      const int64_t at_ns = ToNs(at - start);
      if (!keeps_all_ && (at_ns < of->second.first || at_ns > of->second.second)) continue;
      traffic.push_back({.at_ns = at_ns,
                         .client = kSupervisor,
                         .op = Op::kTraffic,
                         .type = EventType::kInfo,
                         .value = {link.client, link.node}});
    }
  }
  for (const auto& [link, carried] : carried_) {
    if (carried.bytes == 0) continue;
    traffic.push_back({.at_ns = ToNs(stopped_ - start),
                       .client = kSupervisor,
                       .op = Op::kTraffic,
                       .type = EventType::kOk,
                       .value = {link.client, link.node, carried.commands, carried.bytes}});
  }
  SortByTime(traffic);
  return traffic;
}

}  // namespace doublehold
