// Ways to write the stock, on a real PostgreSQL server: two customers of one item.
#include <gtest/gtest.h>

#include "lib/postgres/session.h"
#include "lib/real/real_env.h"
#include "lib/testing/postgres_server.h"
#include "workloads/shop_store.h"

namespace doublehold {
namespace {

using testing::kPatience;
using testing::PostgresServer;

struct RowBuyer {
  RowBuyer(const NodeAddress& address, std::string_view write, Duration timeout = kPatience,
           bool fence_on_reads = true)
      : process{.number = 1, .addresses = {address}},
        env(process, TaskKind::kSession),
        store(MakeSqlShop(env, timeout)),
        writer(store->MakeWriter(write, fence_on_reads)) {}

  StockRead Read(int64_t token = 0) { return writer->Read(0, {.token = token}); }
  StockWritten Write(int64_t read, int64_t token = 0) {
    return writer->Write(0, read, {.token = token});
  }

  RealProcess process;
  RealEnv env;
  std::unique_ptr<ShopStore> store;
  std::unique_ptr<StockWriter> writer;
};

class SqlShopTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoPostgres(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<PostgresServer>();
    referee_ = std::make_unique<RowBuyer>(server_->address(), "version");
    ASSERT_TRUE(referee_->store->Open({.items = 2, .stock = 10}));
  }
  int64_t Stock() { return referee_->store->CountItem(0).value_or(ShopStore::Count{-1, -1}).stock; }

  std::unique_ptr<PostgresServer> server_;
  std::unique_ptr<RowBuyer> referee_;
};

TEST_F(SqlShopTest, EveryValueOfWriteDecrementsTheStock) {
  int64_t left = 10;
  for (const std::string_view write : WritesIn("postgres")) {
    SCOPED_TRACE(write);
    RowBuyer buyer(server_->address(), write);
    const StockRead read = buyer.Read(1);
    ASSERT_EQ(read.answer, Answer::kDone);
    EXPECT_EQ(read.stock, left);
    const StockWritten written = buyer.Write(read.stock, 1);
    ASSERT_EQ(written.answer, Answer::kDone);
    EXPECT_EQ(written.before, left);
    EXPECT_EQ(written.after, --left);
    EXPECT_EQ(Stock(), left);
  }
}

TEST_F(SqlShopTest, OrdersAreCountedByItem) {
  EXPECT_EQ(referee_->store->Order(0, "a"), Answer::kDone);
  EXPECT_EQ(referee_->store->Order(0, "a"), Answer::kDone) << "a buyer may order twice";
  EXPECT_EQ(referee_->store->CountItem(0)->orders, 2);
  EXPECT_EQ(referee_->store->CountItem(1)->orders, 0);
}

TEST_F(SqlShopTest, AStaleVersionIsRefused) {
  RowBuyer slow(server_->address(), "version");
  RowBuyer quick(server_->address(), "version");
  const int64_t read = slow.Read().stock;
  ASSERT_EQ(quick.Write(quick.Read().stock).answer, Answer::kDone);
  EXPECT_EQ(slow.Write(read).answer, Answer::kRefused);
  EXPECT_EQ(Stock(), 9);
  EXPECT_EQ(slow.Write(slow.Read().stock).answer, Answer::kDone) << "and again";
}

TEST_F(SqlShopTest, ADecrementNeverGoesBelowZero) {
  RowBuyer buyer(server_->address(), "check-then-decr");
  const int64_t read = buyer.Read().stock;
  for (int left = 9; left >= 0; --left) EXPECT_EQ(buyer.Write(read).after, left);
  EXPECT_EQ(buyer.Write(read).answer, Answer::kRefused);
  EXPECT_EQ(Stock(), 0);
}

TEST_F(SqlShopTest, TheStoreRefusesATokenLowerThanTheLargestSeen) {
  RowBuyer late(server_->address(), "fenced");
  RowBuyer next(server_->address(), "fenced");
  const int64_t read = late.Read(9).stock;
  EXPECT_EQ(next.Read(10).stock, 10) << "as numbers: 10 is above 9";
  EXPECT_EQ(late.Write(read, 9).answer, Answer::kRefused) << "a read registers as well";
  EXPECT_EQ(late.Read(9).answer, Answer::kRefused);
  EXPECT_EQ(next.Write(10, 10).answer, Answer::kDone);
  EXPECT_EQ(Stock(), 9);
}

TEST_F(SqlShopTest, ALockedRowKeepsOthersOutUntilTheTransactionEnds) {
  RowBuyer first(server_->address(), "postgres-row");
  RowBuyer second(server_->address(), "postgres-row", /*timeout=*/300ms);
  RowBuyer third(server_->address(), "postgres-row");
  ASSERT_EQ(first.Read().stock, 10);
  EXPECT_EQ(second.Read().answer, Answer::kFailed) << "waits for the row, and gives up";
  EXPECT_EQ(Stock(), 10) << "others may still read";
  EXPECT_EQ(first.Write(10).answer, Answer::kDone);
  EXPECT_EQ(third.Read().stock, 9);
  third.writer->Leave();
  EXPECT_EQ(first.Read().stock, 9) << "free again";
}

TEST_F(SqlShopTest, ATransactionWhoseServerRestartedHasNoEffect) {
  RowBuyer buyer(server_->address(), "postgres-row");
  ASSERT_EQ(buyer.Read().stock, 10);
  server_->Kill();
  server_->Start();
  EXPECT_EQ(buyer.Write(10).answer, Answer::kFailed);
  EXPECT_EQ(Stock(), 10);
  EXPECT_EQ(buyer.Write(buyer.Read().stock).answer, Answer::kDone);
}

}  // namespace
}  // namespace doublehold
