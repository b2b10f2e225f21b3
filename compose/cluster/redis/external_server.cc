#include "compose/cluster/redis/external_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "compose/cluster/redis/external_reach.h"
#include "compose/cluster/redis/redis_question.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/redis/find_keys.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr size_t kMostNames = 3;  // in a message
// Exists while a run uses the server. Its time to live is longer than any run.
constexpr const char* kMarker = "dh:run";
constexpr Duration kMarkerSlack = std::chrono::minutes(2);

Duration ClockNow() { return RealMono().time_since_epoch(); }

}  // namespace

std::string ExternalServer::Name() const {
  return fmt::format("node {} ({})", node_, Place(endpoint_));
}

Result<void> ExternalServer::Open(const NodeAddress& address) {
  address_ = address;
  connection_ = MakeConnection(address);
  for (const std::vector<std::string>& command : OpeningOf(endpoint_)) TRY(Ask(command));
  return {};
}

Result<Reply> ExternalServer::Ask(std::vector<std::string> command) {
  const std::vector<std::string_view> words(command.begin(), command.end());
  CallResult reply = connection_->Call(words, RealMono() + kExternalPatience);
  has_answered_ = has_answered_ || reply || reply.error().definite;
  if (reply) return std::move(*reply);
  const std::string why = Shortened(reply.error().message);
  return EnvironmentFailed(fmt::format("{}: {}: {}{}", Name(), command.front(), why, Hint(why)));
}

std::string ExternalServer::Hint(const std::string& why) const {
  if (why.starts_with("NOAUTH") || why.find("PASS") != std::string::npos)
    return fmt::format("; the password is read from {}", kPasswordVariable);
  if (has_answered_ || why.starts_with("connect")) return {};
  if (!endpoint_.tls) return "; if the port expects TLS, use rediss://";
  return fmt::format(
      "; the port may have no TLS, its certificate may not name {}, or a private authority may "
      "have signed it: set SSL_CERT_FILE to that authority's certificate",
      endpoint_.host);
}

Result<ServerState> ExternalServer::Examine() {
  const std::string info = TRY(Ask({"INFO"})).text + "\n" + TRY(Ask({"INFO", "commandstats"})).text;
  if (FieldOf(info, "redis_mode") == "sentinel" || FieldOf(info, "cluster_enabled") == "1") {
    return EnvironmentFailed(fmt::format(
        "{} is a sentinel (use redis-sentinel://host:26379#primary) or a node of a cluster, which "
        "endpoints do not support",
        Name()));
  }
  ServerState state = ReadServerState(info);
  const Duration before = ClockNow();
  const CallResult time = TRY(Ask({"TIME"}));
  const Duration after = ClockNow();
  const std::optional<Duration> clock = ReadRedisTime(time);
  if (!clock) return EnvironmentFailed(Name() + ": the reply to TIME is not a time");
  state.clock = *clock - (before + after) / 2;
  state.asked_in = after - before;
  return state;
}

Result<std::vector<std::string>> ExternalServer::OwnKeys(const Plan& plan) {
  const auto found = FindKeysOf(*connection_, FactsOf(plan).keys, RealMono() + kExternalPatience);
  if (found) return *found;
  return EnvironmentFailed(fmt::format("{}: SCAN: {}", Name(), OnOneLine(found.error().message)));
}

Result<void> ExternalServer::Remove(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) TRY(Ask({"UNLINK", key}));
  return {};
}

// The claim comes first, so that of two runs at once only one looks further.
Result<void> ExternalServer::TakeOver(const Plan& plan) {
  if (plan.owns_servers) TRY(Remove({kMarker}));
  const int64_t lasts_ms = ToMs(plan.duration * 2 + plan.lease * 20 + kMarkerSlack);
  std::vector<std::string> claim{
      "SET", kMarker, fmt::format("{} at {}", getpid(), ToNs(RealMono().time_since_epoch())),
      "NX",  "PX",    std::to_string(lasts_ms)};
  std::vector<std::string> taken{kMarker};
  if (!TRY(Ask(claim)).IsNil()) {
    claim_ = std::move(claim);
    taken = TRY(OwnKeys(plan));
  }
  if (taken.empty()) return {};
  if (plan.owns_servers && is_taken()) return Remove(taken);
  keeps_keys_ = true;
  const size_t number = taken.size();
  if (number > kMostNames) taken.resize(kMostNames);
  return EnvironmentFailed(fmt::format(
      "{} already has {} with names that the run uses ({}{}): another run uses the server, or a "
      "killed run left {}; to delete {}, add --i-own-this-server",
      Name(), number == 1 ? "a key" : fmt::format("{} keys", number),
      OnOneLine(fmt::format("{}", fmt::join(taken, ", "))), number > kMostNames ? ", ..." : "",
      number == 1 ? "it" : "them", number == 1 ? "it" : "them"));
}

Result<void> ExternalServer::Leave(const Plan& plan) {
  const Reply claimed = TRY(Ask({"GET", kMarker}));
  if (!claimed.IsNil() && claimed.text != claim_.at(2))
    return EnvironmentFailed(Name() +
                             " has lost this run's claim, and another run uses it now; this run's "
                             "keys were not deleted");
  if (!keeps_keys_) TRY(Remove(TRY(OwnKeys(plan))));
  return claimed.IsNil() ? Result<void>() : Remove({kMarker});
}

}  // namespace doublehold
