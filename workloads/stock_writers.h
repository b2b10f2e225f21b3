// How the stock of an item is read and written: a class for each value of the option `write`.
//
// In the store:  dh:stock:I  the stock of item I      dh:fence:I  the largest token seen (write=fenced)
//                dh:version:I  how often it was written (write=version)
#ifndef DOUBLEHOLD_WORKLOADS_STOCK_WRITERS_H_
#define DOUBLEHOLD_WORKLOADS_STOCK_WRITERS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/locks/lock.h"
#include "workloads/store.h"

namespace doublehold {

// What became of asking the store.
enum class Answer : uint8_t {
  kDone,
  kRefused,  // the store said no, and changed nothing
  kFailed,   // it did not answer, and changed nothing
  kUnknown,  // it did not answer, and may have changed something
};
struct StockRead {
  Answer answer = Answer::kFailed;
  int64_t stock = 0;
};
struct StockWritten {
  Answer answer = Answer::kFailed;
  int64_t before = 0;  // of one that was done
  int64_t after = 0;
};

// One a session. A purchase is one or more attempts; each is Read, then Write or Leave. Not
// thread-safe.
class StockWriter {
 public:
  virtual ~StockWriter() = default;

  virtual StockRead Read(int item, const Grant& grant) = 0;
  // One less than was read.
  virtual StockWritten Write(int item, int64_t read, const Grant& grant) = 0;
  // Nothing will be written after this Read.
  virtual void Leave() {}

  // Whether a customer whose write came to this tries once more.
  [[nodiscard]] virtual bool TriesAgain(Answer written) const {
    (void)written;
    return false;
  }
  // The fencing token that the store is shown, 0 when it is not.
  [[nodiscard]] virtual int64_t TokenShown(Op op, const Grant& grant) const {
    (void)op, (void)grant;
    return 0;
  }
};

std::string StockKey(int item);

// The values of `write` that need no more of a lock than that it excludes.
std::vector<std::string_view> PlainWrites();
// All of them.
std::vector<std::string_view> AllWrites();
// `fence_on_reads`: write=fenced registers the token when it reads as well. `store` outlives it.
std::unique_ptr<StockWriter> MakeStockWriter(std::string_view write, bool fence_on_reads,
                                             Store& store);

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_STOCK_WRITERS_H_
