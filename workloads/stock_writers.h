// Reading and writing the stock of an item: a class for each value of the option `write`.
#ifndef DOUBLEHOLD_WORKLOADS_STOCK_WRITERS_H_
#define DOUBLEHOLD_WORKLOADS_STOCK_WRITERS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/event.h"
#include "lib/locks/lock.h"

namespace doublehold {

// The outcome of a request to the store.
enum class Answer : uint8_t {
  kDone,
  kRefused,  // the store refused, and changed nothing
  kFailed,   // no reply, and certainly nothing was changed
  kUnknown,  // no reply, and something may have been changed
};
struct StockRead {
  Answer answer = Answer::kFailed;
  int64_t stock = 0;
};
struct StockWritten {
  Answer answer = Answer::kFailed;
  int64_t before = 0;  // set if done
  int64_t after = 0;
};

// Each session has a StockWriter of its own. A purchase is one or more attempts. Each attempt is
// Read, then Write or Leave. Not thread-safe.
class StockWriter {
 public:
  virtual ~StockWriter() = default;

  virtual StockRead Read(int item, const Grant& grant) = 0;
  // Writes the stock `read` - 1.
  virtual StockWritten Write(int item, int64_t read, const Grant& grant) = 0;
  // Ends an attempt without a write.
  virtual void Leave() {}

  // Whether the customer tries again after this outcome of a write.
  [[nodiscard]] virtual bool TriesAgain(Answer written) const {
    (void)written;
    return false;
  }
  // Returns the fencing token shown to the store, or 0 if none is shown.
  [[nodiscard]] virtual int64_t TokenShown(Op op, const Grant& grant) const {
    (void)op, (void)grant;
    return 0;
  }
};

// The values of `write` that need only an exclusive lock.
std::vector<std::string_view> PlainWrites();
// All values of `write`, whatever the store is.
std::vector<std::string_view> AllWrites();

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_STOCK_WRITERS_H_
