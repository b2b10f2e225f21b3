#include "compose/cluster/redis/server_state.h"

#include <fmt/format.h>

#include <array>

namespace doublehold {
namespace {

// A counter of INFO that counts lost keys, its value in a fresh process, and what a change means.
struct Loss {
  const char* field;
  const char* fresh;
  const char* change;
};
constexpr const char* kFlushed = "was flushed";
constexpr std::array<Loss, 4> kLosses{
    Loss{"evicted_keys", "0", "evicted keys, perhaps those of locks (maxmemory-policy)"},
    Loss{"cmdstat_flushall", "", kFlushed}, Loss{"cmdstat_flushdb", "", kFlushed},
    Loss{"cmdstat_swapdb", "", "had its databases swapped"}};

}  // namespace

std::string FieldOf(std::string_view info, std::string_view name) {
  const std::string line = fmt::format("\n{}:", name);
  const size_t at = info.find(line);
  if (at == std::string_view::npos) return "";
  const size_t from = at + line.size();
  return std::string(info.substr(from, info.find_first_of("\r\n", from) - from));
}

ServerState ReadServerState(std::string_view info) {
  const std::string valkey = FieldOf(info, "valkey_version");
  ServerState state{
      .version = valkey.empty() ? FieldOf(info, "redis_version") : valkey + " (Valkey)",
      .process = FieldOf(info, "run_id"),
      .role = FieldOf(info, "role"),
      .followed = FieldOf(info, "master_replid2")};
  for (const Loss& loss : kLosses) state.losses.push_back(FieldOf(info, loss.field));
  return state;
}

ServerState FreshState(const ServerState& before, const std::string& process) {
  ServerState fresh = before;
  fresh.process = process;
  fresh.followed.clear();
  fresh.losses.clear();
  for (const Loss& loss : kLosses) fresh.losses.emplace_back(loss.fresh);
  return fresh;
}

std::string WhyChanged(const std::map<std::string, ServerState>& begun, const ServerState& ended,
                       const AllowedChanges& allowed) {
  const auto same = begun.find(ended.process);
  if (same == begun.end())
    return allowed.failover ? "ended with a primary process that the run did not find when it began"
                            : "was restarted";
  if (ended.role != "master") return "changed its role";
  // A primary sets this to zeros when its first replica joins, so zeros are no change.
  const bool has_followed = ended.followed.find_first_not_of('0') != std::string::npos;
  if (!allowed.failover && has_followed && ended.followed != same->second.followed)
    return "was a replica for a while";
  return WhyLost(same->second, ended, allowed.clock_step);
}

std::string WhyLost(const ServerState& begun, const ServerState& ended, Duration clock_step) {
  for (size_t i = 0; i < kLosses.size(); ++i) {
    if (ended.losses[i] != begun.losses[i]) return kLosses[i].change;
  }
  const Duration step = ended.clock - begun.clock;
  if (std::chrono::abs(step) <= clock_step + begun.asked_in + ended.asked_in) return "";
  return fmt::format("had its clock moved by {}", FormatDuration(step));
}

}  // namespace doublehold
