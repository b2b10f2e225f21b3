// SqlSession of a real MariaDB server, over MariaDB's C client. Only session.cc includes the C
// client. A build without the C client has absent.cc instead.
#ifndef DOUBLEHOLD_LIB_MARIADB_SESSION_H_
#define DOUBLEHOLD_LIB_MARIADB_SESSION_H_

#include <memory>

#include "lib/base/address.h"
#include "lib/clients/sql.h"

namespace doublehold {

// Whether this build contains MariaDB's C client.
bool HasMariaDb();

// The name of the sessions' user, who needs no password.
constexpr const char* kMariaDbName = "doublehold";

// Makes a session that connects on first use. It uses no database. Requires HasMariaDb().
std::unique_ptr<SqlSession> OpenMariaDb(const NodeAddress& server);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_MARIADB_SESSION_H_
