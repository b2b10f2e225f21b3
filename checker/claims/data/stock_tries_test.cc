// The claim `stock` for write modes that retry a sale: watch, version, atomic-script, fenced.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

const std::vector<std::string> kModes{"watch", "version", "atomic-script", "fenced"};

ClaimVerdict VerdictOnStockTries(const std::string& picture, const std::string& write) {
  return CheckStock(FromLanes(picture, {.write = write}), {});
}

// K36: EXEC ran, its answer was lost, and the sale was retried.
constexpr char kTwice[] = R"(
      c1:    A-a=g=W--?==g=W-w=R-r    | 5 5>4 4 4>3
      final:                        * | 3/1)";

TEST(StockTries, AWriteThatTookEffectAndWasRetriedTakesTwoUnits) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = VerdictOnStockTries(kTwice, write);
    EXPECT_EQ(verdict.outcome, Outcome::kViolated) << write << ": " << verdict.reason;
    EXPECT_EQ(verdict.count, 1) << write;
    EXPECT_EQ(verdict.violations.at(0).sentence,
              "the stock fell from 5 to 3, and at most 1 sale was made: 1 sale took a unit twice, "
              "trying again after a write that was not answered")
        << write;
  }
  // In this mode a hold may have several sales, so each write may be a sale.
  EXPECT_EQ(VerdictOnStockTries(kTwice, "read-modify-write").outcome, Outcome::kValid);
}

TEST(StockTries, AFailedWriteDoesNotCountAsAnAttempt) {
  for (const std::string& write : kModes) {
    EXPECT_EQ(VerdictOnStockTries(R"(
      c1:    A-a=g=W--?==g=W-w=R-r    | 5 5>4 5 5>4
      final:                        * | 4/1)",
                                  write)
                  .outcome,
              Outcome::kValid)
        << write;
    EXPECT_EQ(VerdictOnStockTries(R"(
      c1:    A-a=g=W--x==g=W-x=g=W-w=R-r    | 5 5>4 4 4>3 4 4>3
      c2:      A-a=g=w=R-r                  | 5 5>4
      final:                              * | 3/2)",
                                  write)
                  .outcome,
              Outcome::kValid)
        << write;
  }
}

TEST(StockTries, ASaleOfUnknownOutcomeMayHideARetriedSale) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = VerdictOnStockTries(R"(
      c1:    A-a=g=W--?==g=W-w=R-r          | 5 5>4 4 4>3
      c2:                          A-a=g=W? | 3 3>2
      final:                              * | 3/1)",
                                                     write);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << write << ": " << verdict.reason;
  }
}

TEST(StockTries, ASaleOfUnknownOutcomeTakesOneUnitAtMost) {
  for (const std::string& write : kModes) {
    EXPECT_EQ(VerdictOnStockTries(R"(
      c1:    A-a=g=W--?==g=W-?=R-r          | 5 5>4 4 4>3
      c2:                     A-a=g=w=R-r   | 3 3>2
      final:                              * | 2/1)",
                                  write)
                  .count,
              1)
        << write;
  }
}

TEST(StockTries, TwoWritesFromOneValueAreALostUpdateExceptInAScript) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = VerdictOnStockTries(R"(
      c1:    A-a=g=w=R-r                    | 5 5>4
      c2:      A-a=g=w=R-r                  | 5 5>4)",
                                                     write);
    EXPECT_EQ(verdict.count, write == "atomic-script" ? 0 : 1) << write << ": " << verdict.reason;
  }
}

// c1's write takes effect at once and is answered late: c2 has read the value that c1 wrote.
TEST(StockTries, ALateAnswerIsNoOverwriteWhereNoTwoWritesReadOneValue) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = VerdictOnStockTries(R"(
      c4:    A-a=g=W--!-----------------x=R-x               | 5 5>4 5>4
      c1:           A-a=g=W--!---------------w=R-x          | 5 5>4
      c2:                       A-a=g=w=R-r                 | 4 4>3
      c3:                                     A-a=g=W-?=R-r | 3 3>2
      final:                                              * | 3/2)",
                                                     write);
    EXPECT_EQ(verdict.outcome, Outcome::kValid) << write << ": " << verdict.reason;
  }
}

