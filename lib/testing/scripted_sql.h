// An SQL database whose answers a test scripts.
#ifndef DOUBLEHOLD_LIB_TESTING_SCRIPTED_SQL_H_
#define DOUBLEHOLD_LIB_TESTING_SCRIPTED_SQL_H_

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/clients/sql.h"

namespace doublehold::testing {

// Answers each statement with the next answer. Without one, the test fails by an exception.
struct ScriptedSql {
  std::deque<SqlResult> answers;
  std::vector<std::string> log;  // "session 1: SELECT $1 | value"
  int sessions = 0;
  int end_of = 0;  // the database has ended all sessions up to this number

  std::unique_ptr<SqlSession> OpenSession();
  void Rows(SqlRows rows) { answers.emplace_back(std::move(rows)); }
  void Fail(SqlFailure::Kind kind, std::string sqlstate = {}) {
    answers.emplace_back(tl::unexpected(SqlFailure{.kind = kind, .sqlstate = std::move(sqlstate)}));
  }
};

class ScriptedSqlSession final : public SqlSession {
 public:
  ScriptedSqlSession(ScriptedSql& sql, int number) : sql_(sql), number_(number) {}

  SqlResult Execute(std::string_view statement, SqlValues values, Deadline /*deadline*/) override {
    ended_ = ended_ || number_ <= sql_.end_of;
    if (ended_) return tl::unexpected(SqlFailure{.kind = SqlFailure::Kind::kNotSent});
    std::string line = "session " + std::to_string(number_) + ": " + std::string(statement);
    for (const std::string_view value : values) line += " | " + std::string(value);
    sql_.log.push_back(std::move(line));
    SqlResult answer = std::move(sql_.answers.at(0));
    sql_.answers.pop_front();
    ended_ = !answer && answer.error().kind != SqlFailure::Kind::kRefused;
    return answer;
  }
  bool HasEnded() const override { return ended_; }

 private:
  ScriptedSql& sql_;
  int number_;
  bool ended_ = false;
};

inline std::unique_ptr<SqlSession> ScriptedSql::OpenSession() {
  return std::make_unique<ScriptedSqlSession>(*this, ++sessions);
}

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SCRIPTED_SQL_H_
