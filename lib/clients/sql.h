// An SQL database, as lock code sees it: sessions that execute one statement at a time.
#ifndef DOUBLEHOLD_LIB_CLIENTS_SQL_H_
#define DOUBLEHOLD_LIB_CLIENTS_SQL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/node.h"
#include "lib/base/time.h"

namespace doublehold {

struct SqlFailure {
  enum class Kind : uint8_t {
    kNotSent,  // not executed, and never will be: there is no session
    kRefused,  // the database answered with an error; the statement has no effect
    kNoReply,  // the statement may have been executed, or may still be executed later
  };
  Kind kind = Kind::kRefused;
  std::string sqlstate{};  // five characters, for kRefused only
  std::string message{};
};

using SqlRows = std::vector<std::vector<std::string>>;  // values as text; NULL is an empty text
using SqlResult = tl::expected<SqlRows, SqlFailure>;
using SqlValues = std::span<const std::string_view>;

// One session of the database. Connects on first use, and never again: a statement after the end of
// the session fails with kNotSent. Not thread-safe; owned by one task.
//
// The session has ended if it could not connect, if the database ended it, and after kNoReply: the
// client then closes the connection, so that a late reply is not mistaken for the reply to a later
// statement. The database frees the session's locks when it notices the closed connection.
class SqlSession {
 public:
  virtual ~SqlSession() = default;  // closes the session; does not wait for the database

  // Executes one statement: in a transaction of its own, unless BEGIN began one. $1, $2, ... stand
  // for `values`. The deadline covers connecting, sending and receiving.
  [[nodiscard]] virtual SqlResult Execute(std::string_view statement, SqlValues values,
                                          Deadline deadline) = 0;
  // Whether the session has ended, as far as the client has noticed.
  [[nodiscard]] virtual bool HasEnded() const = 0;
};

// A task's way to the database.
class SqlClients {
 public:
  virtual ~SqlClients() = default;

  [[nodiscard]] virtual std::unique_ptr<SqlSession> OpenSession(NodeId node) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLIENTS_SQL_H_