// c3's write of unknown outcome may take effect late, over a stock that another sale has changed. A
// store that refuses stale tokens prevents this.
TEST(StockTries, AStoreThatRefusesStaleWritesHidesNoLostUpdate) {
  const std::string shown = R"(
      c4:    A-a=g=W--!-----------------x=R-x                      | #1 5#1 5>4#1 5>4#1
      c1:           A-a=g=W--!---------------w=R-x                 | #2 5#2 5>4#2
      c2:                       A-a=g=w=R-r                        | #3 4#3 4>3#3
      c3:                                     A-a=g=W-?=g=w=R-r    | #4 3#4 3>2#4 3#4 3>2#4
      final:                                                     * | 2/3)";
  EXPECT_EQ(VerdictOnStockTries(shown, "fenced").outcome, Outcome::kValid)
      << VerdictOnStockTries(shown, "fenced").reason;
  std::string not_shown = shown;  // c3 shows its token only with its writes
  for (size_t at = not_shown.find(" 3#4"); at != std::string::npos; at = not_shown.find(" 3#4"))
    not_shown.replace(at, 4, " 3");
  EXPECT_EQ(VerdictOnStockTries(not_shown, "fenced").outcome, Outcome::kUnknown);
  std::string went_back = shown;  // c3 has the same token as c2
  for (size_t at = went_back.find("#4"); at != std::string::npos; at = went_back.find("#4"))
    went_back.replace(at, 2, "#3");
  EXPECT_EQ(VerdictOnStockTries(went_back, "fenced").outcome, Outcome::kUnknown);
}

// The owner re-entered, so its delayed write has no smaller token than its later ones.
TEST(StockTries, AStoreThatRefusesStaleWritesTakesALateWriteOfTheSameToken) {
  const ClaimVerdict verdict = VerdictOnStockTries(R"(
      c1:      A-aA-agW-?R-rg-W-wA-agW-wR-rR-r            | #1 #1 5#1 5>4#1 5#1 5>4#1 #1 4#1 4>3#1
      c2:                                     A-agW-?R-r  | #2 4#2 4>3#2
      final:                                            * | 3/2)",
                                                   "fenced");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_NE(verdict.reason.find("and had been 3"), std::string::npos) << verdict.reason;
}

// c1's first write took effect and has no answer for 40 ms.
constexpr char kWaited[] = R"(
      c1:           A-a=g=W---------------------------------------?=g=W-w=R-r    | 5 5>4 4 4>3
      final:                                                                 *   | 3/1)";

// Draws a lane with a span from `from_ms` to `to_ms`, counted from the invocation of c1's first
// write. With `ends` "()" the span is a stall, with "[]" it is a fault.
std::string DrawSpan(const std::string& label, int from_ms, int to_ms,
                     const std::string& ends = "()") {
  constexpr int kWrite = 26;
  const auto padding = static_cast<size_t>(kWrite + from_ms) - label.size() - 1;
  return "\n" + label + ":" + std::string(padding, ' ') + ends[0] +
         std::string(static_cast<size_t>(to_ms - from_ms - 1), '-') + ends[1];
}
std::string DrawStall(const std::string& process, int from_ms, int to_ms) {
  return DrawSpan("machine " + process, from_ms, to_ms);
}

struct StallCase {
  std::string name;
  std::string lanes;
  Outcome outcome;
};

void ExpectEachStall(const std::vector<StallCase>& drawn) {
  for (const auto& [name, lanes, outcome] : drawn) {
    for (const std::string& write : kModes) {
      const ClaimVerdict verdict = VerdictOnStockTries(kWaited + lanes, write);
      EXPECT_EQ(Name(verdict.outcome), Name(outcome))
          << name << ", " << write << ": " << verdict.reason;
      EXPECT_EQ(verdict.count, 1) << name;
    }
  }
}

