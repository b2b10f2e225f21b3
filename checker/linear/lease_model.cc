// The lock with a lease, whose behaviour depends on time.
//
// An acquire has the times of its invocation and its return, and the lease that it requests. Its
// hold *starts* somewhere between the two. The hold ends with its release, or a lease after its
// start, whichever is first. The next hold starts when this one has ended, or later. So each hold
// starts as early as it can (the greedy earliest start): a later start never helps the holds after
// it. Only the results of the hold's own releases forbid an early start:
//
//   lease 10:   acquire [0 .. 8]   release [12 .. 14] -> ok          held at 12: start >= 2
//                                  release [12 .. 14] -> not owner   over by 14: start <= 4
//
// The two results contradict each other, so a history with both is a violation. So is the next one:
// c1's lease ends at 10 or later, but c2's hold starts at 9 or before.
//
//   c1, lease 10:  |--a--|                        acquire [0 .. 6]: it ends at 10 or later
//   c2, lease 10:        |-a-|                    acquire [6 .. 9]
//
// A server may count in milliseconds and keep a lease a little longer than requested: --lease-grace
// sets how much.
// Ends are closed: at the instant at which a lease ends, the lock may still be held, and may
// already have been granted again.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "checker/linear/model_rows.h"

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 3> kLease{"acquire", "release", "not-owner"};
constexpr std::array<FunctionValues, 3> kOfLease{{{.argument = ValueKind::kLease}, {}, {}}};
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// The state. All operations so far can have happened by `now`, and no earlier. The hold that is not
// known to be over can have started from `earliest` to `latest`.
struct Lock {
  int64_t grace = 0;
  int64_t now = std::numeric_limits<int64_t>::min();
  int64_t owner = 0;
  int64_t earliest = 0;
  int64_t latest = 0;
  int64_t length = 0;

  // Forgets the hold, which no longer matters.
  void End() { owner = earliest = latest = length = 0; }
  [[nodiscard]] ModelState Numbers() const { return {grace, now, owner, earliest, latest, length}; }
};

Lock LockOf(const ModelState& state) {
  return {state[0], state[1], state[2], state[3], state[4], state[5]};
}

ModelState NeverHeld(const ModelParameters& parameters) {
  return Lock{.grace = parameters.lease_grace.count()}.Numbers();
}

int64_t Plus(int64_t time, int64_t length) {
  int64_t sum = 0;
  return __builtin_add_overflow(time, length, &sum) ? (length < 0 ? kNil : kNever) : sum;
}

int64_t LastInstant(const Operation& operation) {
  return operation.indeterminate ? kNever : operation.returned;
}

// Puts the operation at its earliest possible instant; false if that is after its last. Restricts
// the current hold to starts that are not later than that.
bool TakePlace(Lock& lock, const Operation& operation, int64_t not_before) {
  const int64_t at = std::max({lock.now, operation.invoked, not_before});
  if (at > LastInstant(operation)) return false;
  lock.now = at;
  if (lock.owner != 0) lock.latest = std::min(lock.latest, LastInstant(operation));
  return true;
}

bool Acquire(Lock& lock, const Operation& operation) {
  const bool held = lock.owner != 0;
  const int64_t end = held ? Plus(lock.earliest, lock.length) : lock.now;
  if (!TakePlace(lock, operation, end)) return false;
  lock.owner = OwnerOf(operation);
  lock.earliest = lock.now;
  lock.latest = LastInstant(operation);
  lock.length = std::max<int64_t>(0, First(operation.argument, kNever));
  return true;
}

// The lease must not have ended at the release. Then the hold ends here, and its start no longer
// matters.
bool Release(Lock& lock, const Operation& operation) {
  if (lock.owner != OwnerOf(operation)) return false;
  if (!TakePlace(lock, operation, lock.earliest)) return false;
  // The release is as early as possible: the start is at most a lease before it.
  const int64_t length = Plus(lock.length, lock.grace);
  if (Plus(lock.now, -length) > lock.latest) return false;
  lock.End();
  return true;
}

// If another process holds the lock, this result is always possible. If the releasing process holds
// it, its lease must be over.
bool NotOwner(Lock& lock, const Operation& operation) {
  const bool its_own = lock.owner == OwnerOf(operation);
  const int64_t end = its_own ? Plus(lock.earliest, lock.length) : lock.now;
  if (!TakePlace(lock, operation, end)) return false;
  if (its_own) lock.End();
  return true;
}

bool ApplyLease(ModelState& state, const Operation& operation) {
  Lock lock = LockOf(state);
  const bool allowed = operation.function == 0   ? Acquire(lock, operation)
                       : operation.function == 1 ? Release(lock, operation)
                                                 : NotOwner(lock, operation);
  if (allowed) state = lock.Numbers();
  return allowed;
}

std::string DescribeLease(const ModelState& state) {
  const Lock lock = LockOf(state);
  if (lock.owner == 0) return "free";
  if (lock.length == kNever) return fmt::format("held by {}, without a lease", lock.owner - 1);
  return fmt::format("held by {} from {} on, its lease over at {}", lock.owner - 1, lock.earliest,
                     Plus(lock.earliest, lock.length));
}

}  // namespace

std::vector<Model> LeaseModels() {
  return {
      Model{.name = "lease-mutex",
            .summary = "held until it is released or its lease ends",
            .functions = kLease,
            .has_owners = true,
            .initial = NeverHeld,
            .apply = ApplyLease,
            .describe = DescribeLease,
            .values = kOfLease,
            .needs_times = true},
  };
}

}  // namespace doublehold
