// inventory: the flash sale. Each customer takes the lock of an item, reads the stock, works for a while, writes the
// stock back, and records the order; the section of seed 004 when `write` is check-then-decr.
//
// In the store:  dh:stock:I  the stock of item I       dh:orders:I  a list, one entry an order: client-hold-stock read

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "lib/base/check.h"
#include "lib/locks/with_lock.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Inventory final : public Workload {
 public:
  explicit Inventory(const Options& options)
      : stock_(options.Integer("stock")),
        items_(static_cast<int>(options.Integer("items"))),
        decrements_(options.Text("write") == "check-then-decr"),
        work_(options.Span("work")),
        think_(options.Span("think")),
        store_timeout_(options.Span("store-timeout")) {}

  bool Setup(Env& env) override {
    const std::unique_ptr<Connection> store = env.Connect(kStoreId);
    const std::string stock = std::to_string(stock_);
    for (int item = 0; item < items_; ++item) {
      const std::string key = StockKey(item);
      const std::array<std::string_view, 3> set{"SET", key, stock};
      if (!store->Call(set, env.Mono() + store_timeout_)) return false;
    }
    return true;
  }

  void Step(Session& session) override {
    Env& env = session.env;
    if (!store_) store_ = env.Connect(kStoreId);
    const int item =
        items_ == 1 ? 0 : static_cast<int>(env.Random().Below(static_cast<uint64_t>(items_)));
    const LockKey key{.name = LockName(item), .index = static_cast<uint16_t>(item)};
    WithLock(env, session.lock, key, session.lease, session.policy,
             [&](const Grant& grant) { Sell(session, item, grant); });
    if (think_ > Duration::zero()) env.SleepUntil(env.Mono() + env.Random().Exponential(think_));
  }

  void Finish(Env& env) override {
    const std::unique_ptr<Connection> store = env.Connect(kStoreId);
    for (int item = 0; item < items_; ++item) {
      const std::optional<int64_t> stock = ReadStock(env, *store, item);
      const std::string orders_key = OrdersKey(item);
      const std::array<std::string_view, 2> count{"LLEN", orders_key};
      const CallResult orders = store->Call(count, env.Mono() + store_timeout_);
      if (!stock || !orders) continue;  // a missing `final` leaves the stock undecided
      env.Record({.key = static_cast<uint16_t>(item),
                  .op = Op::kFinal,
                  .type = EventType::kOk,
                  .value = {*stock, orders->integer}});
    }
  }

  std::vector<std::string> Keys() const override {
    std::vector<std::string> keys;
    for (int item = 0; item < items_; ++item) keys.push_back(LockName(item));
    return keys;
  }

 private:
  static std::string LockName(int item) { return fmt::format("dh:item:{}", item); }
  static std::string StockKey(int item) { return fmt::format("dh:stock:{}", item); }
  static std::string OrdersKey(int item) { return fmt::format("dh:orders:{}", item); }

  // The critical section.
  void Sell(Session& session, int item, const Grant& grant) {
    Env& env = session.env;
    Event event{.hold = grant.hold,
                .key = static_cast<uint16_t>(item),
                .op = Op::kRead,
                .type = EventType::kInvoke};
    env.Record(event);
    const std::optional<int64_t> read = ReadStock(env, *store_, item);
    if (!read) return;
    event.type = EventType::kOk;
    event.value = {*read};
    env.Record(event);
    env.Reach(Step::kAfterRead);
    if (*read <= 0) return;  // sold out
    if (work_ > Duration::zero())
      env.SleepUntil(env.Mono() + env.Random().Between(work_ / 2, work_ * 3 / 2));
    env.Reach(Step::kBeforeWrite);
    const std::optional<int64_t> written = Write(env, event, *read, item);
    env.Reach(Step::kAfterWrite);
    if (written) Order(env, event, *read, *written, item);
  }

  // What stands in the store afterwards; nothing when that is not certain.
  std::optional<int64_t> Write(Env& env, Event event, int64_t read, int item) {
    event.op = Op::kWrite;
    event.type = EventType::kInvoke;
    event.value = {read, read - 1};
    env.Record(event);
    const std::string key = StockKey(item);
    const std::string value = std::to_string(read - 1);
    const std::array<std::string_view, 3> set{"SET", key, value};
    const std::array<std::string_view, 2> decr{"DECR", key};
    const Deadline deadline = env.Mono() + store_timeout_;
    const CallResult result =
        decrements_ ? store_->Call(decr, deadline) : store_->Call(set, deadline);
    if (!result) {
      event.type = result.error().definite ? EventType::kFail : EventType::kInfo;
      env.Record(event);
      return std::nullopt;
    }
    if (decrements_) event.value[1] = result->integer;
    event.type = EventType::kOk;
    env.Record(event);
    return event.value[1];
  }

  void Order(Env& env, Event event, int64_t read, int64_t written, int item) {
    event.op = Op::kOrder;
    event.type = EventType::kInvoke;
    event.value = {read, written};
    env.Record(event);
    const std::string key = OrdersKey(item);
    const std::string order = fmt::format("{:x}-{}", event.hold, read);
    const std::array<std::string_view, 3> push{"RPUSH", key, order};
    const CallResult result = store_->Call(push, env.Mono() + store_timeout_);
    event.type = result                    ? EventType::kOk
                 : result.error().definite ? EventType::kFail
                                           : EventType::kInfo;
    env.Record(event);
  }

  std::optional<int64_t> ReadStock(Env& env, Connection& store, int item) {
    const std::string key = StockKey(item);
    const std::array<std::string_view, 2> get{"GET", key};
    const CallResult result = store.Call(get, env.Mono() + store_timeout_);
    if (!result || result->kind != Reply::Kind::kString) return std::nullopt;
    int64_t stock = 0;
    const char* end = result->text.data() + result->text.size();
    const auto parsed = std::from_chars(result->text.data(), end, stock);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return stock;
  }

  int64_t stock_;
  int items_;
  bool decrements_;
  Duration work_;
  Duration think_;
  Duration store_timeout_;
  std::unique_ptr<Connection> store_;  // of a client's session
};

}  // namespace

WorkloadEntry InventoryWorkload() {
  using Kind = OptionSpec::Kind;
  return {.name = "inventory",
          .summary = "the flash sale: read the stock, work, write it back, record the order",
          .options = {{.name = "write",
                       .kind = Kind::kChoice,
                       .fallback = "read-modify-write",
                       .help = "how the stock is written: SET what was read less one, or DECR",
                       .choices = {"read-modify-write", "check-then-decr"}},
                      {.name = "stock",
                       .kind = Kind::kInteger,
                       .fallback = "100000",
                       .help = "of each item, at the start",
                       .most = 1'000'000'000},
                      {.name = "items",
                       .kind = Kind::kInteger,
                       .fallback = "1",
                       .help = "each with a lock of its own",
                       .least = 1,
                       .most = 1000},
                      {.name = "work",
                       .kind = Kind::kDuration,
                       .fallback = "0.02 lease",
                       .help = "between read and write; from half to one and a half of it"},
                      {.name = "think",
                       .kind = Kind::kDuration,
                       .fallback = "0.01 lease",
                       .help = "mean pause of a client between two sales"},
                      {.name = "store-timeout",
                       .kind = Kind::kDuration,
                       .fallback = "4 lease",
                       .help = "how long the store may take to answer"}},
          .claims = {"exclusion", "lease-exclusion", "stock", "liveness"},
          .make = MakeWorkload<Inventory>};
}

}  // namespace doublehold
