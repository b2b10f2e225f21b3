// fenced: SET key owner NX PX lease and INCR of a counter, in one script. Each grant's fencing
// token is greater than all earlier ones. The store refuses a token that is lower than an earlier
// one, so a late holder can do no harm.
//
// Claims:  at most one client's lease is valid at a time; tokens increase from grant to grant; with
//          a store that compares tokens no order is lost, however late a holder is.
// Assumes: one server that loses no write and whose clock runs at the clients' rate; the store
//          compares the tokens of reads and of writes.
// Attack:  a late holder still acts as the holder (K14). Move the server's clock (K17), or lose the
//          server's memory (K18): two leases are valid, but the store accepts only one of the two
//          holders. If the store compares tokens on writes only, two clients that read the same
//          stock write one after the other (K33). After the counter is lost, old tokens are granted
//          again (K34).
// Source:  Kleppmann, "How to do distributed locking".

#include <array>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

// Returns the token, or nil when the key is taken.
const Script& AcquireFencedScript() {
  static const Script script(
      "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
      "return redis.call('incr', KEYS[2]) end return nil");
  return script;
}

class Fenced final : public Lock {
 public:
  explicit Fenced(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    Grant grant{.key = key, .hold = owners_.NextHold()};
    grant.owner = owners_.TextOf(grant.hold);
    grant.valid_until = env_.Mono() + lease;
    const std::string lease_ms = std::to_string(ToMs(lease));
    // The counter's name has the key as its hash tag, because in a cluster all keys of a script
    // must be in one slot.
    const std::string counter = "{" + key.name + "}:token";
    const std::array<std::string_view, 2> keys{key.name, counter};
    const std::array<std::string_view, 2> args{grant.owner, lease_ms};
    const CallResult result = node_->Eval(AcquireFencedScript(), keys, args, deadline);
    if (!result) return NotGranted(result.error(), std::move(grant));
    if (result->kind != Reply::Kind::kInteger) return Busy{};
    grant.token = result->integer;
    return Granted{std::move(grant)};
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendIfOwned(env_, *node_, grant, lease, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return ReleaseIfOwned(*node_, grant, deadline);
  }

 private:
  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
};

}  // namespace

LockEntry FencedLock() {
  return {.name = "fenced",
          .summary = "SET NX PX and a fencing token in one script; the store compares tokens",
          .sends = Sends{{"EVALSHA EVAL", "{}"}},
          .make = MakeLock<Fenced>,
          .traits = {Trait::kToken},
          .write = "fenced"};
}

}  // namespace doublehold
