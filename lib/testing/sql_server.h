// What real SQL servers of tests have in common.
#ifndef DOUBLEHOLD_LIB_TESTING_SQL_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_SQL_SERVER_H_

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/address.h"
#include "lib/clients/sql.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/server_process.h"

namespace doublehold::testing {

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

// A server on a unix socket, with its data in a temporary folder of its own. The server executes
// statements when it was constructed, and when Start returns.
class SqlServer : public ServerProcess {
 public:
  virtual ~SqlServer() { Kill(); }

  // With the data that an earlier start left. A server whose sessions still end refuses to start,
  // so the start is tried again.
  void Start() {
    StartUntilReady([this] { return Program(); },
                    [this] { return RunSql(*Open(), "SELECT 1") == "[1]"; });
  }
  [[nodiscard]] virtual NodeAddress address() const = 0;
  [[nodiscard]] virtual std::unique_ptr<SqlSession> Open() const = 0;

 protected:
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  [[nodiscard]] virtual SpawnRequest Program() const = 0;

  TempFolder folder_;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SQL_SERVER_H_