TEST(StockTries, AStallForMostOfAnUnansweredWriteExcusesItsSale) {
  ExpectEachStall({
      {"a stall of the store", DrawStall("n0", -1, 45), Outcome::kUnknown},
      {"a stall of the supervisor", DrawStall("supervisor", -1, 45), Outcome::kUnknown},
      {"a stall of the client", DrawStall("c1", 1, 39), Outcome::kUnknown},
      {"a stall for most of the write", DrawStall("n0", 19, 42), Outcome::kUnknown},
      {"a stall that ended before the client timed out", DrawStall("n0", -1, 31),
       Outcome::kUnknown},
      {"two stalls that together took most of the write",
       DrawStall("n0", 1, 14) + DrawStall("n0", 22, 45), Outcome::kUnknown},
  });
  EXPECT_EQ(VerdictOnStockTries(kWaited + DrawStall("n0", -1, 45), "watch").reason,
            "only where the machine stalled a process: the stock fell from 5 to 3, and at most 1 "
            "sale was made: 1 sale took a unit twice, trying again after a write that was not "
            "answered; that of client 1 at 0.006 s stood in a stall of the machine (the store, "
            "0.005-0.051 s)");
}

TEST(StockTries, TheWritesOfTheRefereeAreNoSales) {
  History history = FromLanes(kWaited + DrawStall("c1", 1, 39), {.write = "atomic-script"});
  const std::vector<Event> drawn = history.events;
  for (Event event : drawn) {
    event.client = kReferee;
    event.hold = 901;
    if (event.op == Op::kWrite) history.events.push_back(event);
  }
  SortByTime(history.events);
  EXPECT_EQ(CheckStock(history, {}).outcome, Outcome::kUnknown) << CheckStock(history, {}).reason;
}

TEST(StockTries, AStallElsewhereExcusesNoSale) {
  ExpectEachStall({
      {"no stall", "", Outcome::kViolated},
      {"a stall of another client", DrawStall("c2", -1, 45), Outcome::kViolated},
      {"a stall before the write", DrawStall("n0", -6, -1), Outcome::kViolated},
      {"a stall after the write", DrawStall("n0", 41, 50), Outcome::kViolated},
      {"a stall that began after half of the write", DrawStall("n0", 21, 45), Outcome::kViolated},
      {"two stalls for less than half of the write",
       DrawStall("n0", 1, 10) + DrawStall("n0", 31, 45), Outcome::kViolated},
  });
}

TEST(StockTries, AFaultDuringAStallRemovesTheExcuseOnlyIfItCoversTheStall) {
  const auto fault = [](const std::string& what, int from_ms, int to_ms, int asked_ms = 0) {
    return DrawStall("n0", -1, 45) + DrawSpan(what, from_ms, to_ms, "[]") +
           (asked_ms == 0 ? "" : " | " + std::to_string(asked_ms));
  };
  ExpectEachStall({
      {"a fault on the client's link", fault("drop c1", 2, 4), Outcome::kUnknown},
      {"a fault on the store's links", fault("drop n0", 2, 4), Outcome::kUnknown},
      {"a fault that stopped the store for as long", fault("pause n0", -1, 45), Outcome::kViolated},
      {"a fault that stopped the store for a part of the stall", fault("pause n0", 2, 8),
       Outcome::kUnknown},
      {"a fault that stopped the client", fault("pause c1", 2, 38), Outcome::kUnknown},
      {"a fault that delayed the answer", fault("delay n0", 1, 50, 25), Outcome::kUnknown},
  });
}

