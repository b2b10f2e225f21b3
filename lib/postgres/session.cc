#include "lib/postgres/session.h"

#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cstring>
#include <utility>

#include "lib/base/words.h"
#include "lib/clients/await_socket.h"

namespace doublehold {
namespace {

using Kind = SqlFailure::Kind;
using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

class PostgresSession final : public SqlSession {
 public:
  explicit PostgresSession(NodeAddress server) : server_(std::move(server)) {}
  ~PostgresSession() override { Close(); }

  SqlResult Execute(std::string_view statement, SqlValues values, Deadline deadline) override;
  bool HasEnded() const override { return ended_; }

 private:
  std::string Connect(Deadline deadline);
  bool IsConnected();
  std::string Flush(Deadline deadline);
  SqlResult Receive(Deadline deadline);
  SqlResult Read(PGresult* answer);
  tl::unexpected<SqlFailure> End(Kind kind, const std::string& why);
  void Close();

  NodeAddress server_;
  PGconn* connection_ = nullptr;
  bool ended_ = false;
};

void PostgresSession::Close() {
  if (connection_ != nullptr) PQfinish(std::exchange(connection_, nullptr));
}

tl::unexpected<SqlFailure> PostgresSession::End(Kind kind, const std::string& why) {
  Close();
  ended_ = true;
  return tl::unexpected(SqlFailure{.kind = kind, .message = OnOneLine(why)});
}

// Returns why there is no connection, or an empty text. Sets each parameter that a variable of the
// user's environment could set otherwise.
std::string PostgresSession::Connect(Deadline deadline) {
  std::string host = server_.host;
  std::string port = std::to_string(server_.port);
  const bool is_unix = !server_.unix_path.empty();
  if (is_unix) {
    host = server_.unix_path.substr(0, server_.unix_path.rfind('/'));
    port = server_.unix_path.substr(server_.unix_path.rfind('.') + 1);
  }
  const std::array names{is_unix ? "host" : "hostaddr",
                         "port",
                         "dbname",
                         "user",
                         "sslmode",
                         "gssencmode",
                         "client_encoding",
                         "options",
                         "application_name",
                         static_cast<const char*>(nullptr)};
  const std::array settings{host.c_str(),  port.c_str(),
                            kPostgresName, kPostgresName,
                            "disable",     "disable",
                            "UTF8",        "-c client_min_messages=error",
                            "doublehold",  static_cast<const char*>(nullptr)};
  connection_ = PQconnectStartParams(names.data(), settings.data(), 0);
  if (connection_ == nullptr) return "out of memory";
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (PQstatus(connection_) != CONNECTION_BAD && next != PGRES_POLLING_OK) {
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (AwaitSocket(PQsocket(connection_), events, deadline) == 0) return "no connection in time";
    next = PQconnectPoll(connection_);
  }
  if (PQstatus(connection_) == CONNECTION_OK && PQsetnonblocking(connection_, 1) == 0) return "";
  return PQerrorMessage(connection_);
}

// Whether the connection is open. Without this test, a statement after a restart of the server
// would have an unknown outcome, although it is sent to nobody.
bool PostgresSession::IsConnected() {
  pollfd readable{.fd = PQsocket(connection_), .events = POLLIN};
  while (poll(&readable, 1, 0) > 0) {
    if (PQconsumeInput(connection_) != 1) return false;
  }
  return true;
}

SqlResult PostgresSession::Execute(std::string_view statement, SqlValues values,
                                   Deadline deadline) {
  if (ended_) return End(Kind::kNotSent, "the session has ended");
  if (connection_ == nullptr) {
    if (const std::string why = Connect(deadline); !why.empty()) return End(Kind::kNotSent, why);
  } else if (!IsConnected()) {
    return End(Kind::kNotSent, PQerrorMessage(connection_));
  }
  const std::vector<std::string> texts(values.begin(), values.end());
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  if (PQsendQueryParams(connection_, std::string(statement).c_str(), static_cast<int>(texts.size()),
                        nullptr, pointers.data(), nullptr, nullptr, 0) != 1)
    return End(Kind::kNoReply, PQerrorMessage(connection_));
  if (const std::string why = Flush(deadline); !why.empty()) return End(Kind::kNoReply, why);
  return Receive(deadline);
}

// Sends the statement. Returns why it was not sent completely, or an empty text.
std::string PostgresSession::Flush(Deadline deadline) {
  int unsent = 0;
  while ((unsent = PQflush(connection_)) == 1) {
    if (AwaitSocket(PQsocket(connection_), POLLIN | POLLOUT, deadline) == 0)
      return "not sent in time";
    if (PQconsumeInput(connection_) != 1) break;
  }
  return unsent == 0 ? "" : PQerrorMessage(connection_);
}

// Receives the whole answer, so that the next statement can be sent.
SqlResult PostgresSession::Receive(Deadline deadline) {
  SqlResult result = SqlRows{};
  while (true) {
    while (PQisBusy(connection_) == 1) {
      if (AwaitSocket(PQsocket(connection_), POLLIN, deadline) == 0)
        return End(Kind::kNoReply, "no reply in time");
      if (PQconsumeInput(connection_) != 1) return End(Kind::kNoReply, PQerrorMessage(connection_));
    }
    const Answer answer(PQgetResult(connection_), &PQclear);
    if (answer == nullptr) return result;
    result = Read(answer.get());
    if (ended_) return result;
  }
}

SqlResult PostgresSession::Read(PGresult* answer) {
  const ExecStatusType status = PQresultStatus(answer);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    const char* const state = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const char* const severity = PQresultErrorField(answer, PG_DIAG_SEVERITY_NONLOCALIZED);
    const std::string message = PQresultErrorMessage(answer);
    if (state == nullptr) return End(Kind::kNoReply, message);  // libpq's own error
    SqlFailure refused{.kind = Kind::kRefused, .sqlstate = state, .message = OnOneLine(message)};
    if (severity == nullptr || std::strcmp(severity, "ERROR") != 0) [[maybe_unused]]
      const auto ended = End(Kind::kRefused, message);
    return tl::unexpected(std::move(refused));
  }
  SqlRows rows(static_cast<size_t>(PQntuples(answer)));
  for (size_t row = 0; row < rows.size(); ++row) {
    for (int column = 0; column < PQnfields(answer); ++column)
      rows[row].emplace_back(PQgetvalue(answer, static_cast<int>(row), column));
  }
  return rows;
}

}  // namespace

bool HasPostgres() { return true; }

std::unique_ptr<SqlSession> OpenPostgres(const NodeAddress& server) {
  return std::make_unique<PostgresSession>(server);
}

}  // namespace doublehold
