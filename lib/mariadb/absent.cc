// Stands in for session.cc in a build without MariaDB's C client.
#include "lib/base/check.h"
#include "lib/mariadb/session.h"

namespace doublehold {

bool HasMariaDb() { return false; }

std::unique_ptr<SqlSession> OpenMariaDb(const NodeAddress& /*server*/) {
  CHECK(HasMariaDb());
  return nullptr;
}

}  // namespace doublehold
