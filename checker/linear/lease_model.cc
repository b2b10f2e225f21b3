// The lock with a lease, where what may be depends on when.
//
// An attempt is stamped when it is sent and when its answer is there, with the lease that it asks
// for. Somewhere between the two it *starts*; it ends with its release, or a lease after its start,
// whichever is first. Who comes next starts when the one before has ended, or later. So a hold
// begins as early as it can (the greedy earliest start): nobody after it can gain by its beginning
// later. What keeps it from that is what its own releases were told:
//
//   lease 10:   acquire [0 .. 8]   release [12 .. 14] -> ok          it was held at 12, so it started at 2 or later
//                                  release [12 .. 14] -> not owner   it was over by 14, so it started at 4 or before
//
// The two answers contradict each other, so a history with both is a violation. So is the next one:
// c1's lease ends at 10 or later, yet c2 starts at 9 or before.
//
//   c1, lease 10:  |--a--|                        acquire [0 .. 6]: it ends at 10 or later
//   c2, lease 10:        |-a-|                    acquire [6 .. 9]
//
// A server may count in milliseconds and keep a lease a little longer than was asked for:
// --lease-grace says how much.
// Ends are closed: at the very instant at which a lease is over, it may still be held, and may have
// been given on.
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

// The numbers of the state. All that came so far can have happened by `now`, and no earlier; the
// hold that is not known to be over can have started from `earliest` to `latest`.
struct Lock {
  int64_t grace = 0;
  int64_t now = std::numeric_limits<int64_t>::min();
  int64_t owner = 0;
  int64_t earliest = 0;
  int64_t latest = 0;
  int64_t length = 0;

  // Of what was held nothing matters any more.
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

// The earliest instant for it; false if that is after its last. Of the hold it leaves the starts
// that are not later than it.
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

// Its lease has not ended when it is released: then it ends here, and how it started is of no more
// interest.
bool Release(Lock& lock, const Operation& operation) {
  if (lock.owner != OwnerOf(operation)) return false;
  if (!TakePlace(lock, operation, lock.earliest)) return false;
  // The release as early as it can be: the start is at most a lease before.
  const int64_t length = Plus(lock.length, lock.grace);
  if (Plus(lock.now, -length) > lock.latest) return false;
  lock.End();
  return true;
}

// Another's hold: then nothing is to be said against it. Its own: the lease was over.
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
            .summary = "held until it is released or its lease is over",
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
