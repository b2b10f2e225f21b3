#include "lib/base/words.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

const std::vector<std::string>& Locks() {
  static const std::vector<std::string> locks{"none", "setnx-getset", "set-nx-px", "redisson",
                                              "redlock"};
  return locks;
}

TEST(Suggestion, NamesTheNearestWordWhenOneIsNear) {
  const struct {
    const char* word;
    const char* nearest;
  } cases[] = {
      {"setnx", "setnx-getset"},        {"red", "redisson"},     {"redlok", "redlock"},
      {"Redlock", "redlock"},           {"redison", "redisson"}, {"setnxpx", "set-nx-px"},
      {"set-nx-pxx", "set-nx-px"},

      {"setnx_getset", "setnx-getset"}, {"non", "none"},
  };
  for (const auto& [word, nearest] : cases) {
    EXPECT_EQ(Suggestion(word, Locks()), std::string(" (did you mean '") + nearest + "'?)") << word;
  }
}

TEST(Suggestion, ListsAllWordsWhenNoneIsNear) {
  EXPECT_EQ(Suggestion("zookeeper", Locks()),
            " (one of: none, setnx-getset, set-nx-px, redisson, redlock)");
}

TEST(Suggestion, SaysNothingWhenThereIsNothingToChooseFrom) { EXPECT_EQ(Suggestion("x", {}), ""); }

TEST(UnknownWord, IsOneSentence) {
  EXPECT_EQ(UnknownWord("lock", "redlok", Locks()),
            "lock 'redlok' is unknown (did you mean 'redlock'?)");
}

TEST(Words, ControlCharactersAreWrittenOutOnOneLine) {
  EXPECT_EQ(OnOneLine("a\nb\tc\x1b[31m\x7f"), "a\\nb\\x09c\\x1b[31m\\x7f");
  EXPECT_EQ(OnOneLine("\xc2\x9b"
                      "31m"),
            "\\x9b31m");
  for (const char* plain : {"", "<script>", "caf\xc3\xa9", "\xc2\xa0", "\xe2\x82\xac \xc2"}) {
    EXPECT_EQ(OnOneLine(plain), plain);
  }
}

}  // namespace
}  // namespace doublehold
