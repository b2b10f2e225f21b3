// The claim `stock`: is there an order of the reads and the writes in which each write took its
// unit from what it found, and the stock is in the end what was counted?
#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

constexpr int64_t kStock = 5;

class BuyingClients {
 public:
  explicit BuyingClients(Prng& prng)
      : play_(prng), locks_(play_.OneIn(2)), miscounts_(!play_.loses() && play_.OneIn(4)) {}

  History Run() {
    play_.Begin(2, 20, [this](int32_t client, int64_t sales) { Sell(client, sales); });
    play_.Later(90 + play_.Any(30), [this] {
      play_.Record(kReferee, Op::kFinal, EventType::kOk, 0,
                   {stock_ + (miscounts_ ? play_.Any(3) - 1 : 0),
                    orders_ + (miscounts_ ? play_.Any(3) - 1 : 0)});
    });
    return play_.Run({.lock = "brute",
                      .write = "read-modify-write",
                      .lease = 10ms,
                      .nodes = 1,
                      .initial_stock = kStock});
  }

 private:
  void Sell(int32_t client, int64_t sales) {
    if (sales == 0) return;
    const auto again = [=, this](int64_t left) {
      play_.Later(play_.Any(12), [=, this] { Sell(client, left); });
    };
    if (locks_ && taken_) return again(play_.OneIn(3) ? sales - 1 : sales);
    taken_ = true;
    const uint64_t hold = play_.Enter(client);
    const auto next = [=, this] {
      taken_ = false;
      play_.Leave(client, hold);
      again(sales - 1);
    };
    play_.Record(client, Op::kRead, EventType::kInvoke, hold);
    play_.Later(play_.Any(4), [=, this] {
      const int64_t read = stock_;
      play_.Later(play_.Any(4), [=, this] {
        play_.Record(client, Op::kRead, EventType::kOk, hold, {read});
        if (read <= 0) return next();
        Write(client, hold, read, next);
      });
    });
  }

  void Write(int32_t client, uint64_t hold, int64_t read, const Play::Next& next) {
    const Play::Values values{read, read - 1};
    play_.Record(client, Op::kWrite, EventType::kInvoke, hold, values);
    play_.Ask([=, this] { stock_ = read - 1; },
              [=, this] {
                play_.Record(client, Op::kWrite, EventType::kOk, hold, values);
                play_.Record(client, Op::kOrder, EventType::kInvoke, hold, values);
                ++orders_;
                play_.Record(client, Op::kOrder, EventType::kOk, hold, values);
                next();
              },
              [=, this] {
                if (play_.OneIn(4)) return;  // killed
                play_.Record(client, Op::kWrite, EventType::kInfo, hold, values);
                next();
              });
  }

  Play play_;
  bool locks_;
  // Where each write is answered: else the claim goes by the sums alone, which fit many.
  bool miscounts_;
  bool taken_ = false;
  int64_t stock_ = kStock;
  int64_t orders_ = 0;
};

History AnySales(Prng& prng) { return BuyingClients(prng).Run(); }

bool EachTookItsUnit(const History& history) {
  std::vector<Deed> deeds = DeedsOf(history, {Op::kRead, Op::kWrite});
  int64_t orders = 0;
  for (const Event& event : history.events)
    orders += event.op == Op::kOrder && event.type == EventType::kOk ? 1 : 0;
  const auto perhaps = std::ranges::count_if(deeds, &Deed::Perhaps);
  std::vector<Step> steps;
  for (const Deed& deed : deeds) {
    steps.push_back(deed.AsStep());
    if (deed.op == Op::kRead) steps.back().perhaps = false;  // all are answered
  }
  bool counted = false;
  bool fits = true;
  for (const Event& event : history.events) {
    // It is not the last word where clients went on after it.
    if (event.op == Op::kWrite || event.op == Op::kOrder) counted = false;
    if (event.op != Op::kFinal) continue;
    counted = true;
    deeds.push_back({.op = Op::kFinal, .answer = event.value});
    steps.push_back({.from = event.at_ns, .to = event.at_ns});
    fits = orders <= event.value[1] && event.value[1] <= orders + perhaps;
  }
  if (!counted && !deeds.empty() && deeds.back().op == Op::kFinal) {
    deeds.pop_back();
    steps.pop_back();
    fits = true;
  }
  const Effects<int64_t> effects = [&](const int64_t& stock, size_t step) -> std::vector<int64_t> {
    const Deed& deed = deeds[step];
    if (deed.op != Op::kWrite) {
      if (deed.answer[0] == stock) return {stock};
      return {};
    }
    if (deed.asked[0] != stock) return {};
    return {deed.asked[1]};
  };
  return fits && SomeOrder<int64_t>(steps, kStock, effects);
}

}  // namespace

ClaimTrials StockTrials() {
  return {.claim = "stock", .any = AnySales, .innocent = EachTookItsUnit};
}

}  // namespace doublehold::brute
