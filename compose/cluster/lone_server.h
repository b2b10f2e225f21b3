// One server of a lock service, without a run: for `doublehold driver check`.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_LONE_SERVER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_LONE_SERVER_H_

#include <memory>
#include <string_view>

#include "compose/cluster/service.h"
#include "lib/base/address.h"
#include "lib/base/result.h"

namespace doublehold {

// Thread rule: used by the thread that started it. Each method may wait. The destructor kills the
// server and removes its data.
class LoneServer {
 public:
  // Starts a server, and waits until it is ready. Create it while the process has only one thread.
  static Result<std::unique_ptr<LoneServer>> Start(std::string_view service,
                                                   const ServerProgram& program);
  virtual ~LoneServer() = default;

  // Where clients reach the server, over TCP. It stays the same.
  [[nodiscard]] virtual NodeAddress address() const = 0;
  // Closes all connections of clients.
  virtual void CloseConnections() = 0;
  // Loses the clients' locks. Redis loses its data; the clients of any other service are cut off
  // for `cut`, so that their sessions end.
  virtual Result<void> LoseLocks(Duration cut) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_LONE_SERVER_H_
