// Properties of every lock variant, on real servers. The variants come from the registry, so a new
// variant needs a line here only if it lacks a property. A family of variants has a test of its own
// for further properties.
#include <algorithm>
#include <set>

#include "lib/testing/variants.h"

namespace doublehold {
namespace {

using testing::Client;
using testing::Eventually;
using testing::kLongLease;
using testing::kServers;
using testing::kShortLease;
using testing::NameOf;
using testing::OnServers;
using testing::Variant;

const LockKey kVariantsKey{.name = "k"};

class Variants : public OnServers {};

bool HasOption(const LockEntry& entry, std::string_view name) {
  return std::ranges::any_of(entry.options, [&](const OptionSpec& o) { return o.name == name; });
}

// Returns every variant that acquires locks, and redlock with several options. Watchdogs are off,
// so that leases end.
std::vector<Variant> LeaseLocks() {
  std::vector<Variant> variants;
  for (const LockEntry& entry : Locks()) {
    if (entry.name == "none" || entry.Has(Trait::kLockFree)) continue;
    if (entry.service != kRedisService) continue;
    Variant variant{.lock = std::string(entry.name)};
    if (HasOption(entry, "explicit-lease")) variant.options["explicit-lease"] = "true";
    variants.push_back(variant);
  }
  variants.push_back({"redlock", {{"ask", "at-once"}}});
  variants.push_back({"redlock", {{"clock", "wall"}}});
  return variants;
}
std::vector<Variant> LeaseLocksWith(Trait trait) {
  std::vector<Variant> variants = LeaseLocks();
  std::erase_if(variants, [&](const Variant& v) { return !FindLock(v.lock)->Has(trait); });
  return variants;
}
bool IsOnOneNode(const Variant& variant) { return FindLock(variant.lock)->most_nodes == 1; }

// Whether the variant's release is known not to compare owners (K03, K04).
bool ReleasesWhatIsAnothers(const Variant& variant) {
  static const std::set<std::string> locks{"setnx-getset", "setnx-getset-expired", "setnx-expire",
                                           "set-nx-px-del"};
  return locks.contains(variant.lock);
}
// Whether the variant's source can extend a lease.
bool Extends(const Variant& variant) {
  return !variant.lock.starts_with("setnx") && variant.lock != "set-nx-px-del";
}

// Returns the time that a variant adds to its leases. Seed 004 adds a millisecond.
Duration MoreThanTheLease(const Variant& variant) {
  return variant.lock == "setnx-getset-expired" ? 1ms : 0ms;
}

bool Freed(ReleaseResult result) {
  return result == ReleaseResult::kReleased || result == ReleaseResult::kFreed;
}

TEST_F(Variants, ASecondClientIsRefusedUntilTheRelease) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant);
    Client b(2, variant);
    const MonoTime before = a.env().Mono();
    const Grant grant = a.Acquire(kVariantsKey);
    const MonoTime after = a.env().Mono();
    EXPECT_LE(grant.valid_until, after + kLongLease + MoreThanTheLease(variant));
    EXPECT_GT(grant.valid_until, before + kLongLease * 98 / 100 - 10ms) << "minus drift";
    EXPECT_TRUE(b.IsBusy(kVariantsKey));
    EXPECT_TRUE(std::holds_alternative<Granted>(b.Try({.name = "another"})));
    EXPECT_TRUE(Freed(a.Release(grant)));
    for (int node = 1; node <= kServers; ++node) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
    const Grant next = b.AcquireEventually(kVariantsKey);
    EXPECT_NE(next.hold, grant.hold);
    EXPECT_TRUE(a.IsBusy(kVariantsKey));
    EXPECT_TRUE(Freed(b.Release(next)));
  }
}

TEST_F(Variants, TwoThreadsOfOneClientExcludeEachOther) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant, kLongLease, /*thread=*/0);
    Client b(1, variant, kLongLease, /*thread=*/1);
    const Grant grant = a.Acquire(kVariantsKey);
    EXPECT_TRUE(b.IsBusy(kVariantsKey));
    EXPECT_TRUE(Freed(a.Release(grant)));
    EXPECT_NE(b.AcquireEventually(kVariantsKey).hold, grant.hold);
  }
}

