// A shop in Redis.
//
//   dh:stock:I    the stock of item I
//   dh:fence:I    the largest token seen (write=fenced)
//   dh:version:I  how often the stock was written (write=version)
//   dh:orders:I   a list with an entry for each order of item I: hold-stock read
#include <fmt/format.h>

#include "lib/base/check.h"
#include "workloads/shop_store.h"
#include "workloads/store.h"

namespace doublehold {
namespace {

std::string StockKey(int item) { return std::string("dh:stock:").append(std::to_string(item)); }
std::string OrdersKey(int item) { return std::string("dh:orders:").append(std::to_string(item)); }
std::string FenceKey(int item) { return fmt::format("dh:fence:{}", item); }
std::string VersionKey(int item) { return fmt::format("dh:version:{}", item); }

Answer AnswerOf(const CallFailure& failure) {
  return failure.definite ? Answer::kFailed : Answer::kUnknown;
}

StockRead Got(const std::optional<int64_t>& stock) {
  if (!stock) return {};
  return {.answer = Answer::kDone, .stock = *stock};
}

// SETs the value that was read, minus 1, regardless of later writes.
class ReadModifyWrite final : public StockWriter {
 public:
  explicit ReadModifyWrite(Store& store) : store_(store) {}

  StockRead Read(int item, const Grant& /*grant*/) override {
    return Got(store_.Get(StockKey(item)));
  }
  StockWritten Write(int item, int64_t read, const Grant& /*grant*/) override {
    const CallResult result = store_.Call({"SET", StockKey(item), std::to_string(read - 1)});
    if (!result) return {.answer = AnswerOf(result.error())};
    return {.answer = Answer::kDone, .before = read, .after = read - 1};
  }

 private:
  Store& store_;
};

// Uses DECR, as the section of seed 004 does.
class CheckThenDecr final : public StockWriter {
 public:
  explicit CheckThenDecr(Store& store) : store_(store) {}

  StockRead Read(int item, const Grant& /*grant*/) override {
    return Got(store_.Get(StockKey(item)));
  }
  StockWritten Write(int item, int64_t read, const Grant& /*grant*/) override {
    const CallResult result = store_.Call({"DECR", StockKey(item)});
    if (!result) return {.answer = AnswerOf(result.error())};
    return {.answer = Answer::kDone, .before = read, .after = result->integer};
  }

 private:
  Store& store_;
};

// The store refuses a token lower than the largest that it has seen. The reply is a number if the
// read is refused, and nil if the stock is missing.
class Fenced final : public StockWriter {
 public:
  Fenced(Store& store, bool on_reads) : store_(store), on_reads_(on_reads) {}

  StockRead Read(int item, const Grant& grant) override {
    if (!on_reads_) return Got(store_.Get(StockKey(item)));
    static const Script script(
        "if tonumber(ARGV[1]) < tonumber(redis.call('get', KEYS[2]) or '0') then return 0 end "
        "redis.call('set', KEYS[2], ARGV[1]) return redis.call('get', KEYS[1])");
    const CallResult result =
        store_.Eval(script, {StockKey(item), FenceKey(item)}, {std::to_string(grant.token)});
    if (!result) return {};
    if (result->kind == Reply::Kind::kInteger) return {.answer = Answer::kRefused};
    return Got(AsInteger(*result));
  }

  StockWritten Write(int item, int64_t read, const Grant& grant) override {
    static const Script script(
        "if tonumber(ARGV[1]) < tonumber(redis.call('get', KEYS[2]) or '0') then return 0 end "
        "redis.call('set', KEYS[2], ARGV[1]) redis.call('set', KEYS[1], ARGV[2]) return 1");
    const CallResult result = store_.Eval(script, {StockKey(item), FenceKey(item)},
                                          {std::to_string(grant.token), std::to_string(read - 1)});
    if (!result) return {.answer = AnswerOf(result.error())};
    if (!result->IsInteger(1)) return {.answer = Answer::kRefused};
    return {.answer = Answer::kDone, .before = read, .after = read - 1};
  }

  int64_t TokenShown(Op op, const Grant& grant) const override {
    return op == Op::kWrite || on_reads_ ? grant.token : 0;
  }

 private:
  Store& store_;
  bool on_reads_;
};

// WATCH, GET, MULTI, SET, EXEC on one connection. The server forgets a WATCH when its connection
// closes, and executes a SET outside of MULTI at once. Therefore the connection is pinned from
// WATCH on. Any failure ends the attempt and drops the connection. The server discards a MULTI
// without EXEC.
class Watch final : public StockWriter {
 public:
  explicit Watch(Store& store) : store_(store) {}

  StockRead Read(int item, const Grant& /*grant*/) override {
    const std::string key = StockKey(item);
    if (!store_.Call({"WATCH", key})) return DropConnection(), StockRead{};
    store_.Pin();
    const StockRead read = Got(store_.Get(key));
    if (read.answer != Answer::kDone) DropConnection();
    return read;
  }

