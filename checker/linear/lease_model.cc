// The lock with a lease, whose behaviour depends on time.
//
// An acquire requests a lease. Its hold starts at some instant between invocation and return. The
// hold ends with its release or one lease length after its start, whichever is earlier. The next
// hold starts at that end or later. The model therefore starts each hold as early as possible: a
// later start never helps later holds. Only the results of a hold's own releases bound its start:
//
//   lease 10:   acquire [0 .. 8]   release [12 .. 14] -> ok          held at 12: start >= 2
//                                  release [12 .. 14] -> not owner   over by 14: start <= 4
//
// A history with both results is violated. The next history is violated too: c1's lease ends at 10
// or later, but c2's hold starts at 9 or before.
//
//   c1, lease 10:  |--a--|                        acquire [0 .. 6]: the lease ends at 10 or later
//   c2, lease 10:        |-a-|                    acquire [6 .. 9]
//
// A server that counts in milliseconds may keep a lease slightly longer than requested. The option
// --lease-grace sets how much longer. At the instant at which a lease ends, both are possible: the
// lock is still held, or is already granted again.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "checker/linear/model_rows.h"

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 3> kLeaseFunctions{"acquire", "release", "not-owner"};
constexpr std::array<FunctionValues, 3> kLeaseValues{{{.argument = ValueKind::kLease}, {}, {}}};
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// `now` is the earliest instant by which all operations so far can have taken effect. The current
// hold is the last hold, unless its end is known. The current hold started between `earliest` and
// `latest`.
struct LeaseState {
  int64_t grace = 0;
  int64_t now = std::numeric_limits<int64_t>::min();
  int64_t owner = 0;
  int64_t earliest = 0;
  int64_t latest = 0;
  int64_t length = 0;

  void End() { owner = earliest = latest = length = 0; }
  [[nodiscard]] ModelState Pack() const { return {grace, now, owner, earliest, latest, length}; }
};

LeaseState UnpackLease(const ModelState& state) {
  return {state[0], state[1], state[2], state[3], state[4], state[5]};
}

ModelState InitLease(const ModelParameters& parameters) {
  return LeaseState{.grace = parameters.lease_grace.count()}.Pack();
}

int64_t AddSaturating(int64_t time, int64_t length) {
  int64_t sum = 0;
  return __builtin_add_overflow(time, length, &sum) ? (length < 0 ? kNil : kNever) : sum;
}

int64_t LastInstant(const Operation& operation) {
  return operation.indeterminate ? kNever : operation.returned;
}

// Places the operation at its earliest possible instant. Returns false if the operation's interval
// ends before that instant. Restricts the current hold to starts no later than the end of the
// interval.
bool PlaceAtEarliest(LeaseState& lock, const Operation& operation, int64_t not_before) {
  const int64_t at = std::max({lock.now, operation.invoked, not_before});
  if (at > LastInstant(operation)) return false;
  lock.now = at;
  if (lock.owner != 0) lock.latest = std::min(lock.latest, LastInstant(operation));
  return true;
}

bool ApplyLeaseAcquire(LeaseState& lock, const Operation& operation) {
  const bool held = lock.owner != 0;
  const int64_t end = held ? AddSaturating(lock.earliest, lock.length) : lock.now;
  if (!PlaceAtEarliest(lock, operation, end)) return false;
  lock.owner = OwnerNumber(operation);
  lock.earliest = lock.now;
  lock.latest = LastInstant(operation);
  lock.length = std::max<int64_t>(0, FirstNumber(operation.argument, kNever));
  return true;
}

// Allowed if the lease plus the grace may still run at the release. Ends the hold.
bool ApplyLeaseRelease(LeaseState& lock, const Operation& operation) {
  if (lock.owner != OwnerNumber(operation)) return false;
  if (!PlaceAtEarliest(lock, operation, lock.earliest)) return false;
  // The release is placed at `now`. The hold starts at most lease plus grace before `now`.
  const int64_t length = AddSaturating(lock.length, lock.grace);
  if (AddSaturating(lock.now, -length) > lock.latest) return false;
  lock.End();
  return true;
}

// Applies a release that was refused because its process does not hold the lock. If the process is
// the owner in the model, the owner's lease must have ended.
bool ApplyLeaseNotOwner(LeaseState& lock, const Operation& operation) {
  const bool its_own = lock.owner == OwnerNumber(operation);
  const int64_t end = its_own ? AddSaturating(lock.earliest, lock.length) : lock.now;
  if (!PlaceAtEarliest(lock, operation, end)) return false;
  if (its_own) lock.End();
  return true;
}

bool ApplyLease(ModelState& state, const Operation& operation) {
  LeaseState lock = UnpackLease(state);
  const bool allowed = operation.function == 0   ? ApplyLeaseAcquire(lock, operation)
                       : operation.function == 1 ? ApplyLeaseRelease(lock, operation)
                                                 : ApplyLeaseNotOwner(lock, operation);
  if (allowed) state = lock.Pack();
  return allowed;
}

std::string DescribeLease(const ModelState& state) {
  const LeaseState lock = UnpackLease(state);
  if (lock.owner == 0) return "free";
  if (lock.length == kNever) return fmt::format("held by {}, without a lease", lock.owner - 1);
  return fmt::format("held by {} from {} on, lease ends at {}", lock.owner - 1, lock.earliest,
                     AddSaturating(lock.earliest, lock.length));
}

}  // namespace

std::vector<Model> LeaseModels() {
  return {
      Model{.name = "lease-mutex",
            .summary = "held until its release or the end of its lease",
            .functions = kLeaseFunctions,
            .has_owners = true,
            .initial = InitLease,
            .apply = ApplyLease,
            .describe = DescribeLease,
            .values = kLeaseValues,
            .needs_times = true},
  };
}

}  // namespace doublehold
