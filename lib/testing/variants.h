// Lock variants on real servers, for tests with label `real`: the servers, and clients that run in
// the test's process.
#ifndef DOUBLEHOLD_LIB_TESTING_VARIANTS_H_
#define DOUBLEHOLD_LIB_TESTING_VARIANTS_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/locks/registry.h"
#include "lib/locks/retry.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {

constexpr Lease kShortLease = 300ms;  // ends during a test
constexpr Lease kLongLease = 60s;     // does not end during a test
constexpr int kServers = 5;

// A variant with its options.
struct Variant {
  std::string lock;
  std::map<std::string, std::string> options{};
};
std::string NameOf(const Variant& variant);

// One session of a client.
class Client {
 public:
  Client(int number, const Variant& variant, Lease lease = kLongLease, int thread = 0);

  AcquireResult Try(const LockKey& key) { return Try(key, env_.Mono() + kPatience); }
  AcquireResult Try(const LockKey& key, Deadline deadline) {
    return lock_->TryAcquire(key, lease_, deadline);
  }
  // Acquires the key. The test fails if the key is not granted.
  Grant Acquire(const LockKey& key);
  // Tries until the key is granted. Waits long enough for a short lease to end.
  Grant AcquireEventually(const LockKey& key);
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

 private:
  Lease lease_;
  RealProcess process_;
  RealEnv env_{process_, TaskKind::kSession};
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
};

// Servers 1 to 5. They start once for all tests of a program, because a start takes longer than a
// test. Each test begins with empty servers.
class OnServers : public ::testing::Test {
 protected:
  void SetUp() override { Empty(); }
  static void Empty();
  static Server& Node(int number);
  // Returns a reply as text: "(nil)", "3", "OK", "[a, b]".
  static std::string AskNode(int node, std::initializer_list<std::string_view> command);
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_VARIANTS_H_
