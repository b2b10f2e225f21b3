// inventory: the flash sale. A customer acquires the lock of an item, reads the stock and works for
// a while. The option `write` selects how the customer writes the stock (stock_writers.h). Then the
// customer records the order. The section with check-then-decr is that of seed 004. If a purchase
// takes several attempts, each attempt is recorded, but at most one order.
//
// Event::key is the index of the item in Keys(). The key of a hold is the key of its lock. With one
// lock for all items (locks=one), the lock of item 0 serves every item: all holds have key 0.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "lib/locks/with_lock.h"
#include "workloads/item_choice.h"
#include "workloads/pace.h"
#include "workloads/shop.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Inventory final : public Workload {
 public:
  explicit Inventory(const Options& options)
      : size_(ShopSizeOf(options)),
        one_lock_(options.Text("locks") == "one"),
        store_(options.Text("store")),
        write_(options.Text("write")),
        fence_on_reads_(options.Text("fence-on") == "reads-and-writes"),
        choice_(size_.items, options.Number("skew")),
        pace_(options),
        store_timeout_(options.Span("store-timeout")) {}

  bool Setup(Env& env) override { return StoreFor(env)->Open(size_); }

  void Step(Session& session) override {
    Env& env = session.env;
    if (!customer_) customer_.emplace(env, StoreFor(env), write_, fence_on_reads_);
    const int item = choice_.Draw(env.Random());
    const int lock = one_lock_ ? 0 : item;
    const LockKey key{.name = ItemName(lock), .index = static_cast<uint16_t>(lock)};
    WithLock(env, session.lock, key, session.lease, session.policy, [&](const Grant& grant) {
      while (Buy(env, item, grant) && !env.Stopping()) {
      }
    });
    pace_.Think(env);
  }

  void Finish(Env& env) override { CloseShop(env, *StoreFor(env), size_.items); }

  std::vector<std::string> Keys() const override { return ItemNames(size_.items); }
  size_t LockCount() const override { return one_lock_ ? 1 : static_cast<size_t>(size_.items); }

 private:
  [[nodiscard]] std::unique_ptr<ShopStore> StoreFor(Env& env) const {
    return MakeShopStore(store_, env, store_timeout_);
  }

  // The critical section: one attempt at a purchase. Returns whether the customer tries again.
  bool Buy(Env& env, int item, const Grant& grant) {
    const std::optional<int64_t> read = customer_->Read(item, grant);
    if (!read) return false;
    env.Reach(Step::kAfterRead);
    if (*read <= 0) {  // sold out
      customer_->Leave();
      return false;
    }
    pace_.Work(env);
    env.Reach(Step::kBeforeWrite);
    const StockWritten written = customer_->Write(item, *read, grant);
    env.Reach(Step::kAfterWrite);
    if (written.answer == Answer::kDone) customer_->Order(item, written, grant);
    return customer_->TriesAgain(written);
  }

  ShopSize size_;
  bool one_lock_;
  std::string store_, write_;
  bool fence_on_reads_;
  ItemChoice choice_;
  Pace pace_;
  Duration store_timeout_;
  std::optional<Customer> customer_;  // in a client's session
};

std::vector<OptionSpec> InventoryOptions() {
  using Kind = OptionSpec::Kind;
  std::vector<OptionSpec> options{
      {.name = "write",
       .kind = Kind::kChoice,
       .fallback = "read-modify-write",
       .help = "how the stock is written: SET of the read value less one, DECR, or a write with "
               "its own guard",
       .choices = AllWrites()},
      StoreOption(),
      {.name = "fence-on",
       .kind = Kind::kChoice,
       .fallback = "reads-and-writes",
       .help = "with write=fenced, the commands whose tokens the store compares",
       .choices = {"reads-and-writes", "writes"}},
      {.name = "locks",
       .kind = Kind::kChoice,
       .fallback = "per-item",
       .help = "one lock for each item, or one for all",
       .choices = {"per-item", "one"}},
      {.name = "skew",
       .kind = Kind::kNumber,
       .fallback = "0",
       .help = "how much more often the first items are bought: the exponent of Zipf's law",
       .most = 10}};
  for (const auto& some : {ShopOptions("1"), PaceOptions("0.02 lease", "0.01 lease")}) {
    options.insert(options.end(), some.begin(), some.end());
  }
  return options;
}

std::string InventoryMisfit(const Options& options, const LockEntry& lock) {
  const std::string& write = options.Text("write");
  const std::string& fence_on = options.Text("fence-on");
  const std::string& store = options.Text("store");
  if (const auto writes = WritesIn(store); std::ranges::find(writes, write) == writes.end()) {
    return fmt::format("store={} has no write={} (one of: {})", store, write,
                       fmt::join(writes, ", "));
  }
  if (write != "fenced" && fence_on != "reads-and-writes") {
    return fmt::format("fence-on={} applies only to write=fenced, not to write={}", fence_on,
                       write);
  }
  if (lock.Has(Trait::kLockFree) && write != lock.write) {
    const LockEntry* other = FindLock(write);
    const bool has_own = other != nullptr && other->Has(Trait::kLockFree);
    return fmt::format("lock {} takes no lock and works only with write={}; write={} needs {}",
                       lock.name, lock.write, write,
                       has_own ? fmt::format("lock {}, or a real lock", write) : "a real lock");
  }
  if (write == "fenced" && !lock.Has(Trait::kToken)) {
    return fmt::format("write=fenced needs a lock that gives fencing tokens ({}), and {} does not",
                       fmt::join(LocksWith(Trait::kToken), ", "), lock.name);
  }
  return "";
}

}  // namespace

WorkloadEntry InventoryWorkload() {
  return {.name = "inventory",
          .summary = "the flash sale: read the stock, work, write it back, record the order",
          .options = InventoryOptions(),
          .claims = {"exclusion", "lease-exclusion", "release", "fencing", "stock", "liveness"},
          .on_demand = {"order", "reentry"},
          .steps = {Step::kAfterRead, Step::kBeforeWrite, Step::kAfterWrite},
          .accepts_lock_free = true,
          .incompatibility = InventoryMisfit,
          .sends = Sends{{"RPUSH", "dh:orders:{}"}},
          .make = MakeWorkload<Inventory>};
}

}  // namespace doublehold
