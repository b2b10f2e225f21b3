// The statements that the modelled PostgreSQL knows: exactly the texts that the locks of
// lib/locks/sql send. A lock whose text differs fails a CHECK in the model, so that the model never
// answers a statement that it does not know.
#ifndef DOUBLEHOLD_LIB_SIM_SQL_POSTGRES_STATEMENTS_H_
#define DOUBLEHOLD_LIB_SIM_SQL_POSTGRES_STATEMENTS_H_

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace doublehold::sim {

constexpr std::string_view kSelectOne = "SELECT 1";
constexpr std::string_view kTryAdvisoryLock = "SELECT pg_try_advisory_lock($1)";
constexpr std::string_view kAdvisoryUnlock = "SELECT pg_advisory_unlock($1)";
constexpr std::string_view kFindAdvisoryLock =
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND "
    "classid::int8 << 32 | objid::int8 = $1";

constexpr std::string_view kCreateLockTable =
    "CREATE TABLE IF NOT EXISTS doublehold_lock (name text PRIMARY KEY, owner text NOT NULL, "
    "locked_until timestamptz NOT NULL, token bigint NOT NULL)";
constexpr std::string_view kLeaseLeft =
    "SELECT ceil(extract(epoch FROM locked_until - clock_timestamp()) * 1000)::bigint "
    "FROM doublehold_lock WHERE name = $1 AND locked_until >= clock_timestamp()";

// A statement in which {0} stands for the current time.
struct TimedStatement {
  std::string_view text;
  int values = 0;  // number of its values; the time of the client's clock, in ms, is one more
};
constexpr TimedStatement kTakeLease{
    "INSERT INTO doublehold_lock AS held VALUES ($1, $2, {0} + $3::float8 * interval '1 ms', 1) "
    "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, locked_until = "
    "excluded.locked_until, token = held.token + 1 WHERE held.locked_until < {0} RETURNING token",
    3};
constexpr TimedStatement kExtendLease{
    "UPDATE doublehold_lock SET locked_until = {0} + $3::float8 * interval '1 ms' "
    "WHERE name = $1 AND owner = $2 AND locked_until >= {0} RETURNING token",
    3};
constexpr TimedStatement kReleaseLease{
    "UPDATE doublehold_lock SET locked_until = '-infinity' "
    "WHERE name = $1 AND owner = $2 AND locked_until >= {0} RETURNING token",
    2};

inline std::string ByDatabaseClock(const TimedStatement& statement) {
  return fmt::format(fmt::runtime(statement.text), "clock_timestamp()");
}
inline std::string ByClientClock(const TimedStatement& statement) {
  return fmt::format(fmt::runtime(statement.text),
                     fmt::format("to_timestamp(${}::float8 / 1000)", statement.values + 1));
}

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_SQL_POSTGRES_STATEMENTS_H_
