// The items of a shop: their stock and orders in the store, with every read, write and order
// recorded in the history.
#ifndef DOUBLEHOLD_WORKLOADS_SHOP_H_
#define DOUBLEHOLD_WORKLOADS_SHOP_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/shop_store.h"

namespace doublehold {

// Returns the options `stock`, `items` and `store-timeout`.
std::vector<OptionSpec> ShopOptions(std::string_view items);
ShopSize ShopSizeOf(const Options& options);

std::string ItemName(int item);  // name of the item's lock: "dh:item:0"
std::vector<std::string> ItemNames(int items);

// Called in the referee. Records a `final` event for each item that can be read. Without this event
// the claim `stock` is undecided.
void CloseShop(Env& env, ShopStore& store, int items);

// A client's session in the shop. Event::key is the item's index. Not thread-safe; `env` must
// outlive it.
class Customer {
 public:
  Customer(Env& env, std::unique_ptr<ShopStore> store, std::string_view write, bool fence_on_reads)
      : env_(env), store_(std::move(store)), writer_(store_->MakeWriter(write, fence_on_reads)) {}
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
  std::unique_ptr<ShopStore> store_;
  std::unique_ptr<StockWriter> writer_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_SHOP_H_
