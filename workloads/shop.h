// The items of a shop: their stock and orders in the store, with every read, write and order
// recorded in the history.
//
// In the store, besides the stock (stock_writers.h):
//   dh:orders:I  a list with an entry for each order of item I: hold-stock read
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
  int64_t stock = 0;  // of each item at the start
};

// Returns the options `stock`, `items` and `store-timeout`.
std::vector<OptionSpec> ShopOptions(std::string_view items);
ShopSize ShopSizeOf(const Options& options);

std::string ItemName(int item);  // name of the item's lock: "dh:item:0"
std::vector<std::string> ItemNames(int items);

// Called in the referee. Returns false if the store did not answer.
[[nodiscard]] bool OpenShop(Env& env, const ShopSize& size, Duration timeout);
// Records a `final` event for each item that can be read. Without this event the claim `stock` is
// undecided.
void CloseShop(Env& env, const ShopSize& size, Duration timeout);

// A client's session in the shop. Event::key is the item's index. Not thread-safe; `env` must
// outlive it.
class Customer {
 public:
  Customer(Env& env, std::string_view write, bool fence_on_reads, Duration timeout)
      : env_(env), store_(env, timeout), writer_(MakeStockWriter(write, fence_on_reads, store_)) {}
  Customer(const Customer&) = delete;
  Customer& operator=(const Customer&) = delete;

  // Returns the stock. Returns nothing if the store did not answer or refused the read.
  std::optional<int64_t> Read(int item, const Grant& grant);
  // Ends the attempt without a write.
  void Leave() { writer_->Leave(); }
  // Writes the stock `read` - 1.
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
