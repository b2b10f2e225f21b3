#include "compose/idle.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lib/plan/topology.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

// What a client asks to keep a connection, or to know the servers; none of it is about a key.
constexpr std::array<std::string_view, 21> kUpkeep{
    "PING", "ECHO",      "HELLO",       "AUTH",       "SELECT",     "CLIENT",       "COMMAND",
    "INFO", "ROLE",      "TIME",        "CONFIG",     "CLUSTER",    "SENTINEL",     "READONLY",
    "QUIT", "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"};

Event IdleEvent(EventType type) { return {.op = Op::kIdle, .type = type}; }

}  // namespace

bool JudgesIdle(const Plan& plan) {
  return std::ranges::find(plan.claims, "quiet") != plan.claims.end();
}

void StayIdle(Env& env, Lease lease) {
  env.Record(IdleEvent(EventType::kInvoke));
  [[maybe_unused]] const bool to_the_end = env.SleepUntil(env.Mono() + lease);
  env.Record(IdleEvent(EventType::kOk));
}

void IdleTraffic::Watch(const Plan& plan) {
  for (int client = 1; client <= plan.clients; ++client) {
    for (int node = 1; node <= ServersOf(plan); ++node) {
      const LinkId link{.client = client, .node = node};
      LinkRule rule{.direction = Direction::kRequest, .action = LinkRule::Action::kWatch};
      rule.seen = [this, link](std::string_view command) { Keep(link, command); };
      rules_.push_back(proxy_.SetLink(link, std::move(rule)));
    }
  }
}

void IdleTraffic::Keep(LinkId link, std::string_view command) {
  if (command.empty() || std::ranges::find(kUpkeep, command) != kUpkeep.end()) return;
  std::deque<MonoTime>& sent = sent_[link];
  if (sent.size() == kMostKept) sent.pop_front();
  sent.push_back(RealMono());
}

void IdleTraffic::Stop() {
  for (const RuleId rule : rules_) proxy_.ClearLink(rule);
  rules_.clear();
}

std::vector<Event> IdleTraffic::Within(const std::vector<Event>& events, MonoTime start) const {
  // From when the first session of a client is idle, to when the last is no more.
  std::map<int, std::pair<int64_t, int64_t>> idle;
  for (const Event& event : events) {
    if (event.op != Op::kIdle) continue;
    auto [at, is_new] = idle.try_emplace(event.client, event.at_ns, event.at_ns);
    at->second.second = event.at_ns;
  }
  std::vector<Event> traffic;
  for (const auto& [link, times] : sent_) {
    const auto of = idle.find(link.client);
    if (of == idle.end()) continue;
    for (const MonoTime at : times) {
      const int64_t at_ns = ToNs(at - start);
      if (at_ns < of->second.first || at_ns > of->second.second) continue;
      traffic.push_back({.at_ns = at_ns,
                         .client = kSupervisor,
                         .op = Op::kTraffic,
                         .type = EventType::kInfo,
                         .value = {link.client, link.node}});
    }
  }
  SortByTime(traffic);
  return traffic;
}

}  // namespace doublehold