// c1's sale took two units, and its first write waited in a stall. Each case adds a sale of c2.
TEST(StockTries, EachSaleThatTookTwoUnitsNeedsItsOwnStall) {
  const std::string stall = DrawStall("n0", -1, 45);
  const auto beside = [&](const std::string& c2, const std::string& end) {
    return R"(
      c1:           A-a=g=W---------------------------------------?=g=W-w=R-r    | 5 5>4 4 4>3)" +
           c2 + R"(
      final:                                                                                                       *   | )" +
           end + stall;
  };
  const struct {
    const char* name;
    std::string picture;
    Outcome outcome;
    Outcome of_a_script;  // for atomic-script, whose writes do not depend on the value read
    int64_t count = 1;
  } drawn[]{
      {"a second sale took two units without a stall",
       beside("\n      c2:                                                                        "
              "       A-a=g=W---?=g=W-w=R-r | 3 3>2 2 2>1",
              "1/2"),
       Outcome::kViolated, Outcome::kViolated, 2},
      {"a second sale may have taken one unit, and was not retried",
       beside("\n      c2:                                                                        "
              "       A-a=g=W---?=R-r | 3 3>2",
              "2/1"),
       Outcome::kUnknown, Outcome::kUnknown},
      {"the retry of a second sale was refused",
       beside("\n      c2:                                                                        "
              "       A-a=g=W---?=g=W-x=R-r | 3 3>2 2 2>1",
              "2/1"),
       Outcome::kUnknown, Outcome::kUnknown},
      {"the retry of a second sale read the same value",
       beside("\n      c2:                                                                        "
              "       A-a=g=W---?=g=W-w=R-r | 3 3>2 3 3>2",
              "2/2"),
       Outcome::kUnknown, Outcome::kViolated},
  };
  for (const auto& [name, picture, outcome, of_a_script, count] : drawn) {
    for (const std::string& write : kModes) {
      const ClaimVerdict verdict = VerdictOnStockTries(picture, write);
      EXPECT_EQ(Name(verdict.outcome), Name(write == "atomic-script" ? of_a_script : outcome))
          << name << ", " << write << ": " << verdict.reason
          << (verdict.violations.empty() ? "" : verdict.violations[0].sentence);
      EXPECT_EQ(verdict.count, count) << name << ", " << write;
    }
  }
}

// At most one of the two writes that had read 5 took effect. Only the second one waited in a stall.
TEST(StockTries, OneStallExcusesTwoWritesFromOneValue) {
  const std::string picture = R"(
      c1:         A-a=g=W------?=g=W---------------?=g=W-w=R-r | 5 5>4 5 5>4 4 4>3
      machine n0:                 (--------------------)
      final:                                                 * | 3/1)";
  EXPECT_EQ(VerdictOnStockTries(picture, "watch").outcome, Outcome::kUnknown)
      << VerdictOnStockTries(picture, "watch").reason;
  EXPECT_EQ(VerdictOnStockTries(picture, "atomic-script").outcome, Outcome::kViolated);
}

// A stall left the second write unanswered. But the client retried because the first answer was
// lost, without a stall.
TEST(StockTries, AStallOfTheRetryDoesNotExplainWhyTheSaleWasRetried) {
  const std::string picture = R"(
      c1:         A-a=g=W------?=g=W-----------------?=R-r | 5 5>4 4 4>3
      c2:                                                    A-a=g=w=R-r | 3 3>2
      machine n0:                 (----------------------)
      final:                                                         * | 2/1)";
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = VerdictOnStockTries(picture, write);
    EXPECT_EQ(verdict.outcome, Outcome::kViolated) << write << ": " << verdict.reason;
    EXPECT_EQ(verdict.count, 1) << write;
  }
}

TEST(StockTries, WithoutAHoldEachWriteIsASale) {
  History history = FromLanes(kWaited + DrawStall("n0", -1, 45) + R"(
      c2:                                                                            A-a=g=W---?=g=W-w=R-r | 3 3>2 2 2>1)",
                              {.write = "watch"});
  for (Event& event : history.events) {
    if (event.client == 2) event.hold = 0;
    if (event.op == Op::kFinal) event.value = {1, 2};
  }
  std::ranges::stable_partition(history.events, [](const Event& e) { return e.op != Op::kFinal; });
  const ClaimVerdict verdict = CheckStock(history, {});
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << verdict.reason;
  EXPECT_EQ(verdict.count, 1);
}

}  // namespace
}  // namespace doublehold
