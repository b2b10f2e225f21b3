// Inputs that are no history. They are refused in one line, with file, line and reason, or skipped,
// with the effect on the verdict.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "checker/linear/judge_log.h"

namespace doublehold {
namespace {

struct BadInputCase {
  const char* name;
  std::string text;
  const char* refused;
  SkipReason reason;
  // The outcome of a lenient reading.
  Outcome outcome;
  int64_t count = 1;
  const char* model = "register";
};

std::ostream& operator<<(std::ostream& out, const BadInputCase& c) { return out << c.name; }

// A register: process 0 writes 1, which is then read.
std::string Event(int process, const char* type, const char* f, const char* value, int time = -1) {
  std::string text = "{:process " + std::to_string(process) + ", :type :" + type + ", :f :" + f +
                     ", :value " + value;
  if (time >= 0) text += ", :time " + std::to_string(time);
  return text + "}\n";
}
std::string Did(int process, const char* f, const char* value) {
  return Event(process, "invoke", f, value) + Event(process, "ok", f, value);
}

constexpr const char* kLeaseOf3 = "{:lease_ns 3}";
const std::string kGood = Did(0, "write", "1");
const std::string kBadInputStale =
    Did(0, "write", "1") + Did(0, "write", "2") + Did(1, "read", "1");

// A value that cannot be read is skipped; then no other outcome stands.
BadInputCase NoValue(const char* name, const char* model, std::string text, const char* refused) {
  return {.name = name,
          .text = std::move(text),
          .refused = refused,
          .reason = SkipReason::kNoValue,
          .outcome = Outcome::kUnknown,
          .model = model};
}
std::string Answered(const char* f, const char* value) {
  return Event(0, "invoke", f, "nil") + Event(0, "ok", f, value);
}

// A grant with `token`, followed by another grant with a good token.
std::string Token(const char* token) {
  return Answered("acquire", token) + Did(0, "release", "nil") +
         Event(1, "invoke", "acquire", "nil") + Event(1, "ok", "acquire", "6");
}

constexpr const char* kManyParts =
    "h:1: its value is a list or a map, not a number, a text, true, false or nil; for values [key "
    "value] use --partition-by key";
constexpr const char* kManyPartsAnswered =
    "h:2: its value is a list or a map, not a number, a text, true, false or nil; for values [key "
    "value] use --partition-by key";
constexpr const char* kNoPair = "h:1: its value is not a pair [old new]";
constexpr const char* kNoCount = "h:1: its value is not a whole number from 0 to 1099511627776";
constexpr const char* kNoToken = "h:2: its token is not a 64-bit integer";

const std::vector<BadInputCase> kBadInputCases{
    {"CutOffWithinAnEvent", kGood + "{:process 1, :type :inv", "h:3: the file ends before a '}'",
     SkipReason::kGarbled, Outcome::kUnknown},
    {"CutOffWithinItsVector", "[" + kGood, "h:3: the file ends within its vector",
     SkipReason::kGarbled, Outcome::kUnknown},
    {"OutOfOrder", Event(1, "ok", "write", "7") + Event(1, "invoke", "write", "7") + kGood,
     "h:1: process 1 has no open operation", SkipReason::kNoOpen, Outcome::kUnknown},
    {"AReadOutOfOrder", Event(1, "ok", "read", "1") + kGood, "h:1: process 1 has no open operation",
     SkipReason::kNoOpen, Outcome::kUnknown},
    {"AReadOutOfOrderBesideAViolation", Event(3, "ok", "read", "1") + kBadInputStale,
     "h:1: process 3 has no open operation", SkipReason::kNoOpen, Outcome::kViolated},
    // The skipped write may be what was read.
    {"AWriteOutOfOrderBesideAViolation", Event(3, "ok", "write", "1") + kBadInputStale,
     "h:1: process 3 has no open operation", SkipReason::kNoOpen, Outcome::kUnknown},
    {"AFailureWithoutInvocation", Event(1, "fail", "write", "7") + kGood,
     "h:1: process 1 has no open operation", SkipReason::kNoOpen, Outcome::kValid},
    {"TwoOpenOperations",
     Event(1, "invoke", "write", "7") + Event(1, "invoke", "write", "8") + kGood,
     "h:2: process 1 already has an open operation, of line 1", SkipReason::kSecondOpen,
     Outcome::kUnknown},
    {"AnotherFunctionCompleted",
     Event(1, "invoke", "write", "7") + Event(1, "ok", "read", "8") + kGood,
     "h:2: process 1 began a 'write' in line 1", SkipReason::kOtherFunction, Outcome::kUnknown},
    {"UnknownFunction", Event(1, "invoke", "wirte", "7") + kGood,
     "h:1: model register: function 'wirte' is unknown (did you mean 'write'?)",
     SkipReason::kUnknownFunction, Outcome::kUnknown},
    {"UnknownFunctionOfTwoLines", "{:process 1, :type :invoke, :f \"a\nb\"}\n" + kGood,
     "h:1: model register: function 'a?b' is unknown (one of: read, write)",
     SkipReason::kUnknownFunction, Outcome::kUnknown},
    {.name = "TimeGoesBack",
     .text = Event(0, "invoke", "acquire", kLeaseOf3, 5) +
             Event(1, "invoke", "acquire", kLeaseOf3, 4) + Event(0, "ok", "acquire", "nil", 6),
     .refused = "h:2: its time 4 is before that of line 1",
     .reason = SkipReason::kTimeGoesBack,
     .outcome = Outcome::kUnknown,
     .model = "lease-mutex"},
    {.name = "AnAnswersTimeGoesBack",
     .text = Event(0, "invoke", "acquire", kLeaseOf3, 5) + Event(0, "ok", "acquire", "nil", 4) +
             Event(1, "invoke", "acquire", kLeaseOf3, 6) + Event(1, "ok", "acquire", "nil", 7),
     .refused = "h:2: its time 4 is before that of line 1",
     .reason = SkipReason::kTimeGoesBack,
     .outcome = Outcome::kUnknown,
     .model = "lease-mutex"},
    {.name = "TheTimeOfWhatIsUnknownAnywayGoesBack",
     .text = Event(0, "invoke", "acquire", kLeaseOf3, 5) + Event(0, "info", "acquire", "nil", 4) +
             Event(1, "invoke", "acquire", kLeaseOf3, 6) + Event(1, "ok", "acquire", "nil", 7),
     .refused = "h:2: its time 4 is before that of line 1",
     .reason = SkipReason::kTimeGoesBack,
     .outcome = Outcome::kValid,
     .model = "lease-mutex"},
    {"IndexGoesBack",
     "{:process 0, :type :invoke, :f :write, :value 1, :index 7}\n"
     "{:process 0, :type :ok, :f :write, :value 1, :index 6}\n" +
         Did(1, "read", "1"),
     "h:2: its index 6 comes after 7", SkipReason::kIndexGoesBack, Outcome::kUnknown},
    {"TimesMissing", Event(0, "invoke", "write", "1", 5) + Event(0, "ok", "write", "1"),
     "h:2: it has no time, unlike that of line 1", SkipReason::kNoTime, Outcome::kUnknown},
    {"AFormOfAHundredMegabytes", "{:process \"" + std::string(100'000'000, 'x') + "\"}\n" + kGood,
     "h:1: longer than 16 MiB", SkipReason::kTooLong, Outcome::kUnknown},
    {"NotUtf8", "{:process 0, :type :invoke, :f \"\xc3\x28\"}\n" + kGood, "h:1: not UTF-8",
     SkipReason::kNotUtf8, Outcome::kUnknown},
    {"BytesOfAnything", std::string("\0\x01\xfe{", 4) + "\n" + kGood, "h:1: unexpected '?'",
     SkipReason::kGarbled, Outcome::kUnknown},
    {"TheFirstTimeMissing", Event(0, "invoke", "write", "1") + Event(0, "ok", "write", "1", 5),
     "h:2: it has a time, unlike that of line 1", SkipReason::kNoTime, Outcome::kUnknown},
    NoValue("AWriteOfAList", "register", Did(0, "write", "[1 2]"), kManyParts),
    NoValue("AWriteOfAMap", "register", Did(0, "write", "{:a 1}"), kManyParts),
    NoValue("AReadOfAList", "register", Answered("read", "[1 2]"), kManyPartsAnswered),
    NoValue("AReadOfAMap", "cas-register", Answered("read", "{:a 1}"), kManyPartsAnswered),
    NoValue("ACasOfAMap", "cas-register", Did(0, "cas", "{:old 1, :new 2}"), kNoPair),
    NoValue("ACasOfNil", "cas-register", Did(0, "cas", "nil"), kNoPair),
    NoValue("ACasOfThree", "cas-register", Did(0, "cas", "[1 2 3]"), kNoPair),
    NoValue("ACasOfLists", "cas-register", Did(0, "cas", "[[1] [2]]"), kManyParts),
    NoValue("ASaleOfAText", "inventory", Did(0, "sell", "\"2\""), kNoCount),
    NoValue("ASaleOfAMap", "inventory", Did(0, "sell", "{:pieces 2}"), kNoCount),
    NoValue("ASaleOfLessThanNothing", "inventory", Did(0, "sell", "-1"), kNoCount),
    NoValue("AStockThatIsNoNumber", "inventory", Answered("read", "\"2\""),
            "h:2: its value is not a 64-bit integer"),
    NoValue("PermitsOfAText", "semaphore", Did(0, "acquire", "\"2\""), kNoCount),
    NoValue("PermitsOfAMap", "owner-semaphore", Did(0, "acquire", "{:permits 2}"), kNoCount),
    NoValue("PermitsBelowNothing", "semaphore", Did(0, "release", "-1"), kNoCount),
    NoValue("PermitsBeyondAllSums", "semaphore", Did(0, "release", "9223372036854775807"),
            kNoCount),
    NoValue("AnElementThatIsAList", "set", Did(0, "add", "[1 2]"), kManyParts),
    NoValue("AnElementThatIsAMap", "set", Did(0, "add", "{:a 1}"), kManyParts),
    NoValue("ElementsThatAreLists", "set", Answered("read", "[[1 2]]"), kManyPartsAnswered),
    NoValue("ElementsInNoList", "set", Answered("read", "1"),
            "h:2: its value is not a list of elements"),
    NoValue("ATokenThatIsAText", "fenced-mutex", Token("\"5\""), kNoToken),
    NoValue("ATokenOfAHalf", "fenced-mutex", Token("{:token 1.5}"), kNoToken),
    NoValue("ATokenBeyond64Bits", "reentrant-fenced-mutex", Token("18446744073709551615"),
            kNoToken),
    NoValue("ATokenInAList", "fenced-mutex", Token("[5]"), kNoToken),
    NoValue("ANumberPut", "key-value", Did(0, "put", "400000000"), "h:1: its value is not a text"),
    NoValue("ANumberAppended", "key-value", Did(0, "append", "-8"), "h:1: its value is not a text"),
    NoValue("NilPut", "key-value", Did(0, "put", "nil"), "h:1: its value is not a text"),
    NoValue("AMapPut", "key-value", Did(0, "put", "{:a 1}"), "h:1: its value is not a text"),
    NoValue("ANumberGot", "key-value", Answered("get", "5"), "h:2: its value is not a text"),
    {"AReadOfAListBesideAViolation",
     Event(3, "invoke", "read", "nil") + Event(3, "ok", "read", "[1]") + kBadInputStale,
     kManyPartsAnswered, SkipReason::kNoValue, Outcome::kViolated},
    {"NoProcess", "{:type :invoke, :f :read}\n" + kGood, "h:1: no 'process'", SkipReason::kNoEvent,
     Outcome::kUnknown},
};

class BadInput : public ::testing::TestWithParam<BadInputCase> {};

Result<LogVerdict> JudgedBadInput(const std::string& text, bool lenient,
                                  LogFormat format = LogFormat::kEdn,
                                  const char* model = "register") {
  TextSource source(text, "h");
  return JudgeLog(source, format, {.model = *FindModel(model), .reading = {.lenient = lenient}});
}

TEST_P(BadInput, IsRefusedInOneLine) {
  const Result<LogVerdict> verdict =
      JudgedBadInput(GetParam().text, false, LogFormat::kEdn, GetParam().model);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ExitCode::kBadInput);
  const std::string_view message = verdict.error().message;
  EXPECT_EQ(message.find('\n'), std::string_view::npos);
  EXPECT_EQ(message, GetParam().refused);
}

TEST_P(BadInput, IsSkippedWhenLenientAndTheVerdictAccountsForIt) {
  const BadInputCase& c = GetParam();
  const Result<LogVerdict> verdict = JudgedBadInput(c.text, true, LogFormat::kEdn, c.model);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_GE(verdict->skips.Of(c.reason).count, c.count) << verdict->skips.Told();
  EXPECT_EQ(verdict->outcome, c.outcome) << verdict->reason << verdict->skips.Told();
  EXPECT_EQ(verdict->outcome == Outcome::kUnknown, !verdict->reason.empty());
}

INSTANTIATE_TEST_SUITE_P(Every, BadInput, ::testing::ValuesIn(kBadInputCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Tries any value as argument and as result, followed by an operation that depends on it.
TEST(BadInputOfEachModel, AnyValueIsJudgedOrRefusedInOneLine) {
  const std::vector<std::string> values{"nil",
                                        "true",
                                        "-1",
                                        "0",
                                        "400000000",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "99999999999999999999",
                                        "1.5",
                                        "1e300",
                                        "\"\"",
                                        "\"x\"",
                                        "[]",
                                        "[1]",
                                        "[1 2]",
                                        "[nil [2]]",
                                        "#{1 2}",
                                        "{}",
                                        "{:token 0}",
                                        "{:lease_ns 3}",
                                        "{:valid_until_ns 9223372036854775807}"};
  for (const Model& model : Models()) {
    for (const std::string_view f : model.functions) {
      for (const std::string& asked : values) {
        for (const std::string& told : {asked, std::string("nil"), std::string("7")}) {
          std::string text;
          int time = 0;
          for (const int process : {0, 1}) {
            text += Event(process, "invoke", std::string(f).c_str(), asked.c_str(), time++);
            text += Event(process, "ok", std::string(f).c_str(), told.c_str(), time++);
          }
          for (const bool lenient : {false, true}) {
            const Result<LogVerdict> verdict =
                JudgedBadInput(text, lenient, LogFormat::kEdn, std::string(model.name).c_str());
            if (verdict) continue;
            const std::string& message = verdict.error().message;
            EXPECT_TRUE(message.starts_with("h:") && message.find('\n') == std::string::npos)
                << message;
          }
        }
      }
    }
  }
}

TEST(BadInputOfJsonLines, AHundredMegabytesOnALineAreRefusedOrSkipped) {
  const std::string text = "[\"" + std::string(100'000'000, 'x') + "\"]\n" +
                           R"({"process":0,"type":"invoke","f":"write","value":1})";
  EXPECT_EQ(JudgedBadInput(text, false, LogFormat::kJsonLines).error().message,
            "h:1: longer than 16 MiB");
  const Result<LogVerdict> lenient = JudgedBadInput(text, true, LogFormat::kJsonLines);
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->outcome, Outcome::kUnknown);
  EXPECT_EQ(lenient->skips.Told(), "1 too-long (line 1)");
}

TEST(BadInputOfAJepsenLog, IsRefused) {
  const auto refused = [](const std::string& second) {
    return JudgedBadInput("INFO  jepsen.util - 0 :invoke :write 1\nINFO  jepsen.util - " + second,
                          false, LogFormat::kJepsenLog)
        .error()
        .message;
  };
  EXPECT_EQ(refused("0 :ok"), "h:2: the line ends before its f");
  EXPECT_EQ(refused("0 :ok :write \"\xc3\x28\""), "h:2: not UTF-8");
  EXPECT_EQ(refused("0 :ok :write [1"), "h:2: the file ends before a ']'");
}

}  // namespace
}  // namespace doublehold
