// Checks docs/redisson-format.md on a real server. After each operation, compares the keys, types,
// fields, expiry and published messages.
#include <algorithm>
#include <array>
#include <sstream>

#include "lib/redis/socket.h"
#include "lib/testing/variants.h"

namespace doublehold {
namespace {

using testing::Call;
using testing::Client;
using testing::kPatience;
using testing::OnServers;
using RedissonFormatLines = std::vector<std::string>;

const LockKey kRedissonFormatKey{.name = "k"};
const LockKey kRedissonFormatToRead{.name = "k", .shared = true};

// Subscribes to every channel of a server. Uses a socket of its own, because a Connection treats an
// unsolicited message as a sign that the server was replaced.
class Listener {
 public:
  explicit Listener(const NodeAddress& node) {
    EXPECT_EQ(socket_.Connect(node, RealMono() + kPatience), "");
    Send("*2\r\n$10\r\nPSUBSCRIBE\r\n$1\r\n*\r\n");
    (void)WordsUntil(":1");
  }
  // Returns "CHANNEL MESSAGE" for each message that was published since the last call.
  RedissonFormatLines Heard() {
    const std::string mark = "mark" + std::to_string(++marks_);
    Send("*2\r\n$4\r\nPING\r\n$" + std::to_string(mark.size()) + "\r\n" + mark + "\r\n");
    const RedissonFormatLines words = WordsUntil(mark);  // earlier messages arrive before the mark
    RedissonFormatLines heard;
    for (size_t i = 0; i + 3 < words.size(); ++i) {
      if (words[i] == "pmessage") heard.push_back(words[i + 2] + " " + words[i + 3]);
    }
    return heard;
  }

 private:
  void Send(const std::string& bytes) {
    EXPECT_EQ(socket_.SendAll(bytes, RealMono() + kPatience), "");
  }
  // Returns the received protocol lines up to `last`, without the lines that state a length.
  RedissonFormatLines WordsUntil(const std::string& last) {
    std::string received;
    while (!received.ends_with(last + "\r\n")) {
      std::array<char, 512> bytes{};
      const Socket::Received more = socket_.Receive(bytes, RealMono() + kPatience);
      EXPECT_EQ(more.error, "") << received;
      if (!more.error.empty()) break;
      received.append(bytes.data(), more.bytes);
    }
    RedissonFormatLines words;
    std::istringstream lines(received);
    for (std::string line; std::getline(lines, line);) {
      line.pop_back();  // \r
      const bool is_length = line.size() > 1 && (line[0] == '*' || line[0] == '$');
      if (!is_length) words.push_back(line);
    }
    return words;
  }

  Socket socket_;
  int marks_ = 0;
};

class Format : public OnServers {
 protected:
  // Clients 1 and 2. In expected names, A and B stand for their UUIDs.
  Client& A() { return *a_; }
  Client& B() { return *b_; }
  void Use(const std::string& lock) {
    a_ = std::make_unique<Client>(1, testing::Variant{.lock = lock});
    b_ = std::make_unique<Client>(2, testing::Variant{.lock = lock});
    uuids_.clear();
    for (Client* client : {a_.get(), b_.get()}) {
      const Grant grant = client->Acquire({.name = "other"});
      uuids_.push_back(grant.owner.substr(0, 36));
      EXPECT_EQ(client->Release(grant), ReleaseResult::kReleased);
    }
    Empty();
    listener_ = std::make_unique<Listener>(Node(1).address());
  }

  // Describes every key as "name type +|- content". "+" means that the key expires. A and B stand
  // for the clients' UUIDs.
  RedissonFormatLines Keys() {
    RedissonFormatLines lines;
    const auto connection = MakeConnection(Node(1).address());
    const CallResult names = Call(*connection, {"KEYS", "*"});
    for (const Reply& name : names->items) lines.push_back(Readable(Describe(name.text)));
    std::ranges::sort(lines);
    return lines;
  }
  RedissonFormatLines Published() {
    RedissonFormatLines lines = listener_->Heard();
    for (std::string& line : lines) line = Readable(line);
    return lines;
  }

