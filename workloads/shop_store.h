// The store of a shop: where its stock and its orders are kept. A class for each service.
#ifndef DOUBLEHOLD_WORKLOADS_SHOP_STORE_H_
#define DOUBLEHOLD_WORKLOADS_SHOP_STORE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/options.h"
#include "workloads/stock_writers.h"

namespace doublehold {

struct ShopSize {
  int items = 1;
  int64_t stock = 0;  // of each item at the start
};

// Not thread-safe; belongs to one task.
class ShopStore {
 public:
  virtual ~ShopStore() = default;

  // Gives each item its stock. Called once in a run. Returns false if the store did not answer.
  [[nodiscard]] virtual bool Open(const ShopSize& size) = 0;
  struct Count {
    int64_t stock = 0;
    int64_t orders = 0;
  };
  // Returns nothing if the store did not answer.
  [[nodiscard]] virtual std::optional<Count> CountItem(int item) = 0;
  // Adds an order of the item. `order` is hold-stock read.
  [[nodiscard]] virtual Answer Order(int item, const std::string& order) = 0;
  // Makes the writer of the store for this value of `write`. The store must outlive it.
  [[nodiscard]] virtual std::unique_ptr<StockWriter> MakeWriter(std::string_view write,
                                                                bool fence_on_reads) = 0;
};

// `env` must outlive the store. `timeout`: of each request.
std::unique_ptr<ShopStore> MakeRedisShop(Env& env, Duration timeout);
std::unique_ptr<ShopStore> MakeSqlShop(Env& env, Duration timeout);

// Returns the option `store`, and the shop's store for its value.
OptionSpec StoreOption();
std::unique_ptr<ShopStore> MakeShopStore(std::string_view store, Env& env, Duration timeout);
// The values of `write` for a value of `store`.
std::vector<std::string_view> WritesIn(std::string_view store);

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_SHOP_STORE_H_
