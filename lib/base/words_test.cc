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

}  // namespace
}  // namespace doublehold
