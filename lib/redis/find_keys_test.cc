#include "lib/redis/find_keys.h"

#include <gtest/gtest.h>

#include <deque>

namespace doublehold {
namespace {

// Answers SCAN with the given parts, one a call.
class ScanOnly final : public Connection {
 public:
  explicit ScanOnly(std::deque<std::vector<std::string>> parts) : parts_(std::move(parts)) {}

  void Start(Argv command, Deadline /*deadline*/) override {
    EXPECT_EQ(command[0], "SCAN");
    pattern = command[3];
  }
  void StartScript(const Script&, Argv, Argv, Deadline) override {}
  CallResult Finish() override {
    if (parts_.empty()) return tl::unexpected(CallFailure{.message = "gone"});
    Reply names{.kind = Reply::Kind::kArray};
    for (const std::string& name : parts_.front())
      names.items.push_back({.kind = Reply::Kind::kString, .text = name});
    parts_.pop_front();
    const Reply cursor{.kind = Reply::Kind::kString, .text = parts_.empty() ? "0" : "17"};
    return Reply{.kind = Reply::Kind::kArray, .items = {cursor, names}};
  }

  std::string pattern;

 private:
  std::deque<std::vector<std::string>> parts_;
};

using Names = std::vector<std::string>;

TEST(FindKeysOf, FindsTheKeysOfEachLockOnceAndNoOthers) {
  ScanOnly server({{"dh:item:0", "bandwidth:1", "dh:item:10"}, {"lock:{dh:item:1}", "dh:item:0"}});
  const auto found = FindKeysOf(server, {"dh:item:0", "dh:item:1"}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Names{"dh:item:0", "lock:{dh:item:1}"}));
  EXPECT_EQ(server.pattern, "*dh:item:*");
}

TEST(FindKeysOf, FailsIfTheServerDoesNotAnswerEveryPart) {
  ScanOnly server({});
  const auto found = FindKeysOf(server, {"dh:queue"}, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "gone");
}

}  // namespace
}  // namespace doublehold