 private:
  static std::string Describe(const std::string& name) {
    const std::string type = AskNode(1, {"TYPE", name});
    const std::string expires = std::stoll(AskNode(1, {"PTTL", name})) > 0 ? "+" : "-";
    std::string content;
    if (type == "hash") content = AskNode(1, {"HGETALL", name});
    if (type == "list") content = AskNode(1, {"LRANGE", name, "0", "-1"});
    if (type == "zset") content = AskNode(1, {"ZRANGE", name, "0", "-1"});
    if (type == "string") content = AskNode(1, {"GET", name});
    return name + " " + type + " " + expires + " " + content;
  }
  std::string Readable(std::string text) const {
    for (size_t i = 0; i < uuids_.size(); ++i) {
      for (size_t at = text.find(uuids_[i]); at != std::string::npos; at = text.find(uuids_[i]))
        text.replace(at, uuids_[i].size(), i == 0 ? "A" : "B");
    }
    return text;
  }

  std::unique_ptr<Client> a_, b_;
  std::vector<std::string> uuids_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(Format, RedissonFollowsTheDocument) {
  for (const char* lock : {"redisson", "redisson-multi"}) {
    Use(lock);
    const Grant outer = A().Acquire(kRedissonFormatKey);
    EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [A:1, 1]"}));
    const Grant inner = A().Acquire(kRedissonFormatKey);
    EXPECT_TRUE(B().IsBusy(kRedissonFormatKey));
    EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [A:1, 2]"}));
    EXPECT_EQ(A().Release(inner), ReleaseResult::kReleased);
    EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [A:1, 1]"}));
    EXPECT_EQ(Published(), RedissonFormatLines{});
    EXPECT_EQ(A().Release(outer), ReleaseResult::kReleased);
    EXPECT_EQ(Keys(), RedissonFormatLines{});
    EXPECT_EQ(Published(), (RedissonFormatLines{"redisson_lock__channel:{k} 0"}));
  }
}

TEST_F(Format, RedissonSpinPublishesNoMessages) {
  Use("redisson-spin");
  const Grant grant = A().Acquire(kRedissonFormatKey);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [A:1, 1]"}));
  EXPECT_EQ(A().Release(grant), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), RedissonFormatLines{});
  EXPECT_EQ(Published(), RedissonFormatLines{});
}

TEST_F(Format, RedissonFencedFollowsTheDocument) {
  Use("redisson-fenced");
  const Grant outer = A().Acquire(kRedissonFormatKey);
  EXPECT_EQ(Keys(),
            (RedissonFormatLines{"k hash + [A:1, 1]", "redisson_lock_token:{k} string - 1"}));
  const Grant inner = A().Acquire(kRedissonFormatKey);
  EXPECT_EQ(inner.token, 2);
  EXPECT_TRUE(B().IsBusy(kRedissonFormatKey));
  EXPECT_EQ(Keys(),
            (RedissonFormatLines{"k hash + [A:1, 2]", "redisson_lock_token:{k} string - 2"}));
  EXPECT_EQ(A().Release(inner), ReleaseResult::kReleased);
  EXPECT_EQ(A().Release(outer), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"redisson_lock_token:{k} string - 2"}))
      << "outlives the lock";
  EXPECT_EQ(Published(), (RedissonFormatLines{"redisson_lock__channel:{k} 0"}));
}

TEST_F(Format, RedissonFairFollowsTheDocument) {
  Use("redisson-fair");
  const Grant grant = A().Acquire(kRedissonFormatKey);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [A:1, 1]"}));
  EXPECT_TRUE(B().IsBusy(kRedissonFormatKey));
  EXPECT_TRUE(B().IsBusy(kRedissonFormatKey)) << "stands in the queue once";
  EXPECT_EQ(Keys(),
            (RedissonFormatLines{"k hash + [A:1, 1]", "redisson_lock_queue:{k} list - [B:1]",
                                 "redisson_lock_timeout:{k} zset - [B:1]"}));
  // The deadline is the holder's lease of 60 s, plus the wait time of 5 min, after the waiter's
  // acquire.
  const int64_t instant_ms =
      std::stoll(AskNode(1, {"ZSCORE", "redisson_lock_timeout:{k}",
                             AskNode(1, {"LINDEX", "redisson_lock_queue:{k}", "0"})}));
  EXPECT_NEAR(static_cast<double>(instant_ms - ToMs(B().env().Wall())), 360'000, 30'000);
  EXPECT_EQ(A().Release(grant), ReleaseResult::kReleased);
  EXPECT_EQ(Published(), (RedissonFormatLines{"redisson_lock__channel:{k}:B:1 0"}))
      << "the head of the queue";
  EXPECT_EQ(Keys(), (RedissonFormatLines{"redisson_lock_queue:{k} list - [B:1]",
                                         "redisson_lock_timeout:{k} zset - [B:1]"}));
  const Grant next = B().Acquire(kRedissonFormatKey);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [B:1, 1]"}));
  EXPECT_EQ(B().Release(next), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), RedissonFormatLines{});
  EXPECT_EQ(Published(), RedissonFormatLines{}) << "nobody waits";
}

