// The items of a shop: their stock and orders in the store, and a history of every read, write and
// order.
//
// In the store, besides the stock (stock_writers.h):  dh:orders:I  a list, one entry an order of
// item I: hold-stock read
#ifndef DOUBLEHOLD_WORKLOADS_SHOP_H_
#define DOUBLEHOLD_WORKLOADS_SHOP_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/stock_writers.h"

namespace doublehold {

struct ShopSize {
  int items = 1;
  int64_t stock = 0;  // of each item, at the start
};

std::vector<OptionSpec> ShopOptions(std::string_view items);  // `stock`, `items`, `store-timeout`
ShopSize ShopSizeOf(const Options& options);

std::string ItemName(int item);  // of its lock: "dh:item:0"
std::vector<std::string> ItemNames(int items);

// In the referee: false when the store did not answer.
[[nodiscard]] bool OpenShop(Env& env, const ShopSize& size, Duration timeout);
// Records a `final` for each item that can be read; a missing one leaves the stock undecided.
void CloseShop(Env& env, const ShopSize& size, Duration timeout);

// A client's session in the shop. Event::key is the item's. Not thread-safe; env outlives it.
class Customer {
 public:
  Customer(Env& env, std::string_view write, bool fence_on_reads, Duration timeout)
      : env_(env), store_(env, timeout), writer_(MakeStockWriter(write, fence_on_reads, store_)) {}
  Customer(const Customer&) = delete;
  Customer& operator=(const Customer&) = delete;

  // The stock; nothing when the store did not answer, or would not tell.
  std::optional<int64_t> Read(int item, const Grant& grant);
  // Nothing is written after that read.
  void Leave() { writer_->Leave(); }
  // Takes one off.
  StockWritten Write(int item, int64_t read, const Grant& grant);
  void Order(int item, const StockWritten& written, const Grant& grant);
  [[nodiscard]] bool TriesAgain(const StockWritten& written) const {
    return writer_->TriesAgain(written.answer);
  }

 private:
  Env& env_;
  Store store_;
  std::unique_ptr<StockWriter> writer_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_SHOP_H_
