// Clients of a lock on real servers, for tests with label `real`. They run in the test's process.
#ifndef DOUBLEHOLD_LIB_TESTING_LOCK_CLIENT_H_
#define DOUBLEHOLD_LIB_TESTING_LOCK_CLIENT_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/locks/registry.h"
#include "lib/locks/retry.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/server_process.h"

namespace doublehold::testing {

constexpr Lease kLastingLease = 2 * kPatience;  // outlasts every wait of a test
constexpr RetryPolicy kPolls{.interval = 2ms, .timeout = kPatience, .call_timeout = kPatience};

// A variant with its options.
struct Variant {
  std::string lock;
  std::map<std::string, std::string> options{};
};

// One session of a client.
class LockClient {
 public:
  // `servers` are by node number, and [0] is the store.
  LockClient(std::vector<NodeAddress> servers, int number, const Variant& variant,
             Lease lease = kLastingLease, int thread = 0);

  AcquireResult Try(const LockKey& key) { return Try(key, env_.Mono() + kPatience); }
  AcquireResult Try(const LockKey& key, Deadline deadline) {
    return lock_->TryAcquire(key, lease_, deadline);
  }
  // Acquires the key. The test fails if the key is not granted.
  Grant Acquire(const LockKey& key);
  // Tries until the key is granted. Waits long enough for a short lease to end.
  Grant AcquireEventually(const LockKey& key, const RetryPolicy& policy = kPolls);
  bool IsBusy(const LockKey& key) { return std::holds_alternative<Busy>(Try(key)); }
  ReleaseResult Release(const Grant& grant) {
    return lock_->Release(grant, env_.Mono() + kPatience);
  }
  ExtendResult Extend(const Grant& grant) {
    return lock_->Extend(grant, lease_, env_.Mono() + kPatience);
  }

  Env& env() { return env_; }
  Lock& lock() { return *lock_; }
  [[nodiscard]] Lease lease() const { return lease_; }
  [[nodiscard]] bool gives_tokens() const { return gives_tokens_; }

 private:
  Lease lease_;
  bool gives_tokens_ = false;
  RealProcess process_;
  RealEnv env_{process_, TaskKind::kSession};
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
};

using LockClients = std::vector<std::unique_ptr<LockClient>>;
// Returns clients 1 to `count` of a lock on one server.
LockClients MakeClients(const NodeAddress& server, int count, const Variant& variant);

// Lets all clients acquire and release the key many times at once, each in a thread of its own.
// Tokens must increase, if the lock gives any.
void ExpectGrantedOneAtATime(const LockClients& clients, const LockKey& key,
                             const RetryPolicy& policy = kPolls);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_LOCK_CLIENT_H_