TEST_F(Variants, ADeadHoldersLockIsFreeAfterItsLeaseAndNotBefore) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant, kShortLease);
    Client b(2, variant, kShortLease);
    const MonoTime invoked = a.env().Mono();
    const Grant grant = a.Acquire(kVariantsKey);
    const Grant next = b.AcquireEventually(kVariantsKey);
    EXPECT_GE(b.env().Mono(), grant.valid_until);
    EXPECT_GE(b.env().Mono() - invoked, kShortLease - 1ms) << "servers count whole milliseconds";
    EXPECT_GT(next.valid_until, grant.valid_until);
  }
}

TEST_F(Variants, ALateReleaseDoesNotFreeAnotherOwnersLockIfOwnersAreCompared) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    // The next holder's lease is long, so that only the release can free it.
    Client a(1, variant, kShortLease);
    Client b(2, variant);
    Client c(3, variant);
    EXPECT_EQ(a.lock().ReleasesAnothers(), ReleasesWhatIsAnothers(variant));
    const Grant late = a.Acquire(kVariantsKey);
    const Grant next = b.AcquireEventually(kVariantsKey);
    if (ReleasesWhatIsAnothers(variant)) {
      EXPECT_TRUE(Freed(a.Release(late)));
      EXPECT_FALSE(c.IsBusy(kVariantsKey)) << "that is the attack";
      continue;
    }
    EXPECT_EQ(a.Release(late), ReleaseResult::kNotOwner);
    EXPECT_TRUE(c.IsBusy(kVariantsKey));
    EXPECT_TRUE(Freed(b.Release(next)));
  }
}

TEST_F(Variants, AnExtensionLengthensOnlyTheHoldersLease) {
  for (const Variant& variant : LeaseLocks()) {
    if (!Extends(variant)) continue;
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant, kShortLease);
    Client b(2, variant);
    const Grant grant = a.Acquire(kVariantsKey);
    const ExtendResult extended = a.Extend(grant);
    ASSERT_TRUE(std::holds_alternative<Extended>(extended));
    EXPECT_GT(std::get<Extended>(extended).valid_until, grant.valid_until);
    (void)b.AcquireEventually(kVariantsKey);
    EXPECT_GE(b.env().Mono(), std::get<Extended>(extended).valid_until);
    EXPECT_TRUE(std::holds_alternative<Lost>(a.Extend(grant)));
  }
}

TEST_F(Variants, AReentrantOwnerKeepsTheLockUntilItsLastExit) {
  for (const Variant& variant : LeaseLocksWith(Trait::kReentry)) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant);
    Client b(2, variant);
    const Grant outer = a.Acquire(kVariantsKey);
    const Grant inner = a.Acquire(kVariantsKey);
    const Grant innermost = a.Acquire(kVariantsKey);
    EXPECT_EQ(std::set<uint64_t>({outer.hold, inner.hold, innermost.hold}).size(), 3u);
    for (const Grant& exit : {innermost, inner}) {
      EXPECT_EQ(a.Release(exit), ReleaseResult::kReleased);
      EXPECT_TRUE(b.IsBusy(kVariantsKey));
    }
    EXPECT_EQ(a.Release(outer), ReleaseResult::kReleased);
    (void)b.AcquireEventually(kVariantsKey);
  }
}

TEST_F(Variants, ReadersShareAndAWriterIsAlone) {
  for (const Variant& variant : LeaseLocksWith(Trait::kReaders)) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    const LockKey to_read{.name = "k", .shared = true};
    Client a(1, variant);
    Client b(2, variant);
    Client writer(3, variant);
    const Grant first = a.Acquire(to_read);
    const Grant second = b.Acquire(to_read);
    EXPECT_TRUE(first.shared && second.shared);
    EXPECT_TRUE(writer.IsBusy(kVariantsKey));
    EXPECT_EQ(a.Release(first), ReleaseResult::kReleased);
    EXPECT_TRUE(writer.IsBusy(kVariantsKey));
    EXPECT_EQ(b.Release(second), ReleaseResult::kReleased);
    const Grant written = writer.Acquire(kVariantsKey);
    EXPECT_FALSE(written.shared);
    EXPECT_TRUE(a.IsBusy(to_read));
    EXPECT_TRUE(b.IsBusy(kVariantsKey));
    EXPECT_EQ(writer.Release(written), ReleaseResult::kReleased);
    (void)a.Acquire(to_read);
  }
}

