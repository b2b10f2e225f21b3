// none: no lock, as a control. A workload that does not oversell without a lock cannot test any
// lock (C04).
//
// Claims:  nothing.
// Assumes: nothing.
// Attack:  two clients at once.

#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class None final : public Lock {
 public:
  explicit None(const LockContext& context)
      : owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease /*lease*/, Deadline /*deadline*/) override {
    const uint64_t hold = owners_.NextHold();
    return Granted{{.key = key, .owner = {}, .hold = hold, .valid_until = MonoTime::max()}};
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

}  // namespace

LockEntry NoneLock() {
  return {.name = "none",
          .summary = "no lock at all: the control",
          .sends = Sends{},
          .make = MakeLock<None>,
          .traits = {Trait::kReaders, Trait::kReentry, Trait::kManyKeys, Trait::kQueue,
                     Trait::kGrantsAll},
          .has_leases = false};
}

}  // namespace doublehold
