// Ways to write the stock, on a real store: two customers of one item.
#include <gtest/gtest.h>

#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/servers.h"
#include "workloads/shop_store.h"

namespace doublehold {
namespace {

using testing::Ask;
using testing::Eventually;
using testing::kPatience;
using testing::Server;
using testing::TempFolder;

struct Buyer {
  Buyer(const NodeAddress& address, std::string_view write, bool fence_on_reads = true)
      : process{.number = 1, .addresses = {address}},
        env(process, TaskKind::kSession),
        store(MakeRedisShop(env, kPatience)),
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

class StockWriters : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(Ask(server_.address(), {"SET", "dh:stock:0", "10"}), "OK"); }
  std::string Stock() { return Ask(server_.address(), {"GET", "dh:stock:0"}); }

  TempFolder folder_;
  Server server_{folder_.path() / "store"};
};

TEST_F(StockWriters, EveryValueOfWriteDecrementsTheStock) {
  int left = 10;
  for (const std::string_view write : WritesIn("redis")) {
    SCOPED_TRACE(write);
    Buyer buyer(server_.address(), write);
    const StockRead read = buyer.Read(1);
    ASSERT_EQ(read.answer, Answer::kDone);
    EXPECT_EQ(read.stock, left);
    const StockWritten written = buyer.Write(read.stock, 1);
    ASSERT_EQ(written.answer, Answer::kDone);
    EXPECT_EQ(written.before, left);
    EXPECT_EQ(written.after, --left);
    EXPECT_EQ(Stock(), std::to_string(left));
  }
}

TEST_F(StockWriters, AStaleWriteIsRefused) {
  for (const char* write : {"watch", "version"}) {
    SCOPED_TRACE(write);
    const std::string before = Stock();
    Buyer slow(server_.address(), write);
    Buyer quick(server_.address(), write);
    const int64_t read = slow.Read().stock;
    ASSERT_EQ(quick.Write(quick.Read().stock).answer, Answer::kDone);
    EXPECT_EQ(slow.Write(read).answer, Answer::kRefused);
    EXPECT_EQ(Stock(), std::to_string(std::stoi(before) - 1));
    EXPECT_EQ(slow.Write(slow.Read().stock).answer, Answer::kDone) << "and again";
  }
}

TEST_F(StockWriters, AnAtomicSaleNeverGoesBelowZero) {
  Buyer buyer(server_.address(), "atomic-script");
  const int64_t read = buyer.Read().stock;
  ASSERT_EQ(Ask(server_.address(), {"SET", "dh:stock:0", "0"}), "OK");
  EXPECT_EQ(buyer.Write(read).answer, Answer::kRefused);
  EXPECT_EQ(Stock(), "0");
}

TEST_F(StockWriters, TheStoreRefusesATokenLowerThanTheLargestSeen) {
  Buyer late(server_.address(), "fenced");
  Buyer next(server_.address(), "fenced");
  const int64_t read = late.Read(9).stock;
  EXPECT_EQ(next.Read(10).stock, 10) << "as numbers: 10 is above 9";
  EXPECT_EQ(late.Write(read, 9).answer, Answer::kRefused) << "a read registers as well";
  EXPECT_EQ(late.Read(9).answer, Answer::kRefused);
  EXPECT_EQ(next.Write(10, 10).answer, Answer::kDone);
  EXPECT_EQ(Stock(), "9");
}

TEST_F(StockWriters, AStoreThatComparesOnWritesOnlyAcceptsALateReadersWrite) {
  Buyer late(server_.address(), "fenced", /*fence_on_reads=*/false);
  Buyer next(server_.address(), "fenced", /*fence_on_reads=*/false);
  const int64_t read = late.Read(1).stock;
  ASSERT_EQ(next.Read(2).stock, read);
  EXPECT_EQ(late.Write(read, 1).answer, Answer::kDone) << "K33";
  EXPECT_EQ(next.Write(read, 2).answer, Answer::kDone);
  EXPECT_EQ(late.Write(read, 1).answer, Answer::kRefused);
}

// If the second half of a purchase used a new connection, its SET would be executed at once,
// without the WATCH.
TEST_F(StockWriters, AWriteAfterTheConnectionIsLostFails) {
  Buyer buyer(server_.address(), "watch");
  const int64_t read = buyer.Read().stock;
  ASSERT_EQ(Ask(server_.address(), {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}), "1");
  ASSERT_EQ(Ask(server_.address(), {"SET", "dh:stock:0", "3"}), "OK");
  // Waits until the connection counts as not recently used. Then the write checks the connection
  // and finds it closed.
  const MonoTime looked_at = RealMono() + 20ms;
  ASSERT_TRUE(Eventually([&] { return RealMono() > looked_at; }));
  EXPECT_EQ(buyer.Write(read).answer, Answer::kFailed);
  EXPECT_EQ(Stock(), "3");
  EXPECT_EQ(buyer.Write(buyer.Read().stock).answer, Answer::kDone)
      << "reconnects and repeats WATCH";
  EXPECT_EQ(Stock(), "2");
}

TEST_F(StockWriters, LeavingEndsTheWatch) {
  Buyer buyer(server_.address(), "watch");
  ASSERT_EQ(buyer.Read().answer, Answer::kDone);
  buyer.writer->Leave();
  ASSERT_EQ(Ask(server_.address(), {"SET", "dh:stock:0", "5"}), "OK");
  EXPECT_EQ(buyer.Write(buyer.Read().stock).answer, Answer::kDone);
}

}  // namespace
}  // namespace doublehold
