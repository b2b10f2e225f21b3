#include <gtest/gtest.h>

#include "lib/testing/etcd_server.h"
#include "lib/testing/lock_client.h"

namespace doublehold {
namespace {

using testing::EtcdServer;
using testing::kPatience;
using testing::LockClient;

const LockKey kEtcdKey{.name = "dh:item:0"};

class EtcdLockOnServer : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoEtcd(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<EtcdServer>();
    clients_ = testing::MakeClients(server_->address(), 3, {GetParam()});
  }
  // Tries once, and gives up soundly.
  static bool IsGranted(LockClient& client, Duration call = kPatience) {
    return std::holds_alternative<Granted>(AcquireWithRetry(
        client.env(), client.lock(), kEtcdKey, client.lease(), {.call_timeout = call}));
  }

  std::unique_ptr<EtcdServer> server_;
  testing::LockClients clients_;
};

TEST_P(EtcdLockOnServer, ClientsAreGrantedOneAtATimeWithIncreasingTokens) {
  testing::ExpectGrantedOneAtATime(clients_, kEtcdKey);
}

TEST_P(EtcdLockOnServer, KeepAlivesHoldTheLockLongerThanTheLease) {
  constexpr Duration kShortTtl = 1s;
  LockClient holder({{}, server_->address()}, 4, {GetParam()}, kShortTtl);
  LockClient other({{}, server_->address()}, 5, {GetParam()}, kShortTtl);
  const Grant grant = holder.AcquireEventually(kEtcdKey);
  while (RealMono() < grant.valid_until + 2 * kShortTtl) EXPECT_FALSE(IsGranted(other));
  EXPECT_EQ(holder.Release(grant), ReleaseResult::kReleased);
}

TEST_P(EtcdLockOnServer, AWaiterIsGrantedAfterTriesThatTimedOut) {
  const Grant grant = clients_[0]->AcquireEventually(kEtcdKey);
  for (int tries = 0; tries < 3; ++tries) EXPECT_FALSE(IsGranted(*clients_[1], /*call=*/50ms));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kReleased);
  EXPECT_GT(clients_[1]->AcquireEventually(kEtcdKey).token, grant.token);
}

INSTANTIATE_TEST_SUITE_P(Each, EtcdLockOnServer, ::testing::Values("etcd", "etcd-lock-api"),
                         [](const auto& info) {
                           return std::string(info.param) == "etcd" ? "Mutex" : "LockApi";
                         });

}  // namespace
}  // namespace doublehold
