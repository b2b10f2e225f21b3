#include "lib/mariadb/session.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <poll.h>
#include <sys/socket.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/words.h"
#include "lib/clients/await_socket.h"

namespace doublehold {
namespace {

using Kind = SqlFailure::Kind;
using StoredResult = std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)>;

class MariaDbSession final : public SqlSession {
 public:
  explicit MariaDbSession(NodeAddress server) : server_(std::move(server)) {}
  ~MariaDbSession() override { Close(); }

  SqlResult Execute(std::string_view statement, SqlValues values, Deadline deadline) override;
  bool HasEnded() const override { return ended_; }

 private:
  template <typename Start, typename Continue>
  bool Await(const Start& start, const Continue& proceed, Deadline deadline);
  std::string Connect(Deadline deadline);
  bool IsConnected();
  std::string Quote(std::string_view statement, SqlValues values);
  SqlResult Failure();
  tl::unexpected<SqlFailure> End(Kind kind, const std::string& why);
  void Close();

  NodeAddress server_;
  MYSQL* connection_ = nullptr;
  bool ended_ = false;
};

// Shuts the socket down first, since the client's QUIT could wait for a server that reads nothing.
// The server ends a session at the end of its connection as at a QUIT.
void MariaDbSession::Close() {
  if (connection_ == nullptr) return;
  if (const my_socket fd = mysql_get_socket(connection_); fd >= 0) shutdown(fd, SHUT_RDWR);
  mysql_close(std::exchange(connection_, nullptr));
}

tl::unexpected<SqlFailure> MariaDbSession::End(Kind kind, const std::string& why) {
  Close();
  ended_ = true;
  return tl::unexpected(SqlFailure{.kind = kind, .message = OnOneLine(why)});
}

// Runs a call that does not block to its end: `start` begins it, `proceed` continues it with the
// events that came. Both return the events for which it waits, 0 at its end. Returns false after
// the deadline; then nothing but Close may follow.
template <typename Start, typename Continue>
bool MariaDbSession::Await(const Start& start, const Continue& proceed, Deadline deadline) {
  int waits = start();
  while (waits != 0) {
    short events = 0;
    if ((waits & MYSQL_WAIT_READ) != 0) events |= POLLIN;
    if ((waits & MYSQL_WAIT_WRITE) != 0) events |= POLLOUT;
    if ((waits & MYSQL_WAIT_EXCEPT) != 0) events |= POLLPRI;
    const short ready = AwaitSocket(mysql_get_socket(connection_), events, deadline);
    if (ready == 0) return false;
    int came = 0;
    if ((ready & (POLLIN | POLLHUP | POLLERR)) != 0) came |= waits & MYSQL_WAIT_READ;
    if ((ready & (POLLOUT | POLLHUP | POLLERR)) != 0) came |= waits & MYSQL_WAIT_WRITE;
    if ((ready & POLLPRI) != 0) came |= waits & MYSQL_WAIT_EXCEPT;
    waits = proceed(came);
  }
  return true;
}

// Returns why there is no connection, or an empty text. The C client reads a user's configuration
// files only if it is asked to.
std::string MariaDbSession::Connect(Deadline deadline) {
  connection_ = mysql_init(nullptr);
  if (connection_ == nullptr) return "out of memory";
  mysql_options(connection_, MYSQL_OPT_NONBLOCK, nullptr);
  mysql_options(connection_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const bool is_unix = !server_.unix_path.empty();
  MYSQL* connected = nullptr;
  const bool in_time = Await(
      [&] {
        return mysql_real_connect_start(
            &connected, connection_, is_unix ? nullptr : server_.host.c_str(), kMariaDbName, "",
            nullptr, server_.port, is_unix ? server_.unix_path.c_str() : nullptr, 0);
      },
      [&](int came) { return mysql_real_connect_cont(&connected, connection_, came); }, deadline);
  if (!in_time) return "no connection in time";
  return connected == nullptr ? mysql_error(connection_) : "";
}

// Whether the connection is open. Without this test, a statement after a restart of the server
// would have an unknown outcome, although it is sent to nobody. Between two statements, a server
// sends nothing but the reason for the end of the session.
bool MariaDbSession::IsConnected() {
  pollfd readable{.fd = mysql_get_socket(connection_), .events = POLLIN};
  return poll(&readable, 1, 0) == 0;
}

// Replaces $1, $2, ... by the values as literals. Requires that each has a value.
std::string MariaDbSession::Quote(std::string_view statement, SqlValues values) {
  std::string quoted;
  while (!statement.empty()) {
    const size_t at = statement.find('$');
    quoted += statement.substr(0, at);
    if (at == std::string_view::npos) break;
    statement.remove_prefix(at + 1);
    size_t number = 0;
    const char* end = statement.data() + statement.size();
    statement = {std::from_chars(statement.data(), end, number).ptr, end};
    const std::string_view value = values[number - 1];
    std::string literal(2 * value.size() + 1, '\0');
    literal.resize(mysql_real_escape_string(connection_, literal.data(), value.data(),
                                            static_cast<unsigned long>(value.size())));
    quoted += "'" + literal + "'";
  }
  return quoted;
}

SqlResult MariaDbSession::Execute(std::string_view statement, SqlValues values, Deadline deadline) {
  if (ended_) return End(Kind::kNotSent, "the session has ended");
  if (connection_ == nullptr) {
    if (const std::string why = Connect(deadline); !why.empty()) return End(Kind::kNotSent, why);
  } else if (!IsConnected()) {
    return End(Kind::kNotSent, "the server has ended the session");
  }
  const std::string quoted = Quote(statement, values);
  int failed = 0;
  if (!Await(
          [&] {
            return mysql_real_query_start(&failed, connection_, quoted.data(),
                                          static_cast<unsigned long>(quoted.size()));
          },
          [&](int came) { return mysql_real_query_cont(&failed, connection_, came); }, deadline))
    return End(Kind::kNoReply, "no reply in time");
  if (failed != 0) return Failure();
  MYSQL_RES* stored = nullptr;
  if (!Await([&] { return mysql_store_result_start(&stored, connection_); },
             [&](int came) { return mysql_store_result_cont(&stored, connection_, came); },
             deadline))
    return End(Kind::kNoReply, "no whole reply in time");
  const StoredResult result(stored, &mysql_free_result);
  if (result == nullptr && mysql_errno(connection_) != 0) return Failure();
  SqlRows rows;
  while (MYSQL_ROW row = result == nullptr ? nullptr : mysql_fetch_row(result.get())) {
    const unsigned long* const lengths = mysql_fetch_lengths(result.get());
    std::vector<std::string>& values_of_row = rows.emplace_back();
    for (unsigned int column = 0; column < mysql_num_fields(result.get()); ++column)
      values_of_row.emplace_back(row[column] == nullptr ? "" : row[column], lengths[column]);
  }
  return rows;
}

// Returns what the connection's last error means.
SqlResult MariaDbSession::Failure() {
  const unsigned int code = mysql_errno(connection_);
  const std::string message = mysql_error(connection_);
  if (IS_MYSQL_ERROR(code) || IS_MARIADB_ERROR(code)) return End(Kind::kNoReply, message);
  SqlFailure refused{.kind = Kind::kRefused,
                     .sqlstate = mysql_sqlstate(connection_),
                     .message = OnOneLine(message)};
  if (code == ER_CONNECTION_KILLED || code == ER_SERVER_SHUTDOWN) [[maybe_unused]]
    const auto ended = End(Kind::kRefused, message);
  return tl::unexpected(std::move(refused));
}

}  // namespace

bool HasMariaDb() { return true; }

std::unique_ptr<SqlSession> OpenMariaDb(const NodeAddress& server) {
  return std::make_unique<MariaDbSession>(server);
}

}  // namespace doublehold
