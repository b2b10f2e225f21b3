// A customer's reaction to each reply of the store, for every value of `write`.
// stock_writers_real_test.cc tests the scripts and transactions in a real store.
#include "workloads/stock_writers.h"

#include <gtest/gtest.h>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::IntegerReply;
using testing::Lines;
using testing::TextReply;
using testing::Values;
using testing::WorkloadScene;

// The inventory with one item, a stock of 10, and no delays.
struct Sale : WorkloadScene {
  explicit Sale(const std::string& write, Values more = {})
      : WorkloadScene("inventory", With(write, std::move(more))) {
    EXPECT_TRUE(workload->Setup(env));
    store.commands.clear();
  }
  static Values With(const std::string& write, Values more) {
    more.insert({{"write", write}, {"stock", "10"}, {"work", "0s"}, {"think", "0s"}});
    return more;
  }
};

const CallFailure kDefinite{.definite = true};
const CallFailure kIndefinite{.definite = false};
const CallResult kRefusedReply = IntegerReply(0);

// Returns the replies to a script, in order. The last reply repeats.
auto InTurn(std::vector<CallResult> answers) {
  return [answers, next = size_t{0}](const Lines&, const Lines&) mutable {
    return answers[std::min(next++, answers.size() - 1)];
  };
}

TEST(WatchedSale, WatchesReadsAndWritesInOneTransaction) {
  Sale sale("watch");
  sale.Step();
  EXPECT_EQ(sale.store.commands, (Lines{"WATCH dh:stock:0", "GET dh:stock:0", "MULTI",
                                        "SET dh:stock:0", "EXEC", "RPUSH dh:orders:0"}));
  EXPECT_EQ(sale.store.numbers["dh:stock:0"], 9);
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke ok");
}

TEST(WatchedSale, ARefusedBuyerRetriesWithinTheSameHoldAndOrdersOnce) {
  Sale sale("watch");
  int disturbed = 0;
  sale.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite && disturbed++ < 2) --sale.store.numbers["dh:stock:0"];
  };
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kRead), "invoke ok invoke ok invoke ok");
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke fail invoke fail invoke ok");
  EXPECT_EQ(sale.TypesOf(Op::kOrder), "invoke ok");
  EXPECT_EQ(sale.store.numbers["dh:stock:0"], 7) << "two others, and this one";
  for (const Event& event : sale.world.events) {
    if (event.op == Op::kWrite) {
      EXPECT_EQ(event.hold, 1u);
    }
  }
}

TEST(WatchedSale, AnExecWithoutAReplyIsUnknownAndTheBuyerBuysTwice) {
  Sale sale("watch");
  sale.store.lost_replies["EXEC"] = 1;
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke info invoke ok");
  EXPECT_EQ(sale.TypesOf(Op::kOrder), "invoke ok") << "told once";
  EXPECT_EQ(sale.store.numbers["dh:stock:0"], 8) << "K36";
}

TEST(WatchedSale, AFailureEndsTheAttempt) {
  const struct {
    const char* command;
    CallFailure failure;
    const char* read;
    const char* write;
  } cases[] = {
      {"WATCH", kDefinite, "invoke", ""},
      {"GET", kIndefinite, "invoke", ""},
      {"MULTI", kIndefinite, "invoke ok", "invoke fail"},
      {"SET", kIndefinite, "invoke ok", "invoke fail"},
      {"EXEC", kDefinite, "invoke ok", "invoke fail"},
  };
  for (const auto& [command, failure, read, write] : cases) {
    SCOPED_TRACE(command);
    Sale sale("watch");
    sale.store.failures[command] = failure;
    sale.Step();
    EXPECT_EQ(sale.TypesOf(Op::kRead), read);
    EXPECT_EQ(sale.TypesOf(Op::kWrite), write);
    EXPECT_EQ(sale.TypesOf(Op::kOrder), "");
    EXPECT_TRUE(sale.store.commands.back().starts_with(command)) << "nothing is sent after it";
    EXPECT_EQ(sale.store.numbers["dh:stock:0"], 10);
  }
}

TEST(WatchedSale, NothingStaysWatchedWhenSoldOut) {
  Sale sale("watch", {{"stock", "0"}});
  sale.Step();
  EXPECT_EQ(sale.store.commands.back(), "UNWATCH");
}

