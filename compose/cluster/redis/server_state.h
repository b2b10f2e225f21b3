// What a Redis server that the run did not start says of itself, before the run and after it.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_STATE_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_STATE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

struct ServerState {
  std::string version;
  std::string process;   // another one after each start
  std::string role;      // "master" or "slave"
  std::string followed;  // master_replid2: what it followed before its promotion, or zeros
  std::vector<std::string> losses;  // counters of commands and evictions that remove keys
  Duration clock{};                 // its wall clock, minus the time of this machine
  Duration asked_in{};              // time that TIME took, the largest error of `clock`
};

// Returns the value of "name:value" in the reply to INFO, or an empty text.
std::string FieldOf(std::string_view info, std::string_view name);
// Reads the replies to INFO and to INFO commandstats, one behind the other. Sets no clock.
ServerState ReadServerState(std::string_view info);

// The state of this server after a restart that the run has caused.
ServerState FreshState(const ServerState& before, const std::string& process);

// Changes that do not spoil a run.
struct AllowedChanges {
  bool failover = false;  // another server may be the primary at the end
  Duration clock_step{};  // of a server's clock
};
// Says what happened to a server in a run, so that the run says nothing about the lock: "was
// flushed". Empty if nothing did. `begun`: all servers that may be the primary, by process.
std::string WhyChanged(const std::map<std::string, ServerState>& begun, const ServerState& ended,
                       const AllowedChanges& allowed);
// The same for one process, whatever its role.
std::string WhyLost(const ServerState& begun, const ServerState& ended, Duration clock_step);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_STATE_H_
