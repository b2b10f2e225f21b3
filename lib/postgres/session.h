// SqlSession of a real PostgreSQL server, over libpq. Only session.cc includes libpq. A build
// without libpq has absent.cc instead.
#ifndef DOUBLEHOLD_LIB_POSTGRES_SESSION_H_
#define DOUBLEHOLD_LIB_POSTGRES_SESSION_H_

#include <memory>

#include "lib/base/address.h"
#include "lib/clients/sql.h"

namespace doublehold {

// Whether this build contains libpq.
bool HasPostgres();

// The name of the database and of its user.
constexpr const char* kPostgresName = "doublehold";

// Makes a session that connects on first use. A unix socket is named as PostgreSQL names it:
// FOLDER/.s.PGSQL.PORT. Requires HasPostgres().
std::unique_ptr<SqlSession> OpenPostgres(const NodeAddress& server);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_POSTGRES_SESSION_H_
