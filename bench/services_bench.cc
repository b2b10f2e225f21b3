// Compares the locks of other services than Redis with bare loops over the same client libraries:
// one client alone, against the same server. The two take turns in short blocks, so that a busy
// machine slows both alike. Also measures the proxy's added latency for each protocol: requests and
// replies of one size go to a server that only answers. Prints JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/bare_services.h"
#include "bench/protocol_latency.h"
#include "bench/servers.h"
#include "lib/base/check.h"
#include "lib/base/options.h"
#include "lib/history/shared_run.h"
#include "lib/locks/recorded_lock.h"
#include "lib/locks/registry.h"
#include "lib/locks/with_lock.h"
#include "lib/real/real_env.h"
#include "lib/testing/etcd_server.h"
#include "lib/testing/mariadb_server.h"
#include "lib/testing/postgres_server.h"
#include "lib/testing/zookeeper_server.h"

namespace doublehold {
namespace {

using nlohmann::json;

// A turn of one side differs from the next by up to a half: a server collects garbage, and shares
// the core with its client. The median of so many turns differs by less than a tenth.
constexpr int kBlocks = 61;
constexpr Duration kBlock = 150ms;
constexpr Lease kLease = 10s;
constexpr Duration kPatience = 10s;

double RatePerSecond(const std::function<void()>& work) {
  const MonoTime begun = RealMono();
  int64_t count = 0;
  for (; RealMono() < begun + kBlock; ++count) work();
  return static_cast<double>(count) / ToSeconds(RealMono() - begun);
}

json Compare(const char* name, const NodeAddress& server, const std::function<void()>& bare) {
  SharedRun shared = std::move(*SharedRun::Create(2, 1));
  shared.Control(1).start_ns.store(ToNs(RealMono()));
  const RealProcess process{
      .number = 1, .seed = 1, .addresses = {server, server}, .shared = &shared};
  RealEnv env(process, TaskKind::kSession);
  const LockEntry& entry = *FindLock(name);
  const auto options = CompleteOptions(name, entry.options, {}, kLease);
  RecordedLock lock(env, entry.make({.env = env,
                                     .client = 1,
                                     .seed = 1,
                                     .lease = kLease,
                                     .call_timeout = kPatience,
                                     .options = Options(*options)}));
  const LockKey key{.name = "dh:bench", .index = 0};
  const RetryPolicy policy{.timeout = kPatience, .call_timeout = kPatience};
  const auto ours = [&] { WithLock(env, lock, key, kLease, policy, [](const Grant&) {}); };
  ours();
  bare();
  json result{{"lock", name}};
  for (int block = 0; block < kBlocks; ++block) {
    result["bare_per_s"].push_back(RatePerSecond(bare));
    result["ours_per_s"].push_back(RatePerSecond(ours));
  }
  return result;
}

json CompareLocks() {
  json locks = json::array();
  {
    testing::PostgresServer server;
    locks.push_back(
        Compare("postgres-advisory", server.address(),
                BarePostgres(server.address(), {{"SELECT pg_try_advisory_lock($1)", {"7"}},
                                                {"SELECT pg_advisory_unlock($1)", {"7"}}})));
    CHECK(testing::RunSql(*server.Open(),
                          "CREATE TABLE bare (name text PRIMARY KEY, owner text NOT NULL, "
                          "until timestamptz NOT NULL, token bigint NOT NULL)") == "");
    locks.push_back(Compare(
        "postgres-lease", server.address(),
        BarePostgres(
            server.address(),
            {{"INSERT INTO bare AS held VALUES ($1, $2, clock_timestamp() + $3::float8 * "
              "interval '1 ms', 1) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, "
              "until = excluded.until, token = held.token + 1 WHERE held.until < "
              "clock_timestamp() RETURNING token",
              {"dh:bare", "1-1", "10000"}},
             {"UPDATE bare SET until = '-infinity' WHERE name = $1 AND owner = $2 AND until >= "
              "clock_timestamp() RETURNING token",
              {"dh:bare", "1-1"}}})));
  }
  {
    testing::MariaDbServer server;
    locks.push_back(Compare("mariadb-get-lock", server.address(),
                            BareMariaDb(server.address(), {"SELECT GET_LOCK('dh:bare', 0)",
                                                           "SELECT RELEASE_LOCK('dh:bare')"})));
  }
  {
    testing::ZooKeeperServer server;
    locks.push_back(Compare("zookeeper", server.address(), BareZooKeeper(server.address())));
  }
  testing::EtcdServer server;
  locks.push_back(Compare("etcd", server.address(), BareEtcd(server.address())));
  return locks;
}

// Reports why the servers cannot run here, or the figures.
int Main() {
  PinTo(Place::kOneCore);
  for (const std::string& why : {testing::WhyNoPostgres(), testing::WhyNoMariaDb(),
                                 testing::WhyNoZooKeeper(), testing::WhyNoEtcd()}) {
    if (why.empty()) continue;
    fmt::print("{}\n", json{{"skipped", why}}.dump());
    return 0;
  }
  fmt::print("{}\n", json{{"locks", CompareLocks()}, {"protocols", MeasureProtocols()}}.dump());
  return 0;
}

}  // namespace
}  // namespace doublehold

int main() { return doublehold::Main(); }
