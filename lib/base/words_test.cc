#include "lib/base/words.h"

#include <fmt/format.h>
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
      {"REDLOCK", "redlock"},           {"redison", "redisson"}, {"setnxpx", "set-nx-px"},
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

TEST(Suggestion, TheDashesOfOptionsDoNotMakeWordsSimilar) {
  const std::vector<std::string> options{"--net", "--jobs"};
  EXPECT_EQ(Suggestion("--repeat", options), " (one of: --net, --jobs)");
  EXPECT_EQ(Suggestion("--lock", options), " (one of: --net, --jobs)");
  EXPECT_EQ(Suggestion("--job", options), " (did you mean '--jobs'?)");
}

TEST(Suggestion, PrefersTheSameFirstLetterAtTheSameDistance) {
  EXPECT_EQ(Suggestion("jsn", {"edn", "jsonl"}), " (did you mean 'jsonl'?)");
  EXPECT_EQ(Suggestion("jsn", {"edn", "lines"}), " (did you mean 'edn'?)");
}

TEST(Suggestion, IsEmptyWhenNoWordIsKnown) { EXPECT_EQ(Suggestion("x", {}), ""); }

TEST(UnknownWord, IsOneSentence) {
  EXPECT_EQ(UnknownWord("lock", "redlok", Locks()),
            "lock 'redlok' is unknown (did you mean 'redlock'?)");
}

TEST(Words, BytesThatAreNotUtf8AreEscaped) {
  const std::pair<std::string, std::string> cases[] = {
      {"\xe2\x82\xac \xc2", "\xe2\x82\xac \\xc2"},
      {"a\xff\xfe", "a\\xff\\xfe"},                  // bytes that never occur in UTF-8
      {"\x80z", "\\x80z"},                           // a continuation byte alone
      {"\xc3", "\\xc3"},                             // truncated
      {"\xe2\x82z", "\\xe2\\x82z"},                  // truncated
      {"\xc0\xaf", "\\xc0\\xaf"},                    // overlong
      {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},           // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // half of a surrogate pair
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // above the last character
  };
  for (const auto& [bytes, written] : cases) EXPECT_EQ(OnOneLine(bytes), written) << written;
  for (const char* plain : {"\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x94\x92"})
    EXPECT_EQ(OnOneLine(plain), plain);
}

TEST(Words, ControlCharactersAreEscaped) {
  EXPECT_EQ(OnOneLine("a\nb\tc\x1b[31m\x7f"), "a\\nb\\x09c\\x1b[31m\\x7f");
  EXPECT_EQ(OnOneLine("\xc2\x9b"
                      "31m"),
            "\\x9b31m");
  for (const char* plain : {"", "<script>", "caf\xc3\xa9", "\xc2\xa0", "\xe2\x82\xac"}) {
    EXPECT_EQ(OnOneLine(plain), plain);
  }
}

TEST(Words, ALongTextIsCutAndItsLengthIsShown) {
  EXPECT_EQ(Shortened("a\nb"), "a\\nb");
  EXPECT_EQ(Shortened(std::string(160, 'x')), std::string(160, 'x'));
  EXPECT_EQ(Shortened(std::string(161, 'x')), std::string(160, 'x') + "... (161 bytes)");
  EXPECT_EQ(Shortened("abcd", 3), "abc... (4 bytes)");
  EXPECT_EQ(Shortened("a\u20acb", 3), "a... (5 bytes)") << "no character is split";
  EXPECT_EQ(Shortened("\x80\x80\x80\x80\x80", 4), "\\x80\\x80\\x80\\x80... (5 bytes)");
}

TEST(Words, ANameMustFitOnOneLineAndIntoAFolderName) {
  for (const std::string& good : {std::string(), std::string("redlock/pause"),
                                  std::string("caf\xc3\xa9"), std::string(250, 'x')})
    EXPECT_EQ(WhyNotAName(good), "") << good;
  EXPECT_EQ(WhyNotAName("a\nb"), "name 'a\\nb': must not have control characters");
  EXPECT_EQ(WhyNotAName("ab", 1), "name 'ab': must have at most 1 bytes");
  EXPECT_EQ(WhyNotAName(std::string(2 << 20, 'x')),
            "name '" + std::string(160, 'x') + "... (2097152 bytes)': must have at most 250 bytes");
}

TEST(Words, AShortSuggestionNamesAFewOfMany) {
  std::vector<std::string> cells;
  for (int i = 0; i < 40; ++i) cells.push_back(fmt::format("row {}/calm", i));
  EXPECT_EQ(ShortSuggestion("lost-reply", cells),
            " (one of: row 0/calm, row 1/calm, row 2/calm, row 3/calm, row 4/calm, row 5/calm, "
            "row 6/calm, row 7/calm, row 8/calm, row 9/calm, row 10/calm, row 11/calm, ...)");
  EXPECT_EQ(ShortSuggestion("row 17/clam", cells), " (did you mean 'row 17/calm'?)");
}

TEST(Words, AWordIsANumberOnlyAsAWhole) {
  EXPECT_EQ(ReadNumber("17"), 17);
  EXPECT_EQ(ReadNumber("-1"), -1);
  for (const char* other : {"", "1x", "x1", " 1", "1.5", "99999999999"})
    EXPECT_EQ(ReadNumber(other), std::nullopt) << other;
}

TEST(Words, AnUnknownWordOfMegabytesIsCut) {
  EXPECT_EQ(
      UnknownWord("lock", std::string(2 << 20, 'x'), {"redlock", "none"}),
      "lock '" + std::string(160, 'x') + "... (2097152 bytes)' is unknown (one of: redlock, none)");
}

}  // namespace
}  // namespace doublehold
