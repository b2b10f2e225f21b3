// basket: orders over several items at once. A client acquires the locks of all items of its
// basket, or of none. It reads all stocks, works, writes each stock, and orders each item. The
// items are named in random order, so acquiring them in this order without a time limit could
// deadlock. If an item is sold out, or the outcome of a write is unknown, nothing is ordered.
//
// In the store: see redis_shop.cc.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "lib/locks/redis/redisson_multi.h"
#include "workloads/pace.h"
#include "workloads/shop.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Basket final : public Workload {
 public:
  explicit Basket(const Options& options)
      : size_(ShopSizeOf(options)),
        basket_size_(static_cast<int>(options.Integer("size"))),
        write_(options.Text("write")),
        pace_(options),
        store_timeout_(options.Span("store-timeout")) {}

  bool Setup(Env& env) override { return MakeRedisShop(env, store_timeout_)->Open(size_); }

  void Step(Session& session) override {
    Env& env = session.env;
    if (!customer_) {
      customer_.emplace(env, MakeRedisShop(env, store_timeout_), write_, /*fence_on_reads=*/false);
    }
    const std::vector<LockKey> keys = Fill(env.Random());
    WithLocks(env, session.lock, keys, session.lease, session.policy,
              [&](std::span<const Grant> grants) { Buy(env, grants); });
    pace_.Think(env);
  }

  void Finish(Env& env) override {
    CloseShop(env, *MakeRedisShop(env, store_timeout_), size_.items);
  }

  std::vector<std::string> Keys() const override { return ItemNames(size_.items); }

 private:
  // Returns the basket: different items in random order.
  std::vector<LockKey> Fill(Prng& random) const {
    std::vector<int> items(static_cast<size_t>(size_.items));
    std::iota(items.begin(), items.end(), 0);
    std::vector<LockKey> keys;
    for (size_t i = 0; i < static_cast<size_t>(basket_size_); ++i) {
      std::swap(items[i], items[i + random.Below(items.size() - i)]);
      keys.push_back({.name = ItemName(items[i]), .index = static_cast<uint16_t>(items[i])});
    }
    return keys;
  }

  // The critical section.
  void Buy(Env& env, std::span<const Grant> grants) {
    std::vector<int64_t> stocks;
    for (const Grant& grant : grants) {
      const std::optional<int64_t> stock = customer_->Read(grant.key.index, grant);
      if (!stock) return;
      stocks.push_back(*stock);
    }
    env.Reach(Step::kAfterRead);
    if (std::ranges::any_of(stocks, [](int64_t stock) { return stock <= 0; })) return;  // sold out
    pace_.Work(env);
    env.Reach(Step::kBeforeWrite);
    std::vector<StockWritten> written;
    for (size_t i = 0; i < grants.size(); ++i) {
      written.push_back(customer_->Write(grants[i].key.index, stocks[i], grants[i]));
      if (written.back().answer != Answer::kDone) return;
    }
    env.Reach(Step::kAfterWrite);
    for (size_t i = 0; i < grants.size(); ++i) {
      customer_->Order(grants[i].key.index, written[i], grants[i]);
    }
  }

  ShopSize size_;
  int basket_size_;
  std::string write_;
  Pace pace_;
  Duration store_timeout_;
  std::optional<Customer> customer_;  // in a client's session
};

std::string BasketMisfit(const Options& options, const LockEntry& /*lock*/) {
  if (options.Integer("size") <= options.Integer("items")) return "";
  return fmt::format("a basket needs {} different items, but workload.items is {}",
                     options.Integer("size"), options.Integer("items"));
}

}  // namespace

WorkloadEntry BasketWorkload() {
  using Kind = OptionSpec::Kind;
  std::vector<OptionSpec> options{
      {.name = "write",
       .kind = Kind::kChoice,
       .fallback = "read-modify-write",
       .help = "how each stock is written: SET of the read value less one, or DECR",
       .choices = PlainWrites()},
      {.name = "size",
       .kind = Kind::kInteger,
       .fallback = "3",
       .help = "number of different items in a basket",
       .least = 1,
       .most = 100}};
  for (const auto& some : {ShopOptions("6"), PaceOptions("0.02 lease", "0.01 lease")}) {
    options.insert(options.end(), some.begin(), some.end());
  }
  return {.name = "basket",
          .summary = "orders over several items at once: all of them or none",
          .options = std::move(options),
          .claims = {"exclusion", "lease-exclusion", "release", "stock", "liveness"},
          .needs = {Trait::kManyKeys},
          .steps = {Step::kAfterRead, Step::kBeforeWrite, Step::kAfterWrite},
          .incompatibility = BasketMisfit,
          .sends = Sends{{"RPUSH", "dh:orders:{}"}},
          .make = MakeWorkload<Basket>};
}

}  // namespace doublehold
