// Objects by key, in every format: which keys are equal, and which are refused.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "checker/linear/judge_log.h"

namespace doublehold {
namespace {

constexpr const char* kNone = "";
constexpr const char* kNull = "null";

struct Call {
  int process;
  const char* key;
  const char* completed_under;
};

// One mutex for each key, which everybody acquires and nobody releases.
struct KeysCase {
  const char* name;
  std::vector<Call> calls;
  const char* refused;  // null: the log is judged
  Outcome outcome;      // in a lenient reading, if the log is refused
  std::vector<std::string> objects;
  SkipReason reason = SkipReason::kNoKey;
  int64_t skipped = 0;
};

std::ostream& operator<<(std::ostream& out, const KeysCase& c) { return out << c.name; }

const std::vector<KeysCase> kKeysCases{
    {"OfOneKey", {{0, "1", "1"}, {1, "1", "1"}}, nullptr, Outcome::kViolated, {"1"}},
    {"OfTwoKeys", {{0, "1", "1"}, {1, "2", "2"}}, nullptr, Outcome::kValid, {"1", "2"}},
    {"ANumberIsTheSameHoweverItIsWritten",
     {{0, "1", "1.0"}, {1, "1.0", "1"}},
     nullptr,
     Outcome::kViolated,
     {"1"}},
    {"OtherNumbersAreOthers",
     {{0, "1", "1"}, {1, "1.5", "1.5"}, {2, "-1.0", "-1"}},
     nullptr,
     Outcome::kValid,
     {"-1", "1", "1.5r"}},
    {"ATextIsNoNumber",
     {{0, "1", "1"}, {1, "\"1\"", "\"1\""}},
     nullptr,
     Outcome::kValid,
     {"\"1\"", "1"}},
    {"OfOneText",
     {{0, "\"k\"", "\"k\""}, {1, "\"k\"", "\"k\""}},
     nullptr,
     Outcome::kViolated,
     {"k"}},
    {"WithoutAnyKeyThereIsOneObject",
     {{0, kNone, kNone}, {1, kNull, kNull}},
     nullptr,
     Outcome::kViolated,
     {""}},
    {"TheLastWithoutAKey",
     {{0, "1", "1"}, {1, kNone, kNone}},
     "h:3: it has no key, unlike line 1",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     2},
    {"TheLastWithAKeyOfNull",
     {{0, "1", "1"}, {1, kNull, kNull}},
     "h:3: it has no key, unlike line 1",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     2},
    {"TheFirstWithoutAKey",
     {{0, kNone, kNone}, {1, kNone, kNone}, {2, "1", "1"}},
     "h:1: it has no key, unlike line 5",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     4},
    {"ACompletionWithoutAKey",
     {{0, "1", kNone}, {1, "1", "1"}},
     "h:2: it has no key, unlike line 1",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     1},
    {"ACompletionUnderATextInsteadOfANumber",
     {{0, "1", "\"1\""}, {1, "1", "1"}},
     "h:2: its key is \"1\", but process 0 began the operation in line 1 with key 1",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kOtherKey,
     1},
    {"ACompletionUnderAnothersKey",
     {{0, "1", "1"}, {1, "2", "1"}},
     "h:4: its key is 1, but process 1 began the operation in line 3 with key 2",
     Outcome::kUnknown,
     {"1", "2"},
     SkipReason::kOtherKey,
     1},
};

struct Writing {
  const char* name;
  LogFormat format;
  bool in_value;  // [key 0]
};

std::ostream& operator<<(std::ostream& out, const Writing& w) { return out << w.name; }

const std::vector<Writing> kWritings{{"Edn", LogFormat::kEdn, false},
                                     {"EdnInTheValue", LogFormat::kEdn, true},
                                     {"JsonLines", LogFormat::kJsonLines, false},
                                     {"JsonLinesInTheValue", LogFormat::kJsonLines, true},
                                     {"JepsenLogInTheValue", LogFormat::kJepsenLog, true}};

std::string Line(const Writing& writing, int process, const std::string& type, std::string key) {
  const bool is_json = writing.format == LogFormat::kJsonLines;
  const bool is_there = key != kNone;
  if (key == kNull && !is_json) key = "nil";
  const std::string value = !is_there || !writing.in_value ? "0" : "[" + key + ", 0]";
  const std::string number = std::to_string(process);
  if (writing.format == LogFormat::kJepsenLog)
    return "INFO  jepsen.util - " + number + " :" + type + " :acquire " + value + "\n";
  const bool has_field = is_there && !writing.in_value;
  if (is_json) {
    return R"({"process":)" + number + R"(,"type":")" + type + R"(","f":"acquire","value":)" +
           value + (has_field ? R"(,"key":)" + key : "") + "}\n";
  }
  return "{:process " + number + " :type :" + type + " :f :acquire :value " + value +
         (has_field ? " :key " + key : "") + "}\n";
}

// A nemesis event has no key, and needs none.
std::string Nemesis(const Writing& writing) {
  switch (writing.format) {
    case LogFormat::kJepsenLog:
      return "INFO  jepsen.util - :nemesis :info :start nil\n";
    case LogFormat::kJsonLines:
      return R"({"process":"nemesis","type":"info","f":"start"})";
    default:
      return "{:process :nemesis :type :info :f :start}";
  }
}

Result<LogVerdict> JudgedKeys(const std::string& text, LogFormat format, bool lenient) {
  TextSource source(text, "h");
  return JudgeLog(source, format,
                  {.model = *FindModel("mutex"),
                   .reading = {.partition = Partition::kAnyKey, .lenient = lenient}});
}

class Keys : public ::testing::TestWithParam<std::tuple<KeysCase, Writing>> {};

TEST_P(Keys, MakeTheObjectsOrAreRefusedInOneLine) {
  const auto& [c, writing] = GetParam();
  std::string text;
  for (const Call& call : c.calls) {
    text += Line(writing, call.process, "invoke", call.key);
    text += Line(writing, call.process, "ok", call.completed_under);
  }
  text += Nemesis(writing);
  const Result<LogVerdict> strict = JudgedKeys(text, writing.format, false);
  ASSERT_EQ(strict.has_value(), c.refused == nullptr) << text;
  if (!strict) {
    EXPECT_EQ(strict.error().message, c.refused);
    EXPECT_EQ(strict.error().code, ExitCode::kBadInput);
  }
  const Result<LogVerdict> lenient = JudgedKeys(text, writing.format, true);
  ASSERT_TRUE(lenient) << lenient.error().message;
  EXPECT_EQ(lenient->outcome, c.outcome) << text << lenient->reason;
  EXPECT_EQ(lenient->skips.Of(c.reason).count, c.skipped) << lenient->skips.Told();
  EXPECT_EQ(lenient->skips.count(), c.skipped) << lenient->skips.Told();
  std::vector<std::string> objects;
  for (const ObjectVerdict& object : lenient->objects) objects.push_back(object.key);
  EXPECT_EQ(objects, c.objects);
}

INSTANTIATE_TEST_SUITE_P(Every, Keys,
                         ::testing::Combine(::testing::ValuesIn(kKeysCases),
                                            ::testing::ValuesIn(kWritings)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  std::get<1>(info.param).name;
                         });

TEST(KeysOfAFile, MustBeInOnePlaceThroughoutAFile) {
  for (const size_t of_field : {size_t{0}, size_t{2}}) {  // the other is in the value
    const Writing& field = kWritings[of_field];
    const Writing& value = kWritings[of_field + 1];
    const auto judged = [&](const Writing& first, const Writing& second, bool lenient) {
      const std::string text = Line(first, 0, "invoke", "1") + Line(first, 0, "ok", "1") +
                               Line(second, 1, "invoke", "1");
      return JudgedKeys(text, first.format, lenient);
    };
    EXPECT_EQ(judged(field, value, false).error().message, "h:3: it has no key, unlike line 1");
    EXPECT_EQ(judged(value, field, false).error().message,
              "h:3: its key is in 'key', but line 1 has its key in its value");
    EXPECT_EQ(judged(field, value, true)->outcome, Outcome::kUnknown);
    EXPECT_EQ(judged(value, field, true)->outcome, Outcome::kUnknown);
  }
}

}  // namespace
}  // namespace doublehold
