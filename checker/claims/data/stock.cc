#include "checker/claims/data/stock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "checker/claims/data/late_overwrite.h"
#include "checker/claims/data/retried_sale.h"
#include "checker/claims/data/stock_story.h"
#include "checker/claims/lock/fencing.h"
#include "checker/evidence/names.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

bool IsSale(Op op) { return op == Op::kWrite || op == Op::kOrder; }

// Whether clients retry a refused or unanswered sale under the same hold.
bool RetriesSales(const RunFacts& facts) {
  constexpr std::array<std::string_view, 5> kRetrying{"watch", "version", "atomic-script", "fenced",
                                                      "postgres-row"};
  return std::ranges::find(kRetrying, facts.write) != kRetrying.end();
}

class ItemCounter {
 public:
  explicit ItemCounter(const History& history)
      : mode_(WriteModeOf(history.facts)),
        retries_sales_(RetriesSales(history.facts)),
        items_(history.facts.keys.size()),
        reads_(history.facts.keys.size()) {
    for (ItemCount& item : items_) {
      item.initial = history.facts.initial_stock;
      item.lowest = history.facts.initial_stock;
      // atomic-script is no such mode: it refuses a write because the stock is 0.
      if (retries_sales_ && mode_ == WriteMode::kReadThenSet) item.refused_writes = 0;
    }
  }

  void CountEvent(const Event& recorded) {
    // Values are clamped to this limit. The limit is above any real stock, and small enough that
    // sums cannot overflow.
    constexpr int64_t kMostStock = int64_t{1} << 52;
    Event event = recorded;
    if (IsSale(event.op) || event.op == Op::kFinal) {
      for (int64_t& value : event.value) value = std::clamp(value, -kMostStock, kMostStock);
    }
    if (event.op == Op::kLost) {
      for (ItemCount& item : items_) item.complete = false;
    }
    if (event.key >= items_.size()) return;
    ItemCount& item = items_[event.key];
    if (event.op == Op::kFinal && event.type == EventType::kOk) {
      item.final_stock = event.value[0];
      item.final_orders = event.value[1];
      item.touched_after_final = false;
      item.lowest = std::min(item.lowest, event.value[0]);
    }
    if (!IsSale(event.op) || event.client <= kReferee) return;
    if (item.final_stock) item.touched_after_final = true;
    CountTry(event);
    if (event.type == EventType::kInvoke) {
      ++UnknownCount(item, event.op);  // remains counted if the client dies before the answer
      ++open_[{SessionOf(event), event.op, event.key}];
      return;
    }
    int& open = open_[{SessionOf(event), event.op, event.key}];
    if (open == 0) ++UnknownCount(item, event.op);  // its invocation was lost
    if (open > 0) --open;
    if (event.type != EventType::kInfo) --UnknownCount(item, event.op);
    if (event.type == EventType::kOk) CountConfirmed(item, event);
    const bool refused = event.op == Op::kWrite && event.type == EventType::kFail;
    if (refused && item.refused_writes) ++*item.refused_writes;
  }

  std::vector<ItemCount> Finish() && {
    if (!retries_sales_) return std::move(items_);
    for (ItemCount& item : items_) item.sales = item.perhaps_sales = item.tried_again = 0;
    for (const auto& [which, sale] : sales_) {
      ItemCount& item = items_[which.first];
      const int64_t unknown = sale.tries - sale.failed - sale.done;
      // A write without a hold is a sale of its own.
      const bool one = which.second != 0;
      *item.sales += one ? std::min<int64_t>(1, sale.done) : sale.done;
      const int64_t most = std::max<int64_t>(sale.done + unknown, sale.ordered ? 1 : 0);
      *item.perhaps_sales += one ? std::min<int64_t>(1, most) : most;
      if (one && sale.done + unknown > 1) ++*item.tried_again;
    }
    return std::move(items_);
  }

 private:
  // The writes under one hold of one item.
  struct Sale {
    int64_t tries = 0, failed = 0, done = 0;
    bool ordered = false;  // an order was confirmed, or is of unknown outcome
  };

  void CountTry(const Event& event) {
    if (!retries_sales_) return;
    Sale& sale = sales_[{event.key, event.hold}];
    if (event.op == Op::kOrder) {
      sale.ordered = sale.ordered || event.type != EventType::kFail;
      return;
    }
    const auto open = open_.find({SessionOf(event), event.op, event.key});
    const bool invoked = open != open_.end() && open->second > 0;
    if (event.type == EventType::kInvoke || !invoked) ++sale.tries;
    if (event.type == EventType::kFail) ++sale.failed;
    if (event.type == EventType::kOk) ++sale.done;
  }

