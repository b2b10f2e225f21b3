// A modelled PostgreSQL server: the advisory locks of sessions, and the table of postgres-lease.
// postgres_conformance_test.cc compares it with a real server.
#ifndef DOUBLEHOLD_LIB_SIM_SQL_POSTGRES_MODEL_H_
#define DOUBLEHOLD_LIB_SIM_SQL_POSTGRES_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/sim/service/service_model.h"

namespace doublehold::sim {

// One server without a replica. A connection is a session. A request has the words
//
//   KEYWORD statement value...
//
// The keyword is the first one of the statement, as faults name it on real links. The statement is
// one of postgres_statements.h; any other fails a CHECK. The reply is a string, which is the only
// value of the only row, or nil if there is no row. An error's message is its SQLSTATE.
//
// A session ends with its connection, and frees its advisory locks. A restart with data ends all
// sessions and keeps the table. Differences from a real server:
// - A session begins with its first statement, without messages of its own.
// - The server notices the end of a connection at once, when it has executed all its requests.
class PostgresModel final : public ServiceModel {
 public:
  [[nodiscard]] std::optional<CallResult> Execute(Argv request, const ServiceCall& call) override;
  void CloseConnection(int connection) override;
  [[nodiscard]] MonoTime NextExpiry() const override { return MonoTime::max(); }
  void Expire(MonoTime /*now*/) override {}
  void Restart(MonoTime /*back*/) override { advisory_locks_.clear(); }

 private:
  struct Given {
    Argv values{};
    int connection = 0;
    int64_t now_us = 0;  // by the clock that the statement reads
  };
  struct KnownStatement {
    std::string text;
    CallResult (PostgresModel::*execute)(const Given&) = nullptr;
    bool by_client_clock = false;  // the last value is the time
  };
  struct AdvisoryLock {
    int connection = 0;
    int64_t depth = 0;  // how often its session has locked it
  };
  struct Row {
    std::string owner;
    int64_t locked_until_us = 0;
    int64_t token = 1;
  };

  void MixData(StateDigest& digest) const override;
  static const std::vector<KnownStatement>& KnownStatements();
  CallResult SelectOne(const Given& given);
  CallResult TryAdvisoryLock(const Given& given);
  CallResult UnlockAdvisory(const Given& given);
  CallResult FindAdvisoryLock(const Given& given);
  CallResult CreateTable(const Given& given);
  CallResult TakeLease(const Given& given);
  CallResult ExtendLease(const Given& given);
  CallResult ReleaseLease(const Given& given);
  CallResult FindLeaseLeft(const Given& given);
  CallResult SetLockedUntil(const Given& given, int64_t until_us);

  std::map<std::string, AdvisoryLock, std::less<>> advisory_locks_;  // by their numbers
  std::optional<std::map<std::string, Row, std::less<>>> table_;     // by name
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_SQL_POSTGRES_MODEL_H_