TEST(WatchedSale, RetryingEndsWithTheRun) {
  Sale sale("watch");
  sale.store.failures["EXEC"] = kIndefinite;
  sale.world.on_step = [&](Step step) {
    if (step == Step::kAfterWrite) sale.world.stopping = true;
  };
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke info");
}

TEST(VersionedSale, TheVersionReadIsCompared) {
  Sale sale("version");
  sale.store.numbers["dh:version:0"] = 4;
  Lines shown;
  sale.store.script = [&](const Lines& keys, const Lines& args) {
    EXPECT_EQ(keys, (Lines{"dh:stock:0", "dh:version:0"}));
    shown = args;
    return CallResult(IntegerReply(1));
  };
  sale.Step();
  EXPECT_EQ(shown, (Lines{"4", "9"}));
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke ok");
}

TEST(FencedSale, TheTokenIsShownIfTheStoreComparesIt) {
  for (const bool reads : {true, false}) {
    SCOPED_TRACE(reads);
    Sale sale("fenced", {{"fence-on", reads ? "reads-and-writes" : "writes"}});
    sale.lock.token = 7;
    std::vector<Lines> shown;
    sale.store.script = [&](const Lines& keys, const Lines& args) {
      EXPECT_EQ(keys, (Lines{"dh:stock:0", "dh:fence:0"}));
      shown.push_back(args);
      return CallResult(args.size() == 1 ? TextReply("10") : IntegerReply(1));
    };
    sale.Step();
    EXPECT_EQ(shown,
              reads ? (std::vector<Lines>{{"7"}, {"7", "9"}}) : (std::vector<Lines>{{"7", "9"}}));
    EXPECT_EQ(sale.Find(Op::kRead, EventType::kOk)->value[3], reads ? 7 : 0);
    EXPECT_EQ(sale.Find(Op::kWrite, EventType::kInvoke)->value[3], 7);
    EXPECT_EQ(sale.Find(Op::kWrite, EventType::kOk)->value[3], 7);
    EXPECT_EQ(sale.TypesOf(Op::kOrder), "invoke ok");
  }
}

TEST(FencedSale, ARefusedReadSellsNothing) {
  Sale sale("fenced");
  sale.store.script = InTurn({kRefusedReply});
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kRead), "invoke fail");
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "");
}

TEST(AtomicSale, TheScriptsReplyIsRecorded) {
  Sale sale("atomic-script");
  const Reply answer{.kind = Reply::Kind::kArray, .items = {IntegerReply(5), IntegerReply(4)}};
  sale.store.script = InTurn({answer});
  sale.Step();
  EXPECT_EQ(sale.Find(Op::kWrite, EventType::kOk)->value, (std::array<int64_t, 4>{5, 4, 0, 0}));
  EXPECT_EQ(sale.Find(Op::kOrder, EventType::kOk)->value, (std::array<int64_t, 4>{5, 4, 0, 0}));
}

TEST(ScriptedSale, AFailedSaleIsNotOrdered) {
  const CallResult definite = tl::unexpected(kDefinite);
  const CallResult indefinite = tl::unexpected(kIndefinite);
  const CallResult done = IntegerReply(1);
  const struct {
    const char* write;
    std::vector<CallResult> answers;
    const char* recorded;
    const char* orders;
  } cases[] = {
      {"version", {kRefusedReply, done}, "invoke fail invoke ok", "invoke ok"},
      {"version", {definite}, "invoke fail", ""},
      {"version", {indefinite}, "invoke info", ""},
      {"fenced", {TextReply("10"), kRefusedReply}, "invoke fail", ""},
      {"fenced", {TextReply("10"), definite}, "invoke fail", ""},
      {"fenced", {TextReply("10"), indefinite}, "invoke info", ""},
      {"fenced", {indefinite}, "", ""},
      {"fenced", {Reply{}}, "", ""},
      {"atomic-script", {kRefusedReply}, "invoke fail", ""},
      {"atomic-script", {definite}, "invoke fail", ""},
      {"atomic-script", {indefinite}, "invoke info", ""},
  };
  for (const auto& [write, answers, recorded, orders] : cases) {
    Sale sale(write);
    sale.store.script = InTurn(answers);
    sale.Step();
    EXPECT_EQ(sale.TypesOf(Op::kWrite), recorded) << write;
    EXPECT_EQ(sale.TypesOf(Op::kOrder), orders) << write;
    EXPECT_EQ(sale.lock.said.back(), "0 release 1") << write;
  }
}

}  // namespace
}  // namespace doublehold