  static int64_t& UnknownCount(ItemCount& item, Op op) {
    return op == Op::kWrite ? item.unknown_writes : item.unknown_orders;
  }

  void CountConfirmed(ItemCount& item, const Event& event) {
    if (event.op == Op::kOrder) {
      ++item.orders;
      return;
    }
    // In an unknown mode a sale may take several writes, so no single write certainly is a sale.
    ++(mode_ == WriteMode::kOther ? item.unknown_writes : item.writes);
    item.lowest = std::min(item.lowest, event.value[1]);
    if (mode_ == WriteMode::kReadThenSet && !reads_[event.key].insert(event.value[0]).second) {
      item.same_read_ns.push_back(event.at_ns);
    }
  }

  WriteMode mode_;
  bool retries_sales_;
  std::vector<ItemCount> items_;
  std::map<std::pair<uint16_t, uint64_t>, Sale> sales_;  // by item and hold
  std::vector<std::unordered_set<int64_t>> reads_;       // values read by confirmed writes, by item
  std::map<std::tuple<SessionId, Op, uint16_t>, int> open_;
};

std::string LostClause(const ItemCount& item, const std::string& fell) {
  const std::string lost = Counted(item.Lost(), "order") + (item.Lost() == 1 ? " was" : " were");
  if (!item.Final()) return fmt::format("{} lost: two writes had read the same stock", lost);
  return fmt::format("{}, but {} were made: {} lost", fell, Counted(item.SoldLeast(), "order"),
                     lost);
}

std::string SalesWereMade(int64_t sales) {
  return Counted(sales, "sale") + (sales == 1 ? " was made" : " were made");
}

// Describes the errors of an item that its described writes do not explain. `described`: whether a
// write of the item was described. `explained`: number of lost orders that the described writes
// explain. `twice_by`: text about the stall that explains units taken twice, or "".
std::vector<Violation> DescribeUnexplainedErrors(const ItemCount& item, bool described,
                                                 int64_t explained, const std::string& twice_by) {
  std::vector<Violation> violations;
  const auto add = [&](int64_t count, const auto& tell, bool explained_by_stall = false) {
    if (count > 0)
      violations.push_back(
          {.count = item.Wrong(), .explained_by_stall = explained_by_stall, .sentence = tell()});
  };
  const auto fell = [&] {
    return fmt::format("the stock fell from {} to {}", item.initial, item.final_stock.value_or(0));
  };
  add(item.Lost() - explained, [&] { return LostClause(item, fell()); });
  if (!described) {
    add(item.Oversold(), [&] {
      return fmt::format("{} were confirmed, and there were {} to sell",
                         Counted(item.orders, "order"), item.initial);
    });
    add(item.BelowZero(), [&] { return fmt::format("the stock went down to {}", item.lowest); });
  }
  add(item.Vanished(), [&] {
    return fmt::format("{}, but at most {} were made: {} vanished", fell(),
                       Counted(item.SoldMost(), "order"), Counted(item.Vanished(), "unit"));
  });
  add(
      item.Twice(),
      [&] {
        return fmt::format(
            "{}, and at most {}: {} took a unit twice, trying again after a "
            "write that was not answered{}",
            fell(), SalesWereMade(item.perhaps_sales.value_or(0)), Counted(item.Twice(), "sale"),
            twice_by.empty() ? "" : "; " + twice_by);
      },
      !twice_by.empty());
  add(item.Missing(), [&] {
    return fmt::format("{} were confirmed, and {} are in the store", Counted(item.orders, "order"),
                       item.final_orders);
  });
  add(item.Doubled(), [&] {
    return fmt::format("{} are in the store, and at most {} were made",
                       Counted(item.final_orders, "order"), item.SoldMost());
  });
  return violations;
}

// Returns "; the stock fell by 307 in all, with 1 sale of unknown outcome". Returns "" if a final
// stock is missing.
std::string ArithmeticClause(const std::vector<ItemCount>& items) {
  int64_t fell = 0, unknown = 0;
  for (const ItemCount& item : items) {
    if (!item.Final()) return "";
    fell += item.initial - *item.final_stock;
    unknown += item.SoldMost() - item.SoldLeast();
  }
  std::string text = fmt::format("; the stock fell by {} in all", fell);
  if (unknown > 0) text += fmt::format(", with {} of unknown outcome", Counted(unknown, "sale"));
  return text;
}

