// A shop in an SQL database.
//
//   doublehold_stock:  a row for each item: its stock, how often it was written (write=version),
//                      and the largest token seen (write=fenced)
//   doublehold_order:  a row for each order: the item, and hold-stock read
#include <charconv>
#include <utility>

#include "lib/base/check.h"
#include "lib/clients/clients.h"
#include "lib/clients/sql.h"
#include "workloads/shop_store.h"

namespace doublehold {
namespace {

using Values = std::vector<std::string>;

Answer AnswerOf(const SqlFailure& failure) {
  return failure.kind == SqlFailure::Kind::kNoReply ? Answer::kUnknown : Answer::kFailed;
}

// Returns an integer of the first row, or nothing.
std::optional<int64_t> IntegerAt(const SqlRows& rows, size_t column) {
  if (rows.empty() || rows.front().size() <= column) return std::nullopt;
  const std::string& text = rows.front()[column];
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

// A task's session with a timeout for each statement. Opens the next session after the end of one,
// and sends a statement there that was not sent, but not within a transaction.
class SqlStore {
 public:
  SqlStore(Env& env, Duration timeout) : env_(env), timeout_(timeout) {}

  SqlResult Execute(std::string_view statement, const Values& values = {}) {
    const std::vector<std::string_view> views(values.begin(), values.end());
    const Deadline deadline = env_.Mono() + timeout_;
    if (session_ != nullptr && (in_transaction_ || !session_->HasEnded())) {
      SqlResult result = session_->Execute(statement, views, deadline);
      const bool sent = result || result.error().kind != SqlFailure::Kind::kNotSent;
      if (sent || in_transaction_) return result;
    }
    session_ = env_.clients().sql().OpenSession(kStoreId);
    return session_->Execute(statement, views, deadline);
  }

  [[nodiscard]] bool Begin() { return in_transaction_ = Execute("BEGIN").has_value(); }
  SqlResult Commit() {
    SqlResult committed = Execute("COMMIT");
    in_transaction_ = false;
    return committed;
  }
  // Ends the transaction without an effect: the database does that when its session ends.
  void Drop() {
    session_.reset();
    in_transaction_ = false;
  }
  void Rollback() {
    if (!Execute("ROLLBACK")) return Drop();
    in_transaction_ = false;
  }

 private:
  Env& env_;
  Duration timeout_;
  std::unique_ptr<SqlSession> session_;  // null before the first statement
  bool in_transaction_ = false;
};

StockRead ReadOf(const SqlResult& rows) {
  const std::optional<int64_t> stock = rows ? IntegerAt(*rows, 0) : std::nullopt;
  if (!stock) return {};
  return {.answer = Answer::kDone, .stock = *stock};
}

// The result of an UPDATE that sets the value read, minus 1. Without a row it was refused.
StockWritten WrittenOf(const SqlResult& rows, int64_t read) {
  if (!rows) return {.answer = AnswerOf(rows.error())};
  if (rows->empty()) return {.answer = Answer::kRefused};
  return {.answer = Answer::kDone, .before = read, .after = read - 1};
}

class SqlWriter : public StockWriter {
 public:
  explicit SqlWriter(SqlStore& store) : store_(store) {}

  StockRead Read(int item, const Grant& /*grant*/) override {
    return ReadOf(
        store().Execute("SELECT stock FROM doublehold_stock WHERE item = $1", {Name(item)}));
  }

 protected:
  static std::string Name(int item) { return std::to_string(item); }
  [[nodiscard]] SqlStore& store() { return store_; }

 private:
  SqlStore& store_;
};

class ReadModifyWriteRow final : public SqlWriter {
 public:
  using SqlWriter::SqlWriter;

  StockWritten Write(int item, int64_t read, const Grant& /*grant*/) override {
    return WrittenOf(
        store().Execute("UPDATE doublehold_stock SET stock = $2 WHERE item = $1 RETURNING 1",
                        {Name(item), std::to_string(read - 1)}),
        read);
  }
};

// One statement checks and decrements the stock, so that it is never below 0.
class DecrementRow final : public SqlWriter {
 public:
  using SqlWriter::SqlWriter;

  StockWritten Write(int item, int64_t /*read*/, const Grant& /*grant*/) override {
    const SqlResult rows = store().Execute(
        "UPDATE doublehold_stock SET stock = stock - 1 WHERE item = $1 AND stock > 0 "
        "RETURNING stock",
        {Name(item)});
    if (!rows) return {.answer = AnswerOf(rows.error())};
    const std::optional<int64_t> after = IntegerAt(*rows, 0);
    if (!after) return {.answer = Answer::kRefused};  // sold out since the read
    return {.answer = Answer::kDone, .before = *after + 1, .after = *after};
  }
};

// The store refuses a token lower than the largest that it has seen.
class FencedRow final : public SqlWriter {
 public:
  FencedRow(SqlStore& store, bool on_reads) : SqlWriter(store), on_reads_(on_reads) {}

  StockRead Read(int item, const Grant& grant) override {
    if (!on_reads_) return SqlWriter::Read(item, grant);
    const SqlResult rows = store().Execute(
        "UPDATE doublehold_stock SET fence = $2 WHERE item = $1 AND fence <= $2 RETURNING stock",
        {Name(item), std::to_string(grant.token)});
    if (rows && rows->empty()) return {.answer = Answer::kRefused};
    return ReadOf(rows);
  }

  StockWritten Write(int item, int64_t read, const Grant& grant) override {
    return WrittenOf(
        store().Execute("UPDATE doublehold_stock SET fence = $2, stock = $3 "
                        "WHERE item = $1 AND fence <= $2 RETURNING 1",
                        {Name(item), std::to_string(grant.token), std::to_string(read - 1)}),
        read);
  }

  int64_t TokenShown(Op op, const Grant& grant) const override {
    return op == Op::kWrite || on_reads_ ? grant.token : 0;
  }

 private:
  bool on_reads_;
};

// The optimistic lock: one UPDATE .. WHERE version = the version that was read.
class VersionedRow final : public SqlWriter {
 public:
  using SqlWriter::SqlWriter;

  StockRead Read(int item, const Grant& /*grant*/) override {
    const SqlResult rows = store().Execute(
        "SELECT stock, version FROM doublehold_stock WHERE item = $1", {Name(item)});
    if (rows) version_ = IntegerAt(*rows, 1).value_or(0);
    return ReadOf(rows);
  }

  StockWritten Write(int item, int64_t read, const Grant& /*grant*/) override {
    return WrittenOf(
        store().Execute("UPDATE doublehold_stock SET stock = $2, version = version + 1 "
                        "WHERE item = $1 AND version = $3 RETURNING 1",
                        {Name(item), std::to_string(read - 1), std::to_string(version_)}),
        read);
  }

  bool TriesAgain(Answer written) const override { return written == Answer::kRefused; }

 private:
  int64_t version_ = 0;  // the version read last
};

// BEGIN, SELECT .. FOR UPDATE, UPDATE, COMMIT. The row is locked from the read to the end of the
// transaction, which ends with its session at the latest.
class LockedRow final : public SqlWriter {
 public:
  using SqlWriter::SqlWriter;

  StockRead Read(int item, const Grant& /*grant*/) override {
    if (!store().Begin()) return store().Drop(), StockRead{};
    const StockRead read = ReadOf(store().Execute(
        "SELECT stock FROM doublehold_stock WHERE item = $1 FOR UPDATE", {Name(item)}));
    if (read.answer != Answer::kDone) store().Drop();
    return read;
  }

  StockWritten Write(int item, int64_t read, const Grant& /*grant*/) override {
    // A statement before COMMIT changes nothing, even if it has no reply.
    if (!store().Execute("UPDATE doublehold_stock SET stock = $2 WHERE item = $1",
                         {Name(item), std::to_string(read - 1)}))
      return store().Drop(), StockWritten{};
    const SqlResult committed = store().Commit();
    if (!committed) return store().Drop(), StockWritten{.answer = AnswerOf(committed.error())};
    return {.answer = Answer::kDone, .before = read, .after = read - 1};
  }

  void Leave() override { store().Rollback(); }

  // Tries again even if COMMIT had no reply. Such a buyer may buy twice, as with write=watch (K36).
  bool TriesAgain(Answer written) const override { return written == Answer::kUnknown; }
};

class SqlShop final : public ShopStore {
 public:
  SqlShop(Env& env, Duration timeout) : store_(env, timeout) {}

  bool Open(const ShopSize& size) override {
    if (!store_.Execute(
            "CREATE TABLE doublehold_stock (item int PRIMARY KEY, stock bigint NOT "
            "NULL, version bigint NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 0)"))
      return false;
    if (!store_.Execute(
            "CREATE TABLE doublehold_order (item int NOT NULL, purchase text NOT NULL)"))
      return false;
    for (int item = 0; item < size.items; ++item) {
      if (!store_.Execute("INSERT INTO doublehold_stock (item, stock) VALUES ($1, $2)",
                          {std::to_string(item), std::to_string(size.stock)}))
        return false;
    }
    return true;
  }

  std::optional<Count> CountItem(int item) override {
    const SqlResult rows = store_.Execute(
        "SELECT stock, (SELECT count(*) FROM doublehold_order WHERE item = $1) "
        "FROM doublehold_stock WHERE item = $1",
        {std::to_string(item)});
    if (!rows) return std::nullopt;
    const std::optional<int64_t> stock = IntegerAt(*rows, 0);
    const std::optional<int64_t> orders = IntegerAt(*rows, 1);
    if (!stock || !orders) return std::nullopt;
    return Count{.stock = *stock, .orders = *orders};
  }

  Answer Order(int item, const std::string& order) override {
    const SqlResult ordered = store_.Execute("INSERT INTO doublehold_order VALUES ($1, $2)",
                                             {std::to_string(item), order});
    return ordered ? Answer::kDone : AnswerOf(ordered.error());
  }

  std::unique_ptr<StockWriter> MakeWriter(std::string_view write, bool fence_on_reads) override {
    if (write == "check-then-decr") return std::make_unique<DecrementRow>(store_);
    if (write == "fenced") return std::make_unique<FencedRow>(store_, fence_on_reads);
    if (write == "version") return std::make_unique<VersionedRow>(store_);
    if (write == "postgres-row") return std::make_unique<LockedRow>(store_);
    CHECK(write == "read-modify-write");
    return std::make_unique<ReadModifyWriteRow>(store_);
  }

 private:
  SqlStore store_;
};

}  // namespace

std::unique_ptr<ShopStore> MakeSqlShop(Env& env, Duration timeout) {
  return std::make_unique<SqlShop>(env, timeout);
}

}  // namespace doublehold
