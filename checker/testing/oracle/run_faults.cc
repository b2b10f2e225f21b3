#include "checker/testing/oracle/run_faults.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace doublehold::brute {
namespace {

constexpr std::array<std::string_view, 7> kOnClients{"pause",     "crash", "hold",     "drop",
                                                     "duplicate", "delay", "partition"};
constexpr std::array<std::string_view, 5> kOnServer{"pause", "crash", "flush", "restart", "jump"};

bool Is(const RunFault& fault, std::initializer_list<std::string_view> kinds) {
  return std::ranges::find(kinds, fault.kind) != kinds.end();
}

}  // namespace

RunFaults::RunFaults(const Dice& dice, int clients) {
  for (int64_t n = 1 + dice.Below(2); n > 0; --n) {
    const bool on_client = dice.Chance(60);
    const auto kind = on_client ? kOnClients[static_cast<size_t>(dice.Below(kOnClients.size()))]
                                : kOnServer[static_cast<size_t>(dice.Below(kOnServer.size()))];
    RunFault fault{.kind = std::string(kind), .from = dice.Below(60)};
    if (on_client) fault.client = static_cast<int32_t>(1 + dice.Below(clients));
    fault.to = fault.from + (kind == "crash" ? 0 : dice.Below(20));
    fault.acts_at = fault.from + dice.Below(fault.to - fault.from + 1);
    fault.moves_by = dice.Below(30) - 15;
    all_.push_back(fault);
  }
}

int64_t RunFaults::HeldFor(int32_t client, int64_t now) const {
  int64_t held = 0;
  for (const RunFault& fault : all_) {
    if (Is(fault, {"pause", "hold", "delay", "partition"}) && fault.ActsOn(client, now))
      held = std::max(held, fault.to - now);
  }
  return held;
}

bool RunFaults::Loses(const Dice& dice, int32_t client, int64_t now) const {
  return std::ranges::any_of(all_, [&](const RunFault& fault) {
    const bool server_is_dead = fault.kind == "crash" && fault.client == -1 && fault.from <= now;
    return server_is_dead ||
           (Is(fault, {"drop", "partition"}) && fault.ActsOn(client, now) && dice.Chance(60));
  });
}

int64_t RunFaults::RepeatsUntil(int32_t client, int64_t now) const {
  const auto found = std::ranges::find_if(all_, [&](const RunFault& fault) {
    return fault.kind == "duplicate" && fault.ActsOn(client, now);
  });
  return found == all_.end() ? -1 : found->to;
}

bool RunFaults::HasKilled(int32_t client, int64_t now) const {
  return std::ranges::any_of(all_, [&](const RunFault& fault) {
    return fault.kind == "crash" && fault.client == client && fault.from <= now;
  });
}

void RunFaults::AddTo(History& history) const {
  for (const RunFault& fault : all_) {
    const auto index = static_cast<int64_t>(history.facts.faults.size());
    history.facts.faults.push_back(
        {.name = fault.kind + std::to_string(index), .kind = fault.kind, .what = fault.kind});
    const int64_t node = fault.client == -1 ? 1 : -1;
    for (const bool begins : {true, false}) {
      history.events.push_back({.at_ns = begins ? fault.from : fault.to,
                                .client = kSupervisor,
                                .op = Op::kFault,
                                .type = begins ? EventType::kInvoke : EventType::kOk,
                                .value = {index, 1, fault.client, node}});
    }
  }
  SortByTime(history.events);
}

}  // namespace doublehold::brute