// Returns why correct sums do not make the claim valid, or "" if they do.
std::string WhyStockUndecided(const Evidence& evidence, const std::vector<ItemCount>& items) {
  if (std::ranges::all_of(items, [](const ItemCount& item) { return item.orders == 0; }))
    return "no order was confirmed";
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].final_stock) return fmt::format("the final stock of item {} is not known", i);
    if (items[i].touched_after_final) {
      return fmt::format("item {} was still being sold when its final stock was read", i);
    }
  }
  const auto perhaps_twice = std::ranges::find_if(items, &ItemCount::PerhapsTwice);
  if (perhaps_twice != items.end()) {
    return fmt::format(
        "{} tried again after a write that was not answered; perhaps both took a unit",
        Counted(*perhaps_twice->tried_again, "sale"));
  }
  const bool unknown =
      std::ranges::any_of(items, [](const auto& i) { return i.unknown_writes > 0; });
  if (!unknown) return "";
  const std::string hidden = StoreRefusesStaleWrites(evidence)
                                 ? DescribeRise(evidence)
                                 : DescribeHiddenOverwrite(evidence, items);
  if (hidden.empty()) return "";
  return "the sums are right, but perhaps only because of a write of unknown outcome: " + hidden;
}

}  // namespace

int64_t ItemCount::SoldLeast() const { return std::max(orders, writes); }
int64_t ItemCount::SoldMost() const {
  return std::max(orders + unknown_orders, writes + unknown_writes);
}
int64_t ItemCount::Lost() const {
  const int64_t seen = Final() ? SoldLeast() - (initial - *final_stock) : 0;
  return std::max<int64_t>({0, std::ssize(same_read_ns), seen});
}
int64_t ItemCount::Vanished() const {
  if (!Final() || !complete) return 0;
  return std::max<int64_t>(0, initial - *final_stock - SoldMost());
}
int64_t ItemCount::Oversold() const { return std::max<int64_t>(0, orders - initial); }
int64_t ItemCount::BelowZero() const { return std::max<int64_t>(0, -lowest); }
int64_t ItemCount::Missing() const {
  return Final() ? std::max<int64_t>(0, orders - final_orders) : 0;
}
int64_t ItemCount::Doubled() const {
  return Final() && complete ? std::max<int64_t>(0, final_orders - SoldMost()) : 0;
}
int64_t ItemCount::Twice() const {
  if (!Final() || !complete || !perhaps_sales) return 0;
  return std::max<int64_t>(0, std::min(initial - *final_stock, SoldMost()) - *perhaps_sales);
}
bool ItemCount::PerhapsTwice() const {
  return Final() && tried_again && *tried_again > 0 && initial - *final_stock > *sales;
}
int64_t ItemCount::Wrong() const {
  return std::max({Lost(), Vanished(), Oversold(), BelowZero(), Missing(), Doubled(), Twice()});
}

WriteMode WriteModeOf(const RunFacts& facts) {
  constexpr std::array<std::string_view, 5> kReadThenSet{"read-modify-write", "fenced", "watch",
                                                         "version", "postgres-row"};
  if (facts.write == "check-then-decr" || facts.write == "atomic-script") {
    return WriteMode::kDecrement;
  }
  return std::ranges::find(kReadThenSet, facts.write) != kReadThenSet.end()
             ? WriteMode::kReadThenSet
             : WriteMode::kOther;
}

std::vector<ItemCount> CountItems(const History& history) {
  ItemCounter counter(history);
  for (const Event& event : history.events) counter.CountEvent(event);
  return std::move(counter).Finish();
}

ClaimVerdict CheckStock(const Evidence& evidence, const Limits& limits) {
  ClaimFindings found("orders", limits);
  const std::vector<ItemCount> items = CountItems(evidence.history());
  int64_t wrong = 0;
  for (const ItemCount& item : items) {
    found.Judged(item.orders);
    wrong += item.Wrong();
  }
  if (wrong > 0 && found.needs_descriptions()) {
    const StockStory story = DescribeStockErrors(evidence, items, found);
    const std::vector<std::string> twice_by = ExplainRetriesByStalls(evidence, items);
    for (size_t i = 0; i < items.size(); ++i) {
      for (Violation& violation : DescribeUnexplainedErrors(items[i], story.described[i],
                                                            story.explained[i], twice_by[i])) {
        violation.key = evidence.facts().keys[i];
        found.Add(std::move(violation), 0);
      }
    }
  } else if (wrong == 0) {
    found.Doubt(WhyStockUndecided(evidence, items));
  }
  found.CountAs(wrong);
  if (!found.describes()) return std::move(found).Conclude({});
  const std::string orders = Counted(found.judged(), "confirmed order");
  const std::string arithmetic = ArithmeticClause(items);
  return std::move(found).Conclude(
      {.judged = orders, .violated = "went wrong" + arithmetic, .valid = orders + arithmetic});
}

}  // namespace doublehold