  StockWritten Write(int item, int64_t read, const Grant& /*grant*/) override {
    // A command before EXEC changes nothing, even if it has no reply.
    const std::string stock = std::to_string(read - 1);
    if (!store_.Call({"MULTI"})) return DropConnection(), StockWritten{};
    if (!store_.Call({"SET", StockKey(item), stock})) return DropConnection(), StockWritten{};
    const CallResult result = store_.Call({"EXEC"});
    if (!result) return DropConnection(), StockWritten{.answer = AnswerOf(result.error())};
    store_.Unpin();
    if (result->IsNil()) return {.answer = Answer::kRefused};
    const bool set = result->items.size() == 1 && result->items[0].text == "OK";
    if (!set) return {};
    return {.answer = Answer::kDone, .before = read, .after = read - 1};
  }

  void Leave() override {
    if (!store_.Call({"UNWATCH"})) return DropConnection();
    store_.Unpin();
  }

  // Like the client of seed 004, tries again even if EXEC had no reply. Such a buyer may buy twice
  // (K36).
  bool TriesAgain(Answer written) const override {
    return written == Answer::kRefused || written == Answer::kUnknown;
  }

 private:
  void DropConnection() { store_.Drop(); }

  Store& store_;
};

// Writes the stock only if its version is still the one that was read.
class Version final : public StockWriter {
 public:
  explicit Version(Store& store) : store_(store) {}

  StockRead Read(int item, const Grant& /*grant*/) override {
    const CallResult result = store_.Call({"MGET", StockKey(item), VersionKey(item)});
    if (!result || result->items.size() != 2) return {};
    version_ = AsInteger(result->items[1]).value_or(0);  // 0 if the stock was never written
    return Got(AsInteger(result->items[0]));
  }

  StockWritten Write(int item, int64_t read, const Grant& /*grant*/) override {
    static const Script script(
        "if (redis.call('get', KEYS[2]) or '0') ~= ARGV[1] then return 0 end "
        "redis.call('set', KEYS[1], ARGV[2]) redis.call('incr', KEYS[2]) return 1");
    const CallResult result = store_.Eval(script, {StockKey(item), VersionKey(item)},
                                          {std::to_string(version_), std::to_string(read - 1)});
    if (!result) return {.answer = AnswerOf(result.error())};
    if (!result->IsInteger(1)) return {.answer = Answer::kRefused};
    return {.answer = Answer::kDone, .before = read, .after = read - 1};
  }

  bool TriesAgain(Answer written) const override { return written == Answer::kRefused; }

 private:
  Store& store_;
  int64_t version_ = 0;  // the version read last
};

// One script checks and decrements the stock. The read before the script only shows whether any
// stock is left.
class AtomicScript final : public StockWriter {
 public:
  explicit AtomicScript(Store& store) : store_(store) {}

  StockRead Read(int item, const Grant& /*grant*/) override {
    return Got(store_.Get(StockKey(item)));
  }

  StockWritten Write(int item, int64_t /*read*/, const Grant& /*grant*/) override {
    static const Script script(
        "local stock = tonumber(redis.call('get', KEYS[1]) or '0') "
        "if stock <= 0 then return 0 end return {stock, redis.call('decr', KEYS[1])}");
    const CallResult result = store_.Eval(script, {StockKey(item)}, {});
    if (!result) return {.answer = AnswerOf(result.error())};
    if (result->items.size() != 2) return {.answer = Answer::kRefused};  // sold out since the read
    return {.answer = Answer::kDone,
            .before = result->items[0].integer,
            .after = result->items[1].integer};
  }

 private:
  Store& store_;
};

class RedisShop final : public ShopStore {
 public:
  RedisShop(Env& env, Duration timeout) : store_(env, timeout) {}

  bool Open(const ShopSize& size) override {
    for (int item = 0; item < size.items; ++item) {
      if (!store_.Call({"SET", StockKey(item), std::to_string(size.stock)})) return false;
    }
    return true;
  }

  std::optional<Count> CountItem(int item) override {
    const std::optional<int64_t> stock = store_.Get(StockKey(item));
    const CallResult orders = store_.Call({"LLEN", OrdersKey(item)});
    if (!stock || !orders) return std::nullopt;
    return Count{.stock = *stock, .orders = orders->integer};
  }

  Answer Order(int item, const std::string& order) override {
    const CallResult pushed = store_.Call({"RPUSH", OrdersKey(item), order});
    return pushed ? Answer::kDone : AnswerOf(pushed.error());
  }

  std::unique_ptr<StockWriter> MakeWriter(std::string_view write, bool fence_on_reads) override {
    if (write == "check-then-decr") return std::make_unique<CheckThenDecr>(store_);
    if (write == "fenced") return std::make_unique<Fenced>(store_, fence_on_reads);
    if (write == "watch") return std::make_unique<Watch>(store_);
    if (write == "version") return std::make_unique<Version>(store_);
    if (write == "atomic-script") return std::make_unique<AtomicScript>(store_);
    CHECK(write == "read-modify-write");
    return std::make_unique<ReadModifyWrite>(store_);
  }

 private:
  Store store_;
};

}  // namespace

std::unique_ptr<ShopStore> MakeRedisShop(Env& env, Duration timeout) {
  return std::make_unique<RedisShop>(env, timeout);
}

}  // namespace doublehold
