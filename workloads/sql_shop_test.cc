// A customer's reaction to each answer of an SQL store. sql_shop_real_test.cc tests the statements
// on a real server.
#include <gtest/gtest.h>

#include "lib/testing/scripted_sql.h"
#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::ScriptedSql;
using testing::WorkloadScene;
using Kind = SqlFailure::Kind;

// The inventory with one item and no delays. The database answers as scripted.
struct RowSale : WorkloadScene {
  explicit RowSale(const std::string& write)
      : WorkloadScene("inventory",
                      {{"store", "postgres"}, {"write", write}, {"work", "0s"}, {"think", "0s"}}) {
    world.open_sql_session = [this] { return sql.OpenSession(); };
  }
  // The first word of each statement: "1:SELECT 1:UPDATE 1:INSERT", with the session's number.
  [[nodiscard]] std::string Statements() const {
    std::string words;
    for (const std::string& line : sql.log) {
      const std::string text = line.substr(line.find(": ") + 2);
      words += words.empty() ? "" : " ";
      words += line.substr(8, line.find(':') - 8) + ":" + text.substr(0, text.find(' '));
    }
    return words;
  }

  ScriptedSql sql;
};

TEST(SqlShop, ASaleReadsWritesAndOrders) {
  struct Case {
    std::string write;
    std::string statements;
    std::vector<SqlRows> answers;
  };
  const SqlRows one{{"1"}};
  const std::vector<Case> cases{
      {"read-modify-write", "1:SELECT 1:UPDATE 1:INSERT", {{{"10"}}, one, {}}},
      {"check-then-decr", "1:SELECT 1:UPDATE 1:INSERT", {{{"10"}}, {{"9"}}, {}}},
      {"version", "1:SELECT 1:UPDATE 1:INSERT", {{{"10", "3"}}, one, {}}},
      {"postgres-row", "1:BEGIN 1:SELECT 1:UPDATE 1:COMMIT 1:INSERT", {{}, {{"10"}}, {}, {}, {}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.write);
    RowSale sale(c.write);
    for (const SqlRows& rows : c.answers) sale.sql.Rows(rows);
    sale.Step();
    EXPECT_EQ(sale.Statements(), c.statements);
    const Event* order = sale.Find(Op::kOrder, EventType::kOk);
    ASSERT_NE(order, nullptr);
    EXPECT_EQ(order->value[0], 10) << "stock read";
    EXPECT_EQ(order->value[1], 9) << "stock written";
  }
}

TEST(SqlShop, AWriteWithoutARowIsRefused) {
  for (const char* write : {"read-modify-write", "check-then-decr"}) {
    SCOPED_TRACE(write);
    RowSale sale(write);
    sale.sql.Rows({{"10"}});
    sale.sql.Rows({});
    sale.Step();
    EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke fail");
    EXPECT_EQ(sale.TypesOf(Op::kOrder), "");
  }
}

TEST(SqlShop, AStaleVersionIsReadAgain) {
  RowSale sale("version");
  sale.sql.Rows({{"10", "3"}});
  sale.sql.Rows({});
  sale.sql.Rows({{"9", "4"}});
  sale.sql.Rows({{"1"}});
  sale.sql.Rows({});
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke fail invoke ok");
  EXPECT_EQ(sale.TypesOf(Op::kOrder), "invoke ok");
  EXPECT_TRUE(sale.sql.log.at(1).ends_with("| 0 | 9 | 3")) << sale.sql.log.at(1);
  EXPECT_TRUE(sale.sql.log.at(3).ends_with("| 0 | 8 | 4")) << sale.sql.log.at(3);
}

TEST(SqlShop, AWriteWithoutAReplyMayHaveTakenEffectAndTheNextHasItsOwnSession) {
  RowSale sale("read-modify-write");
  sale.sql.Rows({{"10"}});
  sale.sql.Fail(Kind::kNoReply);
  sale.sql.Rows({{"10"}});
  sale.sql.Fail(Kind::kRefused, "42P01");
  sale.Step();
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke info invoke fail");
  EXPECT_EQ(sale.Statements(), "1:SELECT 1:UPDATE 2:SELECT 2:UPDATE");
}

TEST(SqlShop, AStatementThatAnEndedSessionDidNotSendGoesToTheNext) {
  RowSale sale("read-modify-write");
  sale.sql.Rows({{"10"}});
  sale.sql.Fail(Kind::kNotSent);
  sale.sql.Rows({{"1"}});
  sale.sql.Rows({});
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke ok");
  EXPECT_EQ(sale.Statements(), "1:SELECT 1:UPDATE 2:UPDATE 2:INSERT");
}

// S13: the buyer may buy twice.
TEST(SqlShop, ACommitWithoutAReplyIsTriedAgain) {
  RowSale sale("postgres-row");
  const auto answer_until_commit = [&] {
    sale.sql.Rows({});
    sale.sql.Rows({{"10"}});
    sale.sql.Rows({});
  };
  answer_until_commit();
  sale.sql.Fail(Kind::kNoReply);
  answer_until_commit();
  sale.sql.Rows({});
  sale.sql.Rows({});
  sale.Step();
  EXPECT_EQ(sale.TypesOf(Op::kWrite), "invoke info invoke ok");
  EXPECT_EQ(sale.Statements(),
            "1:BEGIN 1:SELECT 1:UPDATE 1:COMMIT 2:BEGIN 2:SELECT 2:UPDATE 2:COMMIT 2:INSERT");
}

// A statement before COMMIT has no effect without the rest of its transaction.
TEST(SqlShop, ATransactionThatIsCutShortHasNoEffect) {
  for (int answered = 0; answered < 3; ++answered) {
    SCOPED_TRACE(answered);
    RowSale sale("postgres-row");
    for (int i = 0; i < answered; ++i) sale.sql.Rows({{"10"}});
    sale.sql.Fail(Kind::kNoReply);
    sale.Step();
    EXPECT_EQ(sale.Find(Op::kWrite, EventType::kInfo), nullptr);
    EXPECT_EQ(sale.TypesOf(Op::kOrder), "");
    sale.sql.Fail(Kind::kNotSent);
    sale.Step();
    EXPECT_TRUE(sale.Statements().ends_with("2:BEGIN")) << sale.Statements();
  }
}

TEST(SqlShop, ASoldOutItemEndsTheTransaction) {
  RowSale sale("postgres-row");
  sale.sql.Rows({});
  sale.sql.Rows({{"0"}});
  sale.sql.Rows({});
  sale.Step();
  EXPECT_EQ(sale.Statements(), "1:BEGIN 1:SELECT 1:ROLLBACK");
}

TEST(SqlShop, TheRefereeCountsStockAndOrders) {
  RowSale sale("version");
  sale.sql.Rows({{"7", "3"}});
  sale.workload->Finish(sale.env);
  const Event* counted = sale.Find(Op::kFinal, EventType::kOk);
  ASSERT_NE(counted, nullptr);
  EXPECT_EQ(counted->value[0], 7);
  EXPECT_EQ(counted->value[1], 3);
  sale.sql.Fail(Kind::kNoReply);
  sale.world.events.clear();
  sale.workload->Finish(sale.env);
  EXPECT_EQ(sale.Find(Op::kFinal, EventType::kOk), nullptr);
}

}  // namespace
}  // namespace doublehold
