// Checks the key's value of the variants with one plain key, on real servers.
#include "lib/testing/variants.h"

namespace doublehold {
namespace {

using testing::Client;
using testing::kLongLease;
using testing::OnServers;

const LockKey kSetnxKey{.name = "k"};

class PlainKey : public OnServers {};

TEST_F(PlainKey, SetNxPxStoresTheOwnerAndTheKeyExpiresWithTheLease) {
  for (const char* lock : {"set-nx-px", "set-nx-px-del", "set-nx-px-get-del", "set-nx-px-reentrant",
                           "setnx-expire", "fenced"}) {
    SCOPED_TRACE(lock);
    Empty();
    Client client(1, {lock});
    const Grant grant = client.Acquire(kSetnxKey);
    EXPECT_EQ(AskNode(1, {"GET", "k"}), grant.owner);
    EXPECT_GT(std::stoll(AskNode(1, {"PTTL", "k"})), 0);
    EXPECT_LE(std::stoll(AskNode(1, {"PTTL", "k"})), ToMs(kLongLease));
  }
}

TEST_F(PlainKey, SetnxGetsetStoresTheInstantWhenTheLeaseEnds) {
  for (const char* lock : {"setnx-getset", "setnx-getset-expired"}) {
    SCOPED_TRACE(lock);
    Empty();
    Client client(1, {lock});
    const int64_t now_ms = ToMs(client.env().Wall());
    (void)client.Acquire(kSetnxKey);
    const int64_t over_ms = std::stoll(AskNode(1, {"GET", "k"}));
    EXPECT_GE(over_ms, now_ms + ToMs(kLongLease));
    EXPECT_LE(over_ms, ToMs(client.env().Wall()) + ToMs(kLongLease) + 1);
  }
  EXPECT_EQ(AskNode(1, {"TTL", "k"}), "-1") << "setnx-getset-expired never expires";
  Empty();
  Client client(1, {"setnx-getset"});
  (void)client.Acquire(kSetnxKey);
  EXPECT_GT(std::stoll(AskNode(1, {"TTL", "k"})), 86'000) << "the last resort, a day";
}

TEST_F(PlainKey, SetnxGetsetTakesOverAKeyAfterItsInstant) {
  Client a(1, {"setnx-getset"});
  ASSERT_EQ(AskNode(1, {"SET", "k", "1000"}), "OK");  // an instant in 1970
  (void)a.Acquire(kSetnxKey);
  for (const char* odd : {"", "soon", "99999999999999"}) {
    ASSERT_EQ(AskNode(1, {"SET", "k", odd}), "OK");
    EXPECT_TRUE(a.IsBusy(kSetnxKey)) << odd;
    EXPECT_EQ(AskNode(1, {"GET", "k"}), odd);
  }
}

}  // namespace
}  // namespace doublehold
