// What real SQL servers of tests have in common.
#ifndef DOUBLEHOLD_LIB_TESTING_SQL_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_SQL_SERVER_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/address.h"
#include "lib/clients/sql.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {

// A server on a unix socket, with its data in a temporary folder of its own. The server executes
// statements when it was constructed, and when Start returns. It dies when this process dies.
class SqlServer {
 public:
  SqlServer() = default;
  virtual ~SqlServer() = default;
  SqlServer(const SqlServer&) = delete;
  SqlServer& operator=(const SqlServer&) = delete;

  virtual void Start() = 0;  // with the data that an earlier start left
  virtual void Kill() = 0;   // SIGKILL for the server and its sessions; waits for the server's end

  [[nodiscard]] virtual NodeAddress address() const = 0;
  [[nodiscard]] virtual std::unique_ptr<SqlSession> Open() const = 0;
};

// Executes a statement. Returns "[1, a] [2, b]", "not sent", "refused 42P01" or "no reply".
inline std::string RunSql(SqlSession& session, std::string_view statement,
                          std::vector<std::string_view> values = {}, Duration within = kPatience) {
  const SqlResult result = session.Execute(statement, values, RealMono() + within);
  if (!result) {
    constexpr std::array kNames{"not sent", "refused ", "no reply"};
    return kNames.at(static_cast<size_t>(result.error().kind)) + result.error().sqlstate;
  }
  std::string text;
  for (const auto& row : *result) {
    text += text.empty() ? "[" : " [";
    for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ", ") + row[i];
    text += "]";
  }
  return text;
}

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SQL_SERVER_H_
