// Bare loops over the client libraries of lock services. Each sends what a lock variant sends that
// is alone, without deadlines and without recording, and does not look at the answers.
#ifndef DOUBLEHOLD_BENCH_BARE_SERVICES_H_
#define DOUBLEHOLD_BENCH_BARE_SERVICES_H_

#include <functional>
#include <string>
#include <vector>

#include "lib/base/address.h"

namespace doublehold {

struct SqlStatement {
  std::string text;
  std::vector<std::string> values{};
};

// Each returns a function that runs one cycle: an acquire and a release. Ends the program when the
// server fails. For one thread.
std::function<void()> BarePostgres(const NodeAddress& server, std::vector<SqlStatement> cycle);
std::function<void()> BareMariaDb(const NodeAddress& server, std::vector<std::string> cycle);
std::function<void()> BareZooKeeper(const NodeAddress& server);
std::function<void()> BareEtcd(const NodeAddress& server);

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_BARE_SERVICES_H_
