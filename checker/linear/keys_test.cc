// Tests objects by key, in every log format: which keys are equal, and which logs are refused.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "checker/linear/judge_log.h"

namespace doublehold {
namespace {

constexpr const char* kNone = "";
constexpr const char* kNull = "null";

struct KeyedCall {
  int process;
  const char* key;
  const char* completed_under;
};

// Each key is a mutex. Every call acquires and none releases, so two calls with equal keys are a
// violation.
struct KeysCase {
  const char* name;
  std::vector<KeyedCall> calls;
  const char* refused;  // the message of a strict reading; null: the log is judged
  Outcome outcome;      // of a lenient reading
  std::vector<std::string> objects;
  SkipReason reason = SkipReason::kNoKey;
  int64_t skipped = 0;
};

std::ostream& operator<<(std::ostream& out, const KeysCase& c) { return out << c.name; }

const std::vector<KeysCase> kKeysCases{
    {"EqualNumbers", {{0, "1", "1"}, {1, "1", "1"}}, nullptr, Outcome::kViolated, {"1"}},
    {"DifferentNumbers", {{0, "1", "1"}, {1, "2", "2"}}, nullptr, Outcome::kValid, {"1", "2"}},
    {"OneAndItsDecimalFormAreEqual",
     {{0, "1", "1.0"}, {1, "1.0", "1"}},
     nullptr,
     Outcome::kViolated,
     {"1"}},
    {"DifferentFractionsAndSigns",
     {{0, "1", "1"}, {1, "1.5", "1.5"}, {2, "-1.0", "-1"}},
     nullptr,
     Outcome::kValid,
     {"-1", "1", "1.5r"}},
    {"ATextOfDigitsIsNotANumber",
     {{0, "1", "1"}, {1, "\"1\"", "\"1\""}},
     nullptr,
     Outcome::kValid,
     {"\"1\"", "1"}},
    {"EqualTexts",
     {{0, "\"k\"", "\"k\""}, {1, "\"k\"", "\"k\""}},
     nullptr,
     Outcome::kViolated,
     {"k"}},
    {"WithoutAnyKeyThereIsOneObject",
     {{0, kNone, kNone}, {1, kNull, kNull}},
     nullptr,
     Outcome::kViolated,
     {""}},
    {"TheLastCallHasNoKey",
     {{0, "1", "1"}, {1, kNone, kNone}},
     "h:3: the event has no key, but line 1 has one",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     2},
    {"TheLastCallHasANullKey",
     {{0, "1", "1"}, {1, kNull, kNull}},
     "h:3: the event has no key, but line 1 has one",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     2},
    {"TheFirstCallsHaveNoKey",
     {{0, kNone, kNone}, {1, kNone, kNone}, {2, "1", "1"}},
     "h:1: the event has no key, but line 5 has one",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     4},
    {"ACompletionWithoutAKey",
     {{0, "1", kNone}, {1, "1", "1"}},
     "h:2: the event has no key, but line 1 has one",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kNoKey,
     1},
    {"ACompletionWithATextForANumber",
     {{0, "1", "\"1\""}, {1, "1", "1"}},
     "h:2: key \"1\" differs from key 1 of process 0's invocation in line 1",
     Outcome::kUnknown,
     {"1"},
     SkipReason::kOtherKey,
     1},
    {"ACompletionWithAnotherCallsKey",
     {{0, "1", "1"}, {1, "2", "1"}},
     "h:4: key 1 differs from key 2 of process 1's invocation in line 3",
     Outcome::kUnknown,
     {"1", "2"},
     SkipReason::kOtherKey,
     1},
};

struct KeyNotation {
  const char* name;
  LogFormat format;
  bool in_value;  // the key is in the value: [key 0]
};

std::ostream& operator<<(std::ostream& out, const KeyNotation& w) { return out << w.name; }

const std::vector<KeyNotation> kKeyNotations{{"Edn", LogFormat::kEdn, false},
                                             {"EdnInTheValue", LogFormat::kEdn, true},
                                             {"JsonLines", LogFormat::kJsonLines, false},
                                             {"JsonLinesInTheValue", LogFormat::kJsonLines, true},
                                             {"JepsenLogInTheValue", LogFormat::kJepsenLog, true}};

std::string FormatEvent(const KeyNotation& notation, int process, const std::string& type,
                        std::string key) {
  const bool is_json = notation.format == LogFormat::kJsonLines;
  const bool is_there = key != kNone;
  if (key == kNull && !is_json) key = "nil";
  const std::string value = !is_there || !notation.in_value ? "0" : "[" + key + ", 0]";
  const std::string number = std::to_string(process);
  if (notation.format == LogFormat::kJepsenLog)
    return "INFO  jepsen.util - " + number + " :" + type + " :acquire " + value + "\n";
  const bool has_field = is_there && !notation.in_value;
  if (is_json) {
    return R"({"process":)" + number + R"(,"type":")" + type + R"(","f":"acquire","value":)" +
           value + (has_field ? R"(,"key":)" + key : "") + "}\n";
  }
  return "{:process " + number + " :type :" + type + " :f :acquire :value " + value +
         (has_field ? " :key " + key : "") + "}\n";
}

// A nemesis event has no key. This is no error even if all other events have keys.
std::string FormatNemesisEvent(const KeyNotation& notation) {
  switch (notation.format) {
    case LogFormat::kJepsenLog:
      return "INFO  jepsen.util - :nemesis :info :start nil\n";
    case LogFormat::kJsonLines:
      return R"({"process":"nemesis","type":"info","f":"start"})";
    default:
      return "{:process :nemesis :type :info :f :start}";
  }
}

Result<LogVerdict> JudgeKeyedLog(const std::string& text, LogFormat format, bool lenient) {
  TextSource source(text, "h");
  return JudgeLog(source, format,
                  {.model = *FindModel("mutex"),
                   .reading = {.partition = Partition::kAnyKey, .lenient = lenient}});
}

class Keys : public ::testing::TestWithParam<std::tuple<KeysCase, KeyNotation>> {};

TEST_P(Keys, PartitionTheLogOrAreRefusedInOneLine) {
  const auto& [c, notation] = GetParam();
  std::string text;
  for (const KeyedCall& call : c.calls) {
    text += FormatEvent(notation, call.process, "invoke", call.key);
    text += FormatEvent(notation, call.process, "ok", call.completed_under);
  }
  text += FormatNemesisEvent(notation);
  const Result<LogVerdict> strict = JudgeKeyedLog(text, notation.format, false);
  ASSERT_EQ(strict.has_value(), c.refused == nullptr) << text;
  if (!strict) {
    EXPECT_EQ(strict.error().message, c.refused);
    EXPECT_EQ(strict.error().code, ExitCode::kBadInput);
  }
  const Result<LogVerdict> lenient = JudgeKeyedLog(text, notation.format, true);
  ASSERT_TRUE(lenient) << lenient.error().message;
  EXPECT_EQ(lenient->outcome, c.outcome) << text << lenient->reason;
  EXPECT_EQ(lenient->skips.Of(c.reason).count, c.skipped) << lenient->skips.Summary();
  EXPECT_EQ(lenient->skips.count(), c.skipped) << lenient->skips.Summary();
  std::vector<std::string> objects;
  for (const ObjectVerdict& object : lenient->objects) objects.push_back(object.key);
  EXPECT_EQ(objects, c.objects);
}

INSTANTIATE_TEST_SUITE_P(Every, Keys,
                         ::testing::Combine(::testing::ValuesIn(kKeysCases),
                                            ::testing::ValuesIn(kKeyNotations)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  std::get<1>(info.param).name;
                         });

TEST(KeysOfAFile, MustAllBeInTheSamePlace) {
  for (const size_t of_field :
       {size_t{0}, size_t{2}}) {  // the next notation has the key in the value
    const KeyNotation& field = kKeyNotations[of_field];
    const KeyNotation& value = kKeyNotations[of_field + 1];
    const auto judged = [&](const KeyNotation& first, const KeyNotation& second, bool lenient) {
      const std::string text = FormatEvent(first, 0, "invoke", "1") +
                               FormatEvent(first, 0, "ok", "1") +
                               FormatEvent(second, 1, "invoke", "1");
      return JudgeKeyedLog(text, first.format, lenient);
    };
    EXPECT_EQ(judged(field, value, false).error().message,
              "h:3: the event has no key, but line 1 has one");
    EXPECT_EQ(judged(value, field, false).error().message,
              "h:3: the key is in 'key', but line 1 has its key in the value");
    EXPECT_EQ(judged(field, value, true)->outcome, Outcome::kUnknown);
    EXPECT_EQ(judged(value, field, true)->outcome, Outcome::kUnknown);
  }
}

}  // namespace
}  // namespace doublehold
