#include "lib/sim/sql/postgres_model.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "lib/base/check.h"
#include "lib/sim/sql/postgres_statements.h"

namespace doublehold::sim {
namespace {

constexpr std::string_view kUndefinedTable = "42P01";
constexpr int64_t kMinusInfinity = INT64_MIN;
constexpr int64_t kUsPerMs = 1000;

int64_t MsIn(std::string_view word) {
  int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

CallResult OneRow(std::string_view value) {
  return Reply{.kind = Reply::Kind::kString, .text = std::string(value)};
}
CallResult NoRow() { return Reply{}; }

CallResult RefuseWithoutTable() {
  return tl::unexpected(CallFailure{.definite = true, .message = std::string(kUndefinedTable)});
}

}  // namespace

const std::vector<PostgresModel::KnownStatement>& PostgresModel::KnownStatements() {
  using Model = PostgresModel;
  static const std::vector<KnownStatement> known{
      {std::string(kSelectOne), &Model::SelectOne},
      {std::string(kTryAdvisoryLock), &Model::TryAdvisoryLock},
      {std::string(kAdvisoryUnlock), &Model::UnlockAdvisory},
      {std::string(kFindAdvisoryLock), &Model::FindAdvisoryLock},
      {std::string(kCreateLockTable), &Model::CreateTable},
      {std::string(kLeaseLeft), &Model::FindLeaseLeft},
      {ByDatabaseClock(kTakeLease), &Model::TakeLease},
      {ByDatabaseClock(kExtendLease), &Model::ExtendLease},
      {ByDatabaseClock(kReleaseLease), &Model::ReleaseLease},
      {ByClientClock(kTakeLease), &Model::TakeLease, /*by_client_clock=*/true},
      {ByClientClock(kExtendLease), &Model::ExtendLease, /*by_client_clock=*/true},
      {ByClientClock(kReleaseLease), &Model::ReleaseLease, /*by_client_clock=*/true}};
  return known;
}

std::optional<CallResult> PostgresModel::Execute(Argv request, const ServiceCall& call) {
  const auto known = std::ranges::find(KnownStatements(), request[1], &KnownStatement::text);
  CHECK(known != KnownStatements().end());  // a lock's statement has changed
  using std::chrono::floor;
  using std::chrono::microseconds;
  const Given given{.values = request.subspan(2),
                    .connection = call.connection,
                    .now_us = known->by_client_clock
                                  ? MsIn(request.back()) * kUsPerMs
                                  : floor<microseconds>(call.wall.time_since_epoch()).count()};
  return (this->*known->execute)(given);
}

void PostgresModel::CloseConnection(int connection) {
  std::erase_if(advisory_locks_,
                [&](const auto& lock) { return lock.second.connection == connection; });
}

CallResult PostgresModel::SelectOne(const Given& /*given*/) { return OneRow("1"); }

CallResult PostgresModel::TryAdvisoryLock(const Given& given) {
  AdvisoryLock& lock = advisory_locks_[std::string(given.values[0])];
  if (lock.depth > 0 && lock.connection != given.connection) return OneRow("f");
  lock.connection = given.connection;
  ++lock.depth;
  return OneRow("t");
}

CallResult PostgresModel::UnlockAdvisory(const Given& given) {
  const auto lock = advisory_locks_.find(given.values[0]);
  if (lock == advisory_locks_.end() || lock->second.connection != given.connection)
    return OneRow("f");
  if (--lock->second.depth == 0) advisory_locks_.erase(lock);
  return OneRow("t");
}

CallResult PostgresModel::FindAdvisoryLock(const Given& given) {
  return advisory_locks_.contains(given.values[0]) ? OneRow("1") : NoRow();
}

CallResult PostgresModel::CreateTable(const Given& /*given*/) {
  if (!table_) table_.emplace();
  return NoRow();
}

CallResult PostgresModel::TakeLease(const Given& given) {
  if (!table_) return RefuseWithoutTable();
  const auto [held, is_new] = table_->try_emplace(std::string(given.values[0]));
  Row& row = held->second;
  if (!is_new && row.locked_until_us >= given.now_us) return NoRow();
  row = {.owner = std::string(given.values[1]),
         .locked_until_us = given.now_us + MsIn(given.values[2]) * kUsPerMs,
         .token = is_new ? 1 : row.token + 1};
  return OneRow(std::to_string(row.token));
}

CallResult PostgresModel::ExtendLease(const Given& given) {
  return SetLockedUntil(given, given.now_us + MsIn(given.values[2]) * kUsPerMs);
}

CallResult PostgresModel::ReleaseLease(const Given& given) {
  return SetLockedUntil(given, kMinusInfinity);
}

// Changes only a row of this owner whose lease is not over.
CallResult PostgresModel::SetLockedUntil(const Given& given, int64_t until_us) {
  if (!table_) return RefuseWithoutTable();
  const auto row = table_->find(given.values[0]);
  if (row == table_->end() || row->second.owner != given.values[1] ||
      row->second.locked_until_us < given.now_us)
    return NoRow();
  row->second.locked_until_us = until_us;
  return OneRow(std::to_string(row->second.token));
}

// Returns the rest of the lease in ms, rounded up.
CallResult PostgresModel::FindLeaseLeft(const Given& given) {
  if (!table_) return RefuseWithoutTable();
  const auto row = table_->find(given.values[0]);
  if (row == table_->end() || row->second.locked_until_us < given.now_us) return NoRow();
  const int64_t left_us = row->second.locked_until_us - given.now_us;
  return OneRow(std::to_string((left_us + kUsPerMs - 1) / kUsPerMs));
}

void PostgresModel::MixData(StateDigest& digest) const {
  digest.Mix(advisory_locks_.size());
  for (const auto& [name, lock] : advisory_locks_) {
    digest.Mix(name);
    digest.Mix(lock.connection);
    digest.Mix(lock.depth);
  }
  digest.Mix(table_.has_value());
  if (!table_) return;
  digest.Mix(table_->size());
  for (const auto& [name, row] : *table_) {
    digest.Mix(name);
    digest.Mix(row.owner);
    digest.Mix(row.locked_until_us);
    digest.Mix(row.token);
  }
}

}  // namespace doublehold::sim
