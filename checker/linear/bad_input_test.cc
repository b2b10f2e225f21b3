// Tests malformed input. A strict reading refuses the log in one line, with file, line and reason.
// A lenient reading skips the malformed events, and the verdict accounts for them.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "checker/linear/judge_log.h"
#include "checker/linear/testing_edn.h"

namespace doublehold {
namespace {

using testing::EdnEvent;
using testing::InvokeAndOk;

struct BadInputCase {
  const char* name;
  std::string text;
  const char* refused;  // the message of a strict reading
  SkipReason reason;
  Outcome outcome;    // of a lenient reading
  int64_t count = 1;  // the least number of skips for `reason`
  const char* model = "register";
};

std::ostream& operator<<(std::ostream& out, const BadInputCase& c) { return out << c.name; }

constexpr const char* kLeaseOf3 = "{:lease_ns 3}";
const std::string kGood = InvokeAndOk(0, "write", "1");
const std::string kStaleRead =
    InvokeAndOk(0, "write", "1") + InvokeAndOk(0, "write", "2") + InvokeAndOk(1, "read", "1");

// A case with a value that the model cannot read. The outcome of a lenient reading is unknown.
BadInputCase UnreadableValue(const char* name, const char* model, std::string text,
                             const char* refused) {
  return {.name = name,
          .text = std::move(text),
          .refused = refused,
          .reason = SkipReason::kNoValue,
          .outcome = Outcome::kUnknown,
          .model = model};
}
std::string InvokeAndAnswer(const char* f, const char* value) {
  return EdnEvent(0, "invoke", f, "nil") + EdnEvent(0, "ok", f, value);
}

// A grant with `token`, then a grant with a valid token.
std::string GrantWithToken(const char* token) {
  return InvokeAndAnswer("acquire", token) + InvokeAndOk(0, "release", "nil") +
         EdnEvent(1, "invoke", "acquire", "nil") + EdnEvent(1, "ok", "acquire", "6");
}

constexpr const char* kCompositeArgument =
    "h:1: the value is a list or a map, not a number, a text, true, false or nil; for values [key "
    "value] use --partition-by key";
constexpr const char* kCompositeResult =
    "h:2: the value is a list or a map, not a number, a text, true, false or nil; for values [key "
    "value] use --partition-by key";
constexpr const char* kNoPair = "h:1: the value is not a pair [old new]";
constexpr const char* kNoCount = "h:1: the value is not a whole number from 0 to 1099511627776";
constexpr const char* kNoToken = "h:2: the token is not a 64-bit integer";

const std::vector<BadInputCase> kBadInputCases{
    {"TruncatedWithinAnEvent", kGood + "{:process 1, :type :inv", "h:3: the file ends before a '}'",
     SkipReason::kGarbled, Outcome::kUnknown},
    {"TruncatedWithinTheVector", "[" + kGood, "h:3: the file ends within its vector",
     SkipReason::kGarbled, Outcome::kUnknown},
    {"AWriteCompletedBeforeItsInvocation",
     EdnEvent(1, "ok", "write", "7") + EdnEvent(1, "invoke", "write", "7") + kGood,
     "h:1: process 1 has no open operation", SkipReason::kNoOpen, Outcome::kUnknown},
    {"AReadWithoutInvocation", EdnEvent(1, "ok", "read", "1") + kGood,
     "h:1: process 1 has no open operation", SkipReason::kNoOpen, Outcome::kUnknown},
    {"AReadWithoutInvocationAndAViolation", EdnEvent(3, "ok", "read", "1") + kStaleRead,
     "h:1: process 3 has no open operation", SkipReason::kNoOpen, Outcome::kViolated},
    // The skipped write may have written the value that was read.
    {"AWriteWithoutInvocationAndAViolation", EdnEvent(3, "ok", "write", "1") + kStaleRead,
     "h:1: process 3 has no open operation", SkipReason::kNoOpen, Outcome::kUnknown},
    {"AFailureWithoutInvocation", EdnEvent(1, "fail", "write", "7") + kGood,
     "h:1: process 1 has no open operation", SkipReason::kNoOpen, Outcome::kValid},
    {"TwoOpenOperations",
     EdnEvent(1, "invoke", "write", "7") + EdnEvent(1, "invoke", "write", "8") + kGood,
     "h:2: process 1 already has an open operation, from line 1", SkipReason::kSecondOpen,
     Outcome::kUnknown},
    {"ACompletionOfAnotherFunction",
     EdnEvent(1, "invoke", "write", "7") + EdnEvent(1, "ok", "read", "8") + kGood,
     "h:2: process 1 invoked 'write' in line 1 but completes 'read'", SkipReason::kOtherFunction,
     Outcome::kUnknown},
    {"UnknownFunction", EdnEvent(1, "invoke", "wirte", "7") + kGood,
     "h:1: model register: function 'wirte' is unknown (did you mean 'write'?)",
     SkipReason::kUnknownFunction, Outcome::kUnknown},
    {"UnknownFunctionWithALineBreak", "{:process 1, :type :invoke, :f \"a\nb\"}\n" + kGood,
     "h:1: model register: function 'a?b' is unknown (one of: read, write)",
     SkipReason::kUnknownFunction, Outcome::kUnknown},
    {.name = "TheTimeOfAnInvocationGoesBack",
     .text = EdnEvent(0, "invoke", "acquire", kLeaseOf3, 5) +
             EdnEvent(1, "invoke", "acquire", kLeaseOf3, 4) +
             EdnEvent(0, "ok", "acquire", "nil", 6),
     .refused = "h:2: time 4 is before the time of line 1",
     .reason = SkipReason::kTimeGoesBack,
     .outcome = Outcome::kUnknown,
     .model = "lease-mutex"},
    {.name = "TheTimeOfACompletionGoesBack",
     .text =
         EdnEvent(0, "invoke", "acquire", kLeaseOf3, 5) + EdnEvent(0, "ok", "acquire", "nil", 4) +
         EdnEvent(1, "invoke", "acquire", kLeaseOf3, 6) + EdnEvent(1, "ok", "acquire", "nil", 7),
     .refused = "h:2: time 4 is before the time of line 1",
     .reason = SkipReason::kTimeGoesBack,
     .outcome = Outcome::kUnknown,
     .model = "lease-mutex"},
    {.name = "TheTimeOfAnInfoCompletionGoesBack",
     .text =
         EdnEvent(0, "invoke", "acquire", kLeaseOf3, 5) + EdnEvent(0, "info", "acquire", "nil", 4) +
         EdnEvent(1, "invoke", "acquire", kLeaseOf3, 6) + EdnEvent(1, "ok", "acquire", "nil", 7),
     .refused = "h:2: time 4 is before the time of line 1",
     .reason = SkipReason::kTimeGoesBack,
     .outcome = Outcome::kValid,
     .model = "lease-mutex"},
    {"AnIndexGoesBack",
     "{:process 0, :type :invoke, :f :write, :value 1, :index 7}\n"
     "{:process 0, :type :ok, :f :write, :value 1, :index 6}\n" +
         InvokeAndOk(1, "read", "1"),
     "h:2: its index 6 comes after 7", SkipReason::kIndexGoesBack, Outcome::kUnknown},
    {"TheSecondTimeIsMissing",
     EdnEvent(0, "invoke", "write", "1", 5) + EdnEvent(0, "ok", "write", "1"),
     "h:2: it has no time, unlike that of line 1", SkipReason::kNoTime, Outcome::kUnknown},
    {"AFormOfAHundredMegabytes", "{:process \"" + std::string(100'000'000, 'x') + "\"}\n" + kGood,
     "h:1: longer than 16 MiB", SkipReason::kTooLong, Outcome::kUnknown},
    {"NotUtf8", "{:process 0, :type :invoke, :f \"\xc3\x28\"}\n" + kGood, "h:1: not UTF-8",
     SkipReason::kNotUtf8, Outcome::kUnknown},
    {"ArbitraryBytes", std::string("\0\x01\xfe{", 4) + "\n" + kGood, "h:1: unexpected '?'",
     SkipReason::kGarbled, Outcome::kUnknown},
    {"TheFirstTimeIsMissing",
     EdnEvent(0, "invoke", "write", "1") + EdnEvent(0, "ok", "write", "1", 5),
     "h:2: it has a time, unlike that of line 1", SkipReason::kNoTime, Outcome::kUnknown},
    UnreadableValue("AWriteOfAList", "register", InvokeAndOk(0, "write", "[1 2]"),
                    kCompositeArgument),
    UnreadableValue("AWriteOfAMap", "register", InvokeAndOk(0, "write", "{:a 1}"),
                    kCompositeArgument),
    UnreadableValue("AReadOfAList", "register", InvokeAndAnswer("read", "[1 2]"), kCompositeResult),
    UnreadableValue("AReadOfAMap", "cas-register", InvokeAndAnswer("read", "{:a 1}"),
                    kCompositeResult),
    UnreadableValue("ACasOfAMap", "cas-register", InvokeAndOk(0, "cas", "{:old 1, :new 2}"),
                    kNoPair),
    UnreadableValue("ACasOfNil", "cas-register", InvokeAndOk(0, "cas", "nil"), kNoPair),
    UnreadableValue("ACasOfThree", "cas-register", InvokeAndOk(0, "cas", "[1 2 3]"), kNoPair),
    UnreadableValue("ACasOfLists", "cas-register", InvokeAndOk(0, "cas", "[[1] [2]]"),
                    kCompositeArgument),
    UnreadableValue("ASaleOfAText", "inventory", InvokeAndOk(0, "sell", "\"2\""), kNoCount),
    UnreadableValue("ASaleOfAMap", "inventory", InvokeAndOk(0, "sell", "{:pieces 2}"), kNoCount),
    UnreadableValue("ANegativeSale", "inventory", InvokeAndOk(0, "sell", "-1"), kNoCount),
    UnreadableValue("AStockThatIsAText", "inventory", InvokeAndAnswer("read", "\"2\""),
                    "h:2: the value is not a 64-bit integer"),
    UnreadableValue("PermitsOfAText", "semaphore", InvokeAndOk(0, "acquire", "\"2\""), kNoCount),
    UnreadableValue("PermitsOfAMap", "owner-semaphore", InvokeAndOk(0, "acquire", "{:permits 2}"),
                    kNoCount),
    UnreadableValue("NegativePermits", "semaphore", InvokeAndOk(0, "release", "-1"), kNoCount),
    UnreadableValue("PermitsAboveTheMaximum", "semaphore",
                    InvokeAndOk(0, "release", "9223372036854775807"), kNoCount),
    UnreadableValue("AnElementThatIsAList", "set", InvokeAndOk(0, "add", "[1 2]"),
                    kCompositeArgument),
    UnreadableValue("AnElementThatIsAMap", "set", InvokeAndOk(0, "add", "{:a 1}"),
                    kCompositeArgument),
    UnreadableValue("ElementsThatAreLists", "set", InvokeAndAnswer("read", "[[1 2]]"),
                    kCompositeResult),
    UnreadableValue("ASetReadThatIsNotAList", "set", InvokeAndAnswer("read", "1"),
                    "h:2: the value is not a list of elements"),
    UnreadableValue("ATokenThatIsAText", "fenced-mutex", GrantWithToken("\"5\""), kNoToken),
    UnreadableValue("ATokenThatIsAFraction", "fenced-mutex", GrantWithToken("{:token 1.5}"),
                    kNoToken),
    UnreadableValue("ATokenBeyond64Bits", "reentrant-fenced-mutex",
                    GrantWithToken("18446744073709551615"), kNoToken),
    UnreadableValue("ATokenInAList", "fenced-mutex", GrantWithToken("[5]"), kNoToken),
    UnreadableValue("ANumberPut", "key-value", InvokeAndOk(0, "put", "400000000"),
                    "h:1: the value is not a text"),
    UnreadableValue("ANumberAppended", "key-value", InvokeAndOk(0, "append", "-8"),
                    "h:1: the value is not a text"),
    UnreadableValue("NilPut", "key-value", InvokeAndOk(0, "put", "nil"),
                    "h:1: the value is not a text"),
    UnreadableValue("AMapPut", "key-value", InvokeAndOk(0, "put", "{:a 1}"),
                    "h:1: the value is not a text"),
    UnreadableValue("ANumberGot", "key-value", InvokeAndAnswer("get", "5"),
                    "h:2: the value is not a text"),
    {"AReadOfAListAndAViolation",
     EdnEvent(3, "invoke", "read", "nil") + EdnEvent(3, "ok", "read", "[1]") + kStaleRead,
     kCompositeResult, SkipReason::kNoValue, Outcome::kViolated},
    {"NoProcess", "{:type :invoke, :f :read}\n" + kGood,
     "h:1: no 'process'; if another field is the process, add --map FIELD=process",
     SkipReason::kNoEvent, Outcome::kUnknown},
};

class BadInput : public ::testing::TestWithParam<BadInputCase> {};

Result<LogVerdict> JudgeText(const std::string& text, bool lenient,
                             LogFormat format = LogFormat::kEdn, const char* model = "register") {
  TextSource source(text, "h");
  return JudgeLog(source, format, {.model = *FindModel(model), .reading = {.lenient = lenient}});
}

TEST_P(BadInput, IsRefusedInOneLine) {
  const Result<LogVerdict> verdict =
      JudgeText(GetParam().text, false, LogFormat::kEdn, GetParam().model);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ExitCode::kBadInput);
  const std::string_view message = verdict.error().message;
  EXPECT_EQ(message.find('\n'), std::string_view::npos);
  EXPECT_EQ(message, GetParam().refused);
}

TEST_P(BadInput, LenientReadingSkipsItAndTheVerdictAccountsForTheSkip) {
  const BadInputCase& c = GetParam();
  const Result<LogVerdict> verdict = JudgeText(c.text, true, LogFormat::kEdn, c.model);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_GE(verdict->skips.Of(c.reason).count, c.count) << verdict->skips.Summary();
  EXPECT_EQ(verdict->outcome, c.outcome) << verdict->reason << verdict->skips.Summary();
  EXPECT_EQ(verdict->outcome == Outcome::kUnknown, !verdict->reason.empty());
}

INSTANTIATE_TEST_SUITE_P(Every, BadInput, ::testing::ValuesIn(kBadInputCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Two processes call each function, one after the other, with each value as argument. The result is
// the argument, nil or 7.
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
      for (const std::string& argument : values) {
        for (const std::string& result : {argument, std::string("nil"), std::string("7")}) {
          std::string text;
          int time = 0;
          for (const int process : {0, 1}) {
            text += EdnEvent(process, "invoke", f, argument, time++);
            text += EdnEvent(process, "ok", f, result, time++);
          }
          for (const bool lenient : {false, true}) {
            const Result<LogVerdict> verdict =
                JudgeText(text, lenient, LogFormat::kEdn, std::string(model.name).c_str());
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
  EXPECT_EQ(JudgeText(text, false, LogFormat::kJsonLines).error().message,
            "h:1: longer than 16 MiB");
  const Result<LogVerdict> lenient = JudgeText(text, true, LogFormat::kJsonLines);
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->outcome, Outcome::kUnknown);
  EXPECT_EQ(lenient->skips.Summary(), "1 too-long (line 1)");
}

TEST(BadInputOfAJepsenLog, IsRefused) {
  const auto refused = [](const std::string& second) {
    return JudgeText("INFO  jepsen.util - 0 :invoke :write 1\nINFO  jepsen.util - " + second, false,
                     LogFormat::kJepsenLog)
        .error()
        .message;
  };
  EXPECT_EQ(refused("0 :ok"), "h:2: the line ends before its f");
  EXPECT_EQ(refused("0 :ok :write \"\xc3\x28\""), "h:2: not UTF-8");
  EXPECT_EQ(refused("0 :ok :write [1"), "h:2: the file ends before a ']'");
}

}  // namespace
}  // namespace doublehold
