// postgres-lease: a row for each key, with the owner and the end of its lease. One INSERT .. ON
// CONFLICT takes a row that is free or whose lease is over. Each grant increments the row's token.
// The database's clock decides; with client-clock the clients' clocks do.
//
// Claims:  at most one client's lease is valid at a time; a dead holder blocks nobody longer than
//          the lease; tokens increase from grant to grant.
// Assumes: the database loses no transaction, its clock runs at the clients' rate, and work ends
//          within the lease. With client-clock, all clients' clocks agree.
// Attack:  stop the holder past its lease (K14). Move the database's clock ahead (S14); with
//          client-clock, one client's. Lose the database's data (K18), or promote a replica that
//          lags (S11): old tokens are granted again.
// Source:  ShedLock (JdbcTemplateLockProvider, usingDbTime); JDBC locks of Spring Integration.

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/clients/sql.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

constexpr std::string_view kClientClock = "client-clock";

// SQLSTATEs: the table does not exist; it exists already. PostgreSQL reports the latter in one of
// two ways if several clients create the table at once.
constexpr std::string_view kUndefinedTable = "42P01";
constexpr std::string_view kDuplicateTable = "42P07";
constexpr std::string_view kUniqueViolation = "23505";

constexpr std::string_view kCreateTable =
    "CREATE TABLE IF NOT EXISTS doublehold_lock (name text PRIMARY KEY, owner text NOT NULL, "
    "locked_until timestamptz NOT NULL, token bigint NOT NULL)";

// A lease in ms is the parameter $3.
constexpr std::string_view kTake =
    "INSERT INTO doublehold_lock AS held VALUES ($1, $2, {0} + $3::float8 * interval '1 ms', 1) "
    "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, locked_until = "
    "excluded.locked_until, token = held.token + 1 WHERE held.locked_until < {0} RETURNING token";
constexpr std::string_view kExtend =
    "UPDATE doublehold_lock SET locked_until = {0} + $3::float8 * interval '1 ms' "
    "WHERE name = $1 AND owner = $2 AND locked_until >= {0} RETURNING token";
// The row stays, since it has the token.
constexpr std::string_view kRelease =
    "UPDATE doublehold_lock SET locked_until = '-infinity' "
    "WHERE name = $1 AND owner = $2 AND locked_until >= {0} RETURNING token";
constexpr std::string_view kLeft =
    "SELECT ceil(extract(epoch FROM locked_until - clock_timestamp()) * 1000)::bigint "
    "FROM doublehold_lock WHERE name = $1 AND locked_until >= clock_timestamp()";

std::optional<int64_t> IntegerIn(const SqlRows& rows) {
  int64_t number = 0;
  if (rows.empty()) return std::nullopt;
  const std::string& text = rows.front().front();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool HasNoTable(const SqlResult& result) {
  return !result && result.error().sqlstate == kUndefinedTable;
}

class PostgresLease final : public Lock {
 public:
  explicit PostgresLease(const LockContext& context)
      : env_(context.env),
        owners_(context.seed, context.client, context.thread),
        by_client_clock_(context.options.Flag(kClientClock)) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;

 private:
  SqlResult Execute(std::string_view statement, std::vector<std::string_view> values,
                    Deadline deadline);
  SqlSession& Session();
  [[nodiscard]] bool CreateTable(Deadline deadline);

  Env& env_;
  Owners owners_;
  bool by_client_clock_;
  std::unique_ptr<SqlSession> session_;  // null before the first statement
};

SqlSession& PostgresLease::Session() {
  if (session_ == nullptr || session_->HasEnded())
    session_ = env_.clients().sql().OpenSession(NodeId{1});
  return *session_;
}

// Executes a statement in which {0} stands for the current time.
SqlResult PostgresLease::Execute(std::string_view statement, std::vector<std::string_view> values,
                                 Deadline deadline) {
  std::string now = "clock_timestamp()";
  const std::string wall_ms = fmt::format("{}", ToMs(env_.Wall().time_since_epoch()));
  if (by_client_clock_) {
    values.push_back(wall_ms);
    now = fmt::format("to_timestamp(${}::float8 / 1000)", values.size());
  }
  return Session().Execute(fmt::format(fmt::runtime(statement), now), values, deadline);
}

AcquireResult PostgresLease::TryAcquire(const LockKey& key, Lease lease, Deadline deadline) {
  Grant grant{.key = key, .hold = owners_.NextHold()};
  grant.owner = owners_.TextOf(grant.hold);
  const std::string lease_ms = std::to_string(ToMs(lease));
  const auto take = [&] {
    grant.valid_until = env_.Mono() + lease;
    return Execute(kTake, {key.name, grant.owner, lease_ms}, deadline);
  };
  SqlResult taken = take();
  if (HasNoTable(taken) && CreateTable(deadline)) taken = take();
  if (!taken) {
    if (taken.error().kind == SqlFailure::Kind::kNoReply) return Unknown{std::move(grant)};
    return Busy{};
  }
  const std::optional<int64_t> token = IntegerIn(*taken);
  if (!token) return Busy{};
  grant.token = *token;
  return Granted{std::move(grant)};
}

// Returns whether the table exists.
bool PostgresLease::CreateTable(Deadline deadline) {
  const SqlResult created = Session().Execute(kCreateTable, {}, deadline);
  return created || created.error().sqlstate == kDuplicateTable ||
         created.error().sqlstate == kUniqueViolation;
}

ExtendResult PostgresLease::Extend(const Grant& grant, Lease lease, Deadline deadline) {
  const MonoTime invoked = env_.Mono();
  const std::string lease_ms = std::to_string(ToMs(lease));
  const SqlResult extended = Execute(kExtend, {grant.key.name, grant.owner, lease_ms}, deadline);
  if (HasNoTable(extended)) return Lost{};
  if (!extended) return Undecided{};
  if (extended->empty()) return Lost{};
  return Extended{.valid_until = invoked + lease};
}

ReleaseResult PostgresLease::Release(const Grant& grant, Deadline deadline) {
  const SqlResult released = Execute(kRelease, {grant.key.name, grant.owner}, deadline);
  if (HasNoTable(released)) return ReleaseResult::kNotOwner;
  if (!released) return ReleaseResult::kUnknown;
  return released->empty() ? ReleaseResult::kNotOwner : ReleaseResult::kReleased;
}

// A lease that the clients' clocks wrote is measured by the database's clock too.
AskLeft AskForLease(Env& env, NodeId node, Lease /*lease*/) {
  const std::shared_ptr<SqlSession> session = env.clients().sql().OpenSession(node);
  return [session](const LockKey& key, Deadline deadline) -> std::optional<int64_t> {
    const SqlResult left =
        session->Execute(kLeft, std::vector<std::string_view>{key.name}, deadline);
    if (HasNoTable(left)) return kNothingLeft;
    if (!left) return std::nullopt;
    return IntegerIn(*left).value_or(kNothingLeft);
  };
}

}  // namespace

LockEntry PostgresLeaseLock() {
  return {.name = "postgres-lease",
          .summary = "a row with owner, lease and token in PostgreSQL, taken by one statement",
          .service = kPostgresService,
          .options = {{.name = kClientClock,
                       .kind = OptionSpec::Kind::kFlag,
                       .fallback = "false",
                       .help = "the client's wall clock instead of the database's"}},
          .make = MakeLock<PostgresLease>,
          .traits = {Trait::kToken},
          .option_traits = {{kClientClock, "true", Trait::kClientClocks}},
          .ask_left = AskForLease};
}

}  // namespace doublehold
