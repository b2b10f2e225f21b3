// Stands in for session.cc in a build without libpq.
#include "lib/base/check.h"
#include "lib/postgres/session.h"

namespace doublehold {

bool HasPostgres() { return false; }

std::unique_ptr<SqlSession> OpenPostgres(const NodeAddress& /*server*/) {
  CHECK(HasPostgres());
  return nullptr;
}

}  // namespace doublehold
