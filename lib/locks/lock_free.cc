// watch, version, atomic-script, postgres-row: no lock. The workload `inventory` protects the stock
// when it writes: by WATCH and MULTI, by comparing a version, by one script, or by a row that
// PostgreSQL locks for the transaction. The variants in this file acquire nothing and guarantee
// nothing.
// none: the same as a control, without that protection. A workload that does not oversell with it
// cannot test any lock (C04).
//
// Claims:  nothing about holds; no order is lost and nothing is oversold.
// Assumes: one store that loses no write.
// Attack:  lose the reply to EXEC or COMMIT: a buyer that retries buys twice (K36, S13). Kill a
//          buyer between its write and its order: the stock is reduced without an order, and no
//          claim covers this case. Pauses, held messages and clock faults have no effect (C01), but
//          a buyer that is stopped in its transaction holds up the others (postgres-row).
// Source:  seed 004 (watch), seed 000 (version), PostgreSQL's documentation (row locks).

#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class LockFree final : public Lock {
 public:
  explicit LockFree(const LockContext& context)
      : owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease /*lease*/, Deadline /*deadline*/) override {
    return Granted{
        {.key = key, .owner = {}, .hold = owners_.NextHold(), .valid_until = MonoTime::max()}};
  }
  ExtendResult Extend(const Grant& /*grant*/, Lease /*lease*/, Deadline /*deadline*/) override {
    return Extended{.valid_until = MonoTime::max()};
  }
  ReleaseResult Release(const Grant& /*grant*/, Deadline /*deadline*/) override {
    return ReleaseResult::kReleased;
  }

 private:
  Owners owners_;
};

auto Entry(std::string_view write, std::string_view summary) -> LockEntry {
  return {.name = write,
          .summary = summary,
          .sends = Sends{},
          .make = MakeLock<LockFree>,
          .traits = {Trait::kLockFree},
          .has_leases = false,
          .write = write};
}

}  // namespace

LockEntry NoneLock() {
  return {.name = "none",
          .summary = "no lock at all: the control",
          .sends = Sends{},
          .make = MakeLock<LockFree>,
          .traits = {Trait::kReaders, Trait::kReentry, Trait::kManyKeys, Trait::kQueue,
                     Trait::kGrantsAll},
          .has_leases = false};
}

LockEntry WatchLock() {
  return Entry("watch", "no lock: WATCH, GET, MULTI, SET, EXEC, with a retry if it fails");
}
LockEntry VersionLock() {
  return Entry("version", "no lock: the stock is written only if its version has not changed");
}
LockEntry AtomicScriptLock() {
  return Entry("atomic-script", "no lock: one script reads and writes (the upper bound of speed)");
}

LockEntry PostgresRowLock() {
  LockEntry entry =
      Entry("postgres-row", "no lock: SELECT .. FOR UPDATE and UPDATE in one transaction");
  entry.service = kPostgresService;
  return entry;
}

}  // namespace doublehold