TEST_F(Variants, OnlyVariantsWithReadersReportAGrantAsShared) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant);
    EXPECT_EQ(a.Acquire({.name = "k", .shared = true}).shared,
              FindLock(variant.lock)->Has(Trait::kReaders));
  }
}

TEST_F(Variants, TokensIncreaseFromGrantToGrant) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant);
    Client b(2, variant);
    const bool gives = FindLock(variant.lock)->Has(Trait::kToken);
    int64_t last = 0;
    for (Client* client : {&a, &b, &b, &a}) {
      const Grant grant = client->Acquire(kVariantsKey);
      if (gives) {
        EXPECT_GT(grant.token, last);
      } else {
        EXPECT_EQ(grant.token, 0);
      }
      last = grant.token;
      EXPECT_TRUE(Freed(client->Release(grant)));
    }
  }
}

TEST_F(Variants, AServerThatDoesNotAnswerLeavesTheOutcomeUnknown) {
  for (const Variant& variant : LeaseLocks()) {
    if (!IsOnOneNode(variant)) continue;  // variants on several nodes decide by quorum
    SCOPED_TRACE(NameOf(variant));
    Empty();
    Client a(1, variant);
    Client b(2, variant);
    // First acquires and releases once, so that the server knows the scripts.
    EXPECT_TRUE(Freed(a.Release(a.Acquire(kVariantsKey))));
    Node(1).Stop();
    const AcquireResult result = a.Try(kVariantsKey, a.env().Mono() + 50ms);
    Node(1).Continue();
    ASSERT_TRUE(std::holds_alternative<Unknown>(result));
    // The stopped server had received the command, and executed it when it continued. The key
    // blocks the other client until the first client releases it.
    ASSERT_TRUE(Eventually([&] { return AskNode(1, {"EXISTS", "k"}) == "1"; }));
    EXPECT_TRUE(b.IsBusy(kVariantsKey));
    EXPECT_TRUE(Freed(a.Release(std::get<Unknown>(result).perhaps)));
    (void)b.AcquireEventually(kVariantsKey);
  }
}

TEST_F(Variants, ADeadServerGrantsNothing) {
  for (const Variant& variant : LeaseLocks()) {
    if (!IsOnOneNode(variant)) continue;
    SCOPED_TRACE(NameOf(variant));
    Client a(1, variant);
    Node(1).Kill();
    EXPECT_TRUE(a.IsBusy(kVariantsKey));
    Node(1).Start();
    (void)a.Acquire(kVariantsKey);
  }
}

TEST_F(Variants, WithoutALockEveryClientIsGranted) {
  for (const LockEntry& entry : Locks()) {
    if (entry.name != "none" && !entry.Has(Trait::kLockFree)) continue;
    SCOPED_TRACE(entry.name);
    const Variant variant{.lock = std::string(entry.name)};
    Client a(1, variant);
    Client b(2, variant);
    const Grant grant = a.Acquire(kVariantsKey);
    EXPECT_EQ(grant.valid_until, MonoTime::max());
    (void)b.Acquire(kVariantsKey);
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  }
}

TEST_F(Variants, OnlyRedissonsLocksWithAChannelWakeWaiters) {
  const std::set<std::string_view> tell{"redisson", "redisson-fair", "redisson-multi",
                                        "redisson-read-write", "redisson-fenced"};
  for (const LockEntry& entry : Locks()) {
    if (entry.service != kRedisService) continue;
    SCOPED_TRACE(entry.name);
    Client client(1, {.lock = std::string(entry.name)});
    EXPECT_EQ(client.lock().WakeUps(kVariantsKey) != nullptr, tell.contains(entry.name));
  }
}

}  // namespace
}  // namespace doublehold
