#include "workloads/shop.h"

#include <fmt/compile.h>

#include "lib/locks/registry.h"
#include "workloads/store.h"

namespace doublehold {
namespace {

Event About(int item, Op op, const Grant& grant) {
  return {
      .hold = grant.hold, .key = static_cast<uint16_t>(item), .op = op, .type = EventType::kInvoke};
}

EventType TypeOf(Answer answer) {
  switch (answer) {
    case Answer::kDone:
      return EventType::kOk;
    case Answer::kRefused:
    case Answer::kFailed:
      return EventType::kFail;
    case Answer::kUnknown:
      return EventType::kInfo;
  }
  return EventType::kInfo;
}

}  // namespace

std::vector<std::string_view> PlainWrites() { return {"read-modify-write", "check-then-decr"}; }

std::vector<std::string_view> AllWrites() {
  std::vector<std::string_view> writes = WritesIn(kRedisService);
  writes.emplace_back("postgres-row");
  return writes;
}

std::vector<std::string_view> WritesIn(std::string_view store) {
  std::vector<std::string_view> writes = PlainWrites();
  if (store == kPostgresService) {
    writes.insert(writes.end(), {"fenced", "version", "postgres-row"});
  } else {
    writes.insert(writes.end(), {"fenced", "watch", "version", "atomic-script"});
  }
  return writes;
}

OptionSpec StoreOption() {
  return {.name = "store",
          .kind = OptionSpec::Kind::kChoice,
          .fallback = kRedisService,
          .help = "the service that keeps the stock and the orders",
          .choices = {kRedisService, kPostgresService}};
}

std::unique_ptr<ShopStore> MakeShopStore(std::string_view store, Env& env, Duration timeout) {
  return store == kPostgresService ? MakeSqlShop(env, timeout) : MakeRedisShop(env, timeout);
}

std::vector<OptionSpec> ShopOptions(std::string_view items) {
  using Kind = OptionSpec::Kind;
  return {{.name = "stock",
           .kind = Kind::kInteger,
           .fallback = "100000",
           .help = "initial stock of each item",
           .most = 1'000'000'000},
          {.name = "items",
           .kind = Kind::kInteger,
           .fallback = items,
           .help = "number of items",
           .least = 1,
           .most = 1000},
          StoreTimeoutOption()};
}

ShopSize ShopSizeOf(const Options& options) {
  return {.items = static_cast<int>(options.Integer("items")), .stock = options.Integer("stock")};
}

std::string ItemName(int item) { return std::string("dh:item:").append(std::to_string(item)); }

std::vector<std::string> ItemNames(int items) {
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(items));
  for (int item = 0; item < items; ++item) names.push_back(ItemName(item));
  return names;
}

void CloseShop(Env& env, ShopStore& store, int items) {
  for (int item = 0; item < items; ++item) {
    const std::optional<ShopStore::Count> count = store.CountItem(item);
    if (!count) continue;
    env.Record({.key = static_cast<uint16_t>(item),
                .op = Op::kFinal,
                .type = EventType::kOk,
                .value = {count->stock, count->orders}});
  }
}

std::optional<int64_t> Customer::Read(int item, const Grant& grant) {
  Event event = About(item, Op::kRead, grant);
  env_.Record(event);
  const StockRead read = writer_->Read(item, grant);
  if (read.answer == Answer::kRefused) {
    event.type = EventType::kFail;
    env_.Record(event);
  }
  if (read.answer != Answer::kDone) return std::nullopt;
  event.type = EventType::kOk;
  event.value = {read.stock, 0, 0, writer_->TokenShown(Op::kRead, grant)};
  env_.Record(event);
  return read.stock;
}

StockWritten Customer::Write(int item, int64_t read, const Grant& grant) {
  Event event = About(item, Op::kWrite, grant);
  event.value = {read, read - 1, 0, writer_->TokenShown(Op::kWrite, grant)};
  env_.Record(event);
  const StockWritten written = writer_->Write(item, read, grant);
  event.type = TypeOf(written.answer);
  if (written.answer == Answer::kDone) {
    event.value[0] = written.before;
    event.value[1] = written.after;
  }
  env_.Record(event);
  return written;
}

void Customer::Order(int item, const StockWritten& written, const Grant& grant) {
  Event event = About(item, Op::kOrder, grant);
  event.value = {written.before, written.after};
  env_.Record(event);
  const std::string order = fmt::format(FMT_COMPILE("{:x}-{}"), grant.hold, written.before);
  event.type = TypeOf(store_->Order(item, order));
  env_.Record(event);
}

}  // namespace doublehold
