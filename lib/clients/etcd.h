// etcd's v3 API, as lock code sees it: leases, keys that end with their lease, and the server's own
// lock.
#ifndef DOUBLEHOLD_LIB_CLIENTS_ETCD_H_
#define DOUBLEHOLD_LIB_CLIENTS_ETCD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/subscription.h"
#include "lib/base/time.h"

namespace doublehold {

struct EtcdFailure {
  enum class Kind : uint8_t {
    kNoLease,  // the lease has ended, and so have its keys; not executed
    kNotSent,  // no server was reached before the deadline: not executed, and never will be
    kNoReply,  // the request may have been executed, or may still be executed later
    kRefused,  // any other error of the server; not executed
  };
  Kind kind = Kind::kRefused;
  std::string message{};
};
template <typename Value>
using EtcdResult = tl::expected<Value, EtcdFailure>;

struct EtcdKey {
  std::string name;
  int64_t create_revision = 0;  // of the transaction that created the key; larger for later keys
};

// The answer to a create.
struct EtcdQueue {
  EtcdKey own;    // created now, or by an earlier create
  EtcdKey first;  // the key with the lowest create revision under the prefix
};

// Not thread-safe. Connects on first use. After a failure to reach a server, asks the next one. A
// request past its deadline fails.
class EtcdConnection {
 public:
  virtual ~EtcdConnection() = default;

  // Returns the number of a new lease. If no client keeps the lease alive for `ttl`, rounded up to
  // whole seconds, the server ends it and removes its keys.
  [[nodiscard]] virtual EtcdResult<int64_t> GrantLease(Duration ttl, Deadline deadline) = 0;
  // Makes the lease last for its whole time again.
  [[nodiscard]] virtual EtcdResult<void> KeepAlive(int64_t lease, Deadline deadline) = 0;
  // Ends the lease, and removes its keys.
  [[nodiscard]] virtual EtcdResult<void> Revoke(int64_t lease, Deadline deadline) = 0;

  // In one transaction: creates the key unless it exists, and finds the key with the lowest create
  // revision under `prefix`. Requires that `key` begins with `prefix`.
  [[nodiscard]] virtual EtcdResult<EtcdQueue> Create(const std::string& key, int64_t lease,
                                                     const std::string& prefix,
                                                     Deadline deadline) = 0;
  // Returns the last key under the prefix that was created before this revision.
  [[nodiscard]] virtual EtcdResult<std::optional<EtcdKey>> FindBefore(const std::string& prefix,
                                                                      int64_t revision,
                                                                      Deadline deadline) = 0;
  // Returns the names of all keys.
  [[nodiscard]] virtual EtcdResult<std::vector<std::string>> Keys(Deadline deadline) = 0;
  // Returns a subscription, independent of this connection, that gets a message when this key is
  // deleted, or if it was deleted before this call. Used by one task.
  [[nodiscard]] virtual std::unique_ptr<Subscription> WatchDeletion(const EtcdKey& key) = 0;

  // The server's lock. Lock waits on the server until the lock is granted, and returns the key that
  // proves the grant; `create_revision` is then the revision of the grant. A failed Lock may leave
  // a key, which ends with the lease. Unlock does not report whether the key existed.
  [[nodiscard]] virtual EtcdResult<EtcdKey> Lock(const std::string& name, int64_t lease,
                                                 Deadline deadline) = 0;
  [[nodiscard]] virtual EtcdResult<void> Unlock(const std::string& key, Deadline deadline) = 0;
};

// A task's way to etcd.
class EtcdClients {
 public:
  virtual ~EtcdClients() = default;

  [[nodiscard]] virtual std::unique_ptr<EtcdConnection> Dial() = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLIENTS_ETCD_H_