TEST_F(Format, RedissonReadWriteFollowsTheDocumentForReaders) {
  Use("redisson-read-write");
  const Grant first = A().Acquire(kRedissonFormatToRead);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [mode, read, A:1, 1]",
                                         "{k}:A:1:rwlock_timeout:1 string + 1"}));
  const Grant again = A().Acquire(kRedissonFormatToRead);
  const Grant other = B().Acquire(kRedissonFormatToRead);
  EXPECT_EQ(Keys(),
            (RedissonFormatLines{
                "k hash + [mode, read, A:1, 2, B:1, 1]", "{k}:A:1:rwlock_timeout:1 string + 1",
                "{k}:A:1:rwlock_timeout:2 string + 1", "{k}:B:1:rwlock_timeout:1 string + 1"}));
  EXPECT_EQ(A().Release(again), ReleaseResult::kReleased);
  EXPECT_EQ(A().Release(first), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [mode, read, B:1, 1]",
                                         "{k}:B:1:rwlock_timeout:1 string + 1"}));
  EXPECT_EQ(Published(), RedissonFormatLines{});
  EXPECT_EQ(B().Release(other), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), RedissonFormatLines{});
  EXPECT_EQ(Published(), (RedissonFormatLines{"redisson_rwlock:{k} 0"}));
}

TEST_F(Format, RedissonReadWriteFollowsTheDocumentForAWriterThatAlsoReads) {
  Use("redisson-read-write");
  const Grant written = A().Acquire(kRedissonFormatKey);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [mode, write, A:1:write, 1]"}));
  const Grant again = A().Acquire(kRedissonFormatKey);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [mode, write, A:1:write, 2]"}));
  EXPECT_EQ(A().Release(again), ReleaseResult::kReleased);
  const Grant read = A().Acquire(kRedissonFormatToRead);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [mode, write, A:1:write, 1, A:1, 1]",
                                         "{k}:A:1:rwlock_timeout:1 string + 1"}));
  EXPECT_EQ(A().Release(written), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [mode, read, A:1, 1]",
                                         "{k}:A:1:rwlock_timeout:1 string + 1"}));
  EXPECT_EQ(Published(), RedissonFormatLines{}) << "goes on as a reader, and tells nobody";
  EXPECT_EQ(A().Release(read), ReleaseResult::kReleased);
  const Grant alone = B().Acquire(kRedissonFormatKey);
  EXPECT_EQ(B().Release(alone), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), RedissonFormatLines{});
  EXPECT_EQ(Published(), (RedissonFormatLines{"redisson_rwlock:{k} 0", "redisson_rwlock:{k} 1"}))
      << "0 from a reader, 1 from a writer";
}

TEST_F(Format, AKeyWhoseNameHasABraceGetsNoFurtherBraces) {
  Use("redisson");
  EXPECT_EQ(A().Release(A().Acquire({.name = "{k}:1"})), ReleaseResult::kReleased);
  EXPECT_EQ(Published(), (RedissonFormatLines{"redisson_lock__channel:{k}:1 0"}));
  Use("redisson-read-write");
  const Grant grant = A().Acquire({.name = "{k}:1", .shared = true});
  EXPECT_EQ(Keys(), (RedissonFormatLines{"{k}:1 hash + [mode, read, A:1, 1]",
                                         "{k}:1:A:1:rwlock_timeout:1 string + 1"}));
  EXPECT_EQ(A().Release(grant), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), RedissonFormatLines{});
}

TEST_F(Format, RedlockRedissonHasTheFormatOfRedissonOnEveryNode) {
  Use("redlock-redisson");
  const Grant grant = A().Acquire(kRedissonFormatKey);
  EXPECT_EQ(Keys(), (RedissonFormatLines{"k hash + [A:1, 1]"}));
  for (int node = 2; node <= testing::kServers; ++node)
    EXPECT_EQ(AskNode(node, {"HGETALL", "k"}), "[" + grant.owner + ", 1]");
  EXPECT_EQ(A().Release(grant), ReleaseResult::kReleased);
  EXPECT_EQ(Keys(), RedissonFormatLines{});
  EXPECT_EQ(Published(), (RedissonFormatLines{"redisson_lock__channel:{k} 0"}));
}

}  // namespace
}  // namespace doublehold
