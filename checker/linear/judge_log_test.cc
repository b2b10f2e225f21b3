// Judges whole logs as text.
#include "checker/linear/judge_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/linear/testing_edn.h"

namespace doublehold {
namespace {

using testing::EdnEvent;
using testing::InvokeAndOk;

std::string InvokeAndFail(int process, std::string_view f) {
  return EdnEvent(process, "invoke", f) + EdnEvent(process, "fail", f);
}

// Only the completion has a value.
std::string InvokeAndReturn(int process, std::string_view f, std::string_view result) {
  return EdnEvent(process, "invoke", f) + EdnEvent(process, "ok", f, result);
}

const std::vector<FailedRelease> kEachReading{FailedRelease::kNothing, FailedRelease::kReleased,
                                              FailedRelease::kEither};

Result<LogVerdict> JudgeEdn(std::string_view text, std::string_view model, bool by_key = false,
                            std::vector<FailedRelease> readings = kEachReading) {
  TextSource source(text, "h.edn");
  return JudgeLog(
      source, LogFormat::kEdn,
      {.model = *FindModel(model),
       .reading = {.partition = by_key ? Partition::kAnyKey : ReadingOptions{}.partition},
       .failed_releases = std::move(readings)});
}

constexpr std::string_view kStaleReadLog = R"(
  {:process 0, :type :invoke, :f :write, :value 1}
  {:process 0, :type :ok,     :f :write, :value 1}
  {:process 1, :type :invoke, :f :write, :value 2}
  {:process 1, :type :ok,     :f :write, :value 2}
  {:process :nemesis, :type :info, :f :start}
  {:process 2, :type :invoke, :f :read,  :value nil}
  {:process 2, :type :ok,     :f :read,  :value 1})";

TEST(JudgeLog, AStaleReadIsViolatedAndExplained) {
  const Result<LogVerdict> verdict = JudgeEdn(kStaleReadLog, "register");
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::kViolated);
  ASSERT_EQ(verdict->objects.size(), 1U);
  EXPECT_EQ(verdict->objects[0].reason,
            "up to the return of write 2 by 1 (line 4) the operations can be ordered; then read "
            "-> 1 by 2 (line 7) cannot follow, because the state is 2\n"
            "  line 2        write 1 by 0    |-------|\n"
            "  line 4        write 2 by 1                    |-------|\n"
            "  line 7      > read -> 1 by 2                                  |-------|\n");
}

TEST(JudgeLog, ObjectsAreJudgedSeparately) {
  // Jepsen's independent: each key is a register of its own.
  const std::string log =
      "[" + InvokeAndOk(0, "write", "[x 1]") + InvokeAndOk(1, "read", "[y nil]") + "]";
  const Result<LogVerdict> verdict = JudgeEdn(log, "register", true);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::kValid);
  ASSERT_EQ(verdict->objects.size(), 2U);
  EXPECT_EQ(verdict->objects[0].key, "x");
  EXPECT_EQ(verdict->objects[1].key, "y");
}

TEST(JudgeLog, AValueOfOnePartHasNoKey) {
  const std::string log = InvokeAndOk(0, "add", "1") + InvokeAndReturn(1, "read", "[1]");
  ASSERT_TRUE(JudgeEdn(log, "set", true));
  EXPECT_EQ(JudgeEdn(log, "set", true)->outcome, Outcome::kValid);
}

TEST(JudgeLog, AViolationOfOneObjectEndsTheSearchOfTheOthers) {
  std::string log;
  for (const char* type : {"invoke", "ok"}) {
    for (int i = 0; i < 10; ++i) log += EdnEvent(i, type, "write", fmt::format("[hard {}]", i));
  }
  log += InvokeAndOk(0, "read", "[hard 77]");
  const auto judged = [&] {
    TextSource source(log, "h.edn");
    return JudgeLog(source, LogFormat::kEdn,
                    {.model = *FindModel("register"),
                     .first_configurations = 100,
                     .reading = {.partition = Partition::kAnyKey}});
  };
  // Without the violation in object `wrong`, object `hard` is searched beyond the first limit.
  EXPECT_EQ(judged()->objects[0].outcome, Outcome::kViolated);
  EXPECT_GT(judged()->objects[0].configurations, 100);
  log += InvokeAndOk(0, "read", "[wrong 5]");
  const Result<LogVerdict> verdict = judged();
  EXPECT_EQ(verdict->outcome, Outcome::kViolated);
  EXPECT_EQ(verdict->objects[0].outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict->objects[1].outcome, Outcome::kViolated);
}

TEST(JudgeLog, AnOutcomeThatDependsOnAFailedReleaseIsUnknown) {
  const std::string log =
      InvokeAndOk(0, "acquire") + InvokeAndFail(0, "release") + InvokeAndOk(1, "acquire");
  const Result<LogVerdict> both = JudgeEdn(log, "owner-mutex");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->outcome, Outcome::kUnknown);
  EXPECT_EQ(
      both->reason,
      "the outcome depends on failed releases (1): violated if nothing happened, valid if the hold "
      "ended");
  EXPECT_EQ(both->failed_releases, 1);
  ASSERT_EQ(both->readings.size(), 3U);
  EXPECT_EQ(both->readings[0].outcome, Outcome::kViolated);
  EXPECT_EQ(both->readings[1].outcome, Outcome::kValid);
  EXPECT_EQ(both->readings[2].outcome, Outcome::kValid);
  const auto as = [&](FailedRelease reading) {
    return JudgeEdn(log, "owner-mutex", false, {reading})->outcome;
  };
  EXPECT_EQ(as(FailedRelease::kNothing), Outcome::kViolated);
  EXPECT_EQ(as(FailedRelease::kReleased), Outcome::kValid);
  EXPECT_EQ(as(FailedRelease::kEither), Outcome::kValid);
}

TEST(JudgeLog, EachFailedReleaseMayOrMayNotHaveEndedItsHold) {
  // The failed release of process 0 must have ended its hold, because process 1 then acquires. The
  // failed release of process 1 must not have ended its hold, because process 1 then releases
  // again.
  const Result<LogVerdict> verdict =
      JudgeEdn(InvokeAndOk(0, "acquire") + InvokeAndFail(0, "release") + InvokeAndOk(1, "acquire") +
                   InvokeAndFail(1, "release") + InvokeAndOk(1, "release"),
               "owner-mutex");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_EQ(
      verdict->reason,
      "the outcome depends on failed releases (2): violated if nothing happened, valid if each may "
      "or may not have ended its hold");
}

TEST(JudgeLog, AFailedReleaseIsCountedAsAnOperationWhetherOrNotItEndedItsHold) {
  const Result<LogVerdict> verdict =
      JudgeEdn(InvokeAndOk(0, "acquire") + InvokeAndFail(0, "release") + InvokeAndOk(0, "release"),
               "owner-mutex", false, {FailedRelease::kEither});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::kValid);
  EXPECT_EQ(verdict->objects.at(0).operations, 3U);
}

TEST(JudgeLog, AnOrderInWhichAllFailedReleasesEndedTheirHoldsIsFoundWithFewConfigurations) {
  std::string log;
  for (int process = 0; process < 40; ++process)
    log += InvokeAndOk(process, "acquire") + InvokeAndFail(process, "release");
  TextSource source(log, "h.edn");
  const Result<LogVerdict> verdict = JudgeLog(source, LogFormat::kEdn,
                                              {.model = *FindModel("owner-mutex"),
                                               .limits = {.configurations = 500},
                                               .failed_releases = {FailedRelease::kEither}});
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::kValid) << verdict->reason;
}

TEST(JudgeLog, EveryModelWithReleasesIsJudgedInEveryReading) {
  for (const Model& model : Models()) {
    for (const std::string_view function : model.functions) {
      if (!function.ends_with("release")) continue;
      const std::string acquire = std::string(function.substr(0, function.size() - 7)) + "acquire";
      std::string log;
      int64_t time = 0;
      const auto add = [&](int process, std::string_view f, std::string_view type) {
        ++time;
        const bool asks_for_lease = model.needs_times && f == acquire && type == "invoke";
        log +=
            "{:process " + std::to_string(process) + ", :type :" + std::string(type) +
            ", :f :" + std::string(f) + ", :time " + std::to_string(time) +
            (f == acquire && type == "ok" ? ", :value {:token " + std::to_string(time) + "}" : "") +
            (asks_for_lease ? ", :value {:lease_ns 1000}" : "") + "}\n";
      };
      // Two readers could hold the lock together, so a reader is followed by a writer.
      const std::string second = function == "read-release" ? "write-acquire" : acquire;
      for (const char* type : {"invoke", "ok"}) add(0, acquire, type);
      for (const char* type : {"invoke", "fail"}) add(0, function, type);
      for (const char* type : {"invoke", "ok"}) add(1, second, type);
      const Result<LogVerdict> verdict = JudgeEdn(log, model.name);
      ASSERT_TRUE(verdict) << verdict.error().message;
      EXPECT_EQ(verdict->outcome, Outcome::kUnknown) << model.name << " " << function;
      EXPECT_EQ(verdict->readings.size(), 3U);
      EXPECT_TRUE(verdict->reason.starts_with("the outcome depends on failed releases (1)"))
          << verdict->reason;
    }
  }
}

TEST(JudgeLog, TheLeaseMutexIsJudgedByTheTimesOfEvents) {
  constexpr std::string_view kLog = R"(
    {:process 0, :type :invoke, :f :acquire, :value {:lease_ns 10}, :time 0}
    {:process 0, :type :ok,     :f :acquire, :time 6}
    {:process 1, :type :invoke, :f :acquire, :value {:lease_ns 10}, :time 6}
    {:process 1, :type :ok,     :f :acquire, :time )";
  EXPECT_EQ(JudgeEdn(std::string(kLog) + "9}", "lease-mutex")->outcome, Outcome::kViolated);
  EXPECT_EQ(JudgeEdn(std::string(kLog) + "10}", "lease-mutex")->outcome, Outcome::kValid);
  EXPECT_EQ(JudgeEdn("{:process 0, :type :invoke, :f :acquire}", "lease-mutex").error().message,
            "h.edn: the model lease-mutex needs the times of events, in ns");
  EXPECT_EQ(
      JudgeEdn("{:process 0, :type :invoke, :f :acquire, :value \"5ms\", :time 1}", "lease-mutex")
          .error()
          .message,
      "h.edn:1: the lease is not a number of nanoseconds");
}

TEST(JudgeLog, AnAcquireWithoutALeaseIsRefusedForModelsWithLeases) {
  const std::string good = "{:process 0, :type :invoke, :f :acquire, :value 10.0, :time 0}\n";
  for (const char* value :
       {"", ", :value nil", ", :value {}", ", :value {:lease_ms 5}", ", :value []"}) {
    const std::string text =
        good + "{:process 1, :type :invoke, :f :acquire, :time 1" + value + "}";
    EXPECT_EQ(JudgeEdn(text, "lease-mutex").error().message,
              "h.edn:2: the acquire has no lease; add it, as in :value {:lease_ns 500000000}")
        << value;
    EXPECT_TRUE(JudgeEdn(text, "owner-mutex")) << value;
  }
  // A release needs no lease, whatever its value.
  EXPECT_TRUE(JudgeEdn(good + "{:process 1, :type :invoke, :f :release, :value \"x\", :time 1}",
                       "lease-mutex"));
}

// The third and the last event each have an earlier time than the event before.
constexpr std::string_view kStepsBack = R"(
    {:process 0, :type :invoke, :f :acquire, :time 5 INDEX 0}
    {:process 0, :type :ok,     :f :acquire, :time 9 INDEX 1}
    {:process 1, :type :invoke, :f :acquire, :time 8 INDEX 2}
    {:process 0, :type :invoke, :f :release, :time 10 INDEX 3}
    {:process 0, :type :ok,     :f :release, :time 12 INDEX 4}
    {:process 1, :type :ok,     :f :acquire, :time 11 INDEX 5})";

Result<LogVerdict> JudgeWithIndex(std::string log, std::string_view index) {
  for (size_t at = 0; (at = log.find("INDEX", at)) != std::string::npos;) log.replace(at, 5, index);
  return JudgeEdn(log, "owner-mutex");
}

TEST(JudgeLog, AnIndexedFileWhoseTimesGoBackIsJudgedInFileOrder) {
  const Result<LogVerdict> verdict = JudgeWithIndex(std::string(kStepsBack), ", :index");
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::kValid) << verdict->reason;
  EXPECT_EQ(verdict->steps_back, 2);
  EXPECT_EQ(verdict->first_step_back, 4);
}

TEST(JudgeLog, WithoutAnIndexAnOutcomeThatDependsOnTimesThatGoBackIsUnknown) {
  // Two concatenated logs: by the times, both processes hold the lock at 6.
  const std::string log = R"(
    {:process 0, :type :invoke, :f :acquire, :time 1 INDEX 0}
    {:process 0, :type :ok,     :f :acquire, :time 2 INDEX 1}
    {:process 0, :type :invoke, :f :release, :time 8 INDEX 2}
    {:process 0, :type :ok,     :f :release, :time 9 INDEX 3}
    {:process 1, :type :invoke, :f :acquire, :time 4 INDEX 4}
    {:process 1, :type :ok,     :f :acquire, :time 6 INDEX 5})";
  const Result<LogVerdict> indexed = JudgeWithIndex(log, ", :index");
  ASSERT_TRUE(indexed) << indexed.error().message;
  EXPECT_EQ(indexed->outcome, Outcome::kValid);
  const Result<LogVerdict> plain = JudgeWithIndex(log, ", :n");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->outcome, Outcome::kUnknown);
  EXPECT_EQ(
      plain->reason,
      "the outcome depends on the order of events: valid in file order, violated by their times");
}

TEST(JudgeLog, TheCallsOfAProcessKeepTheirOrderEvenIfAllTimesAreEqual) {
  std::string log;
  for (const char* f : {"acquire", "acquire", "release", "release"})
    log += EdnEvent(1, "invoke", f, "", 1) + EdnEvent(1, "ok", f, "", 1);
  EXPECT_EQ(JudgeEdn(log, "mutex")->outcome, Outcome::kViolated);
}

TEST(JudgeLog, EventsWithDifferentKeysAreDifferentObjects) {
  const std::string log = R"(
    {:process 1, :type :invoke, :f :acquire, :key "a"}
    {:process 1, :type :ok,     :f :acquire, :key "a"}
    {:process 2, :type :invoke, :f :acquire, :key "b"}
    {:process 2, :type :ok,     :f :acquire, :key "b"})";
  const Result<LogVerdict> verdict = JudgeEdn(log, "mutex");
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::kValid);
  EXPECT_EQ(verdict->objects.size(), 2U);
  TextSource source(log, "h.edn");
  EXPECT_EQ(JudgeLog(source, LogFormat::kEdn,
                     {.model = *FindModel("mutex"), .reading = {.partition = Partition::kNone}})
                ->outcome,
            Outcome::kViolated);
}

TEST(JudgeLog, OutcomesFollowTheRulesForValuesTokensAndOpenOperations) {
  using enum Outcome;
  const std::string written = InvokeAndOk(0, "write", "1");
  const std::string text = EdnEvent(0, "invoke", "write", "\"x\"") + EdnEvent(0, "ok", "write");
  const std::string added = InvokeAndOk(0, "add", "1");
  const std::string put = InvokeAndOk(0, "put", "1");
  const auto read = [](const char* result) { return InvokeAndReturn(1, "read", result); };
  const struct {
    const char* name;
    const char* model;
    std::string log;
    Outcome outcome;
  } cases[] = {
      {"the calls of a process keep their order even if their times are equal", "register",
       EdnEvent(1, "invoke", "read", "nil", 0) + EdnEvent(1, "ok", "read", "2", 1) +
           EdnEvent(1, "invoke", "write", "2", 1) + EdnEvent(1, "ok", "write", "2", 2),
       kViolated},
      {"a whole number equals its decimal form", "register", written + read("1.0"), kValid},
      {"a whole number differs from a fraction", "register", written + read("1.5"), kViolated},
      {"a text differs from 0", "register", text + read("0"), kViolated},
      {"a text differs from 1", "register", text + read("1"), kViolated},
      {"a text differs from another text", "register", text + read("\"0\""), kViolated},
      {"a text differs from false", "register", text + read("false"), kViolated},
      {"a text differs from nil", "register", text + read("nil"), kViolated},
      // Key a has a grant with a token. Key b has a failed acquire and an unanswered acquire.
      {"an object without grants needs no token", "fenced-mutex", R"(
    {:process 0, :type :invoke, :f :acquire, :key "a"}
    {:process 0, :type :ok,     :f :acquire, :key "a", :value 4}
    {:process 1, :type :invoke, :f :acquire, :key "b"}
    {:process 1, :type :fail,   :f :acquire, :key "b"}
    {:process 1, :type :invoke, :f :acquire, :key "b"})",
       kValid},
      {"a fenced mutex without tokens is still exclusive", "fenced-mutex",
       InvokeAndOk(0, "acquire") + InvokeAndOk(1, "acquire"), kViolated},
      {"a read of nil is ignored for a set", "set", added + read("nil"), kValid},
      {"a read of an empty set is judged", "set", added + read("[]"), kViolated},
      {"a read of nil is ignored for an inventory", "inventory", put + read("nil"), kValid},
      {"a read of 0 is judged for an inventory", "inventory", put + read("0"), kViolated},
      {"an inventory is empty at first", "inventory", read("0"), kValid},
      {"a read of nil is judged for a register", "register", written + read("nil"), kViolated},
      {"an element that a read lists twice counts once", "set", added + read("[1 1]"), kValid},
      {"a read lists an element that was never added", "set", added + read("[1 1 2 2]"), kViolated},
      {"the ignored read is the only operation, so nothing is judged", "set", read("nil"),
       kUnknown},
      {"an operation without a completion may take effect later", "register",
       EdnEvent(0, "invoke", "write", "5") + read("nil") + read("5"), kValid},
      {"a failed operation took no effect", "cas-register",
       EdnEvent(0, "invoke", "cas", "[nil 5]") + EdnEvent(0, "fail", "cas", "[nil 5]") + read("5"),
       kViolated},
  };
  for (const auto& [name, model, log, outcome] : cases) {
    const Result<LogVerdict> verdict = JudgeEdn(log, model);
    ASSERT_TRUE(verdict) << name << ": " << verdict.error().message;
    EXPECT_EQ(Name(verdict->outcome), Name(outcome)) << name << ": " << verdict->reason;
  }
}

TEST(JudgeLog, AppendsToAKeyAreConcatenated) {
  constexpr std::string_view kLog = R"(
    {:process 0, :type :invoke, :f :append, :key "0", :value "x 0 0 y"}
    {:process 0, :type :ok,     :f :append, :key "0", :value "x 0 0 y"}
    {:process 1, :type :invoke, :f :append, :key "0", :value "x 1 0 y"}
    {:process 2, :type :invoke, :f :get,    :key "0", :value nil}
    {:process 2, :type :ok,     :f :get,    :key "0", :value "x 0 0 yx 1 0 y"}
    {:process 1, :type :ok,     :f :append, :key "0", :value "x 1 0 y"}
    {:process 2, :type :invoke, :f :get,    :key "1", :value nil}
    {:process 2, :type :ok,     :f :get,    :key "1", :value ""}
    {:process 2, :type :invoke, :f :get,    :key "0", :value nil}
    {:process 2, :type :ok,     :f :get,    :key "0", :value )";
  const auto outcome = [&](const std::string& last) {
    return JudgeEdn(std::string(kLog) + last + "}", "key-value", true)->outcome;
  };
  EXPECT_EQ(outcome("\"x 0 0 yx 1 0 y\""), Outcome::kValid);
  EXPECT_EQ(outcome("\"x 0 0 yx 1 0 z\""), Outcome::kViolated);
  EXPECT_EQ(outcome("\"x 0 0 y\""), Outcome::kViolated);
}

// Process 0 acquires and releases, then process 1 acquires. `first` and `second` are the results of
// the acquires.
std::string FormatTwoGrants(std::string_view first, std::string_view second) {
  return InvokeAndReturn(0, "acquire", first) + InvokeAndOk(0, "release") +
         InvokeAndReturn(1, "acquire", second);
}

TEST(JudgeLog, AnyIntegerMayBeATokenAndOnlyReportedTokensAreCompared) {
  const struct {
    const char* first;
    const char* second;
    Outcome outcome;
  } cases[] = {
      {"0", "1", Outcome::kValid},
      {"-5", "-4", Outcome::kValid},
      {"-5", "-5", Outcome::kViolated},
      {"{:token 0}", "{:token 0}", Outcome::kViolated},
      {"{:token 3}", "{:fence 3}", Outcome::kUnknown},
      {"nil", "7", Outcome::kUnknown},
      {"nil", "nil", Outcome::kUnknown},
      {"{:fence 5}", "{:fence 5}", Outcome::kUnknown},
  };
  for (const char* model : {"fenced-mutex", "reentrant-fenced-mutex"}) {
    for (const auto& c : cases) {
      const Result<LogVerdict> verdict = JudgeEdn(FormatTwoGrants(c.first, c.second), model);
      ASSERT_TRUE(verdict) << verdict.error().message;
      EXPECT_EQ(verdict->outcome, c.outcome) << model << " " << c.first << " " << c.second;
      if (c.outcome != Outcome::kUnknown) continue;
      EXPECT_TRUE(verdict->objects[0].reason.ends_with(
          " of 2 acquires were answered with a token: too few to compare"))
          << verdict->objects[0].reason;
    }
  }
}

TEST(JudgeLog, TokensInFewerThanHalfOfTheGrantsAreTooFew) {
  const auto outcome = [](const std::vector<std::string>& tokens) {
    std::string log;
    for (const std::string& token : tokens)
      log += InvokeAndOk(0, "acquire", token) + InvokeAndOk(0, "release");
    return JudgeEdn(log, "fenced-mutex")->outcome;
  };
  EXPECT_EQ(outcome({"1", "2", "nil", "nil"}), Outcome::kValid);
  EXPECT_EQ(outcome({"1", "2", "nil", "nil", "nil"}), Outcome::kUnknown);
  EXPECT_EQ(outcome({"2", "1", "nil", "nil", "nil"}), Outcome::kViolated);
}

// A history of Doublehold: process 1 requests a lease of 100 ns at 0, and holds the lock from 5 to
// 50.
struct OwnHistoryCase {
  const char* name;
  std::string start;    // in the value of the start event
  std::string grant;    // at the end of the value of the grant
  std::string between;  // events between grant and release
  Outcome as_lease_mutex;
  Outcome as_fenced_mutex;
  Outcome as_owner_mutex = Outcome::kValid;
};

Outcome JudgeOwnHistory(const OwnHistoryCase& c, const char* model) {
  const auto line = [](int time, const char* rest) {
    return "{\"process\":1,\"key\":\"k\",\"time\":" + std::to_string(time) + rest;
  };
  const std::string text =
      R"({"process":"supervisor","type":"info","f":"start","time":0,"value":{)" + c.start + "}}\n" +
      line(0, R"(,"type":"invoke","f":"acquire","value":{"lease_ns":100}})") + "\n" +
      line(5, R"(,"type":"ok","f":"acquire","value":{"hold":1)") + c.grant + "}}\n" + c.between +
      line(50, R"(,"type":"invoke","f":"release","value":{"hold":1}})") + "\n" +
      line(55, R"(,"type":"ok","f":"release","value":{"hold":1}})");
  TextSource source(text, "h");
  const Result<LogVerdict> verdict =
      JudgeLog(source, LogFormat::kJsonLines, {.model = *FindModel(model)});
  EXPECT_TRUE(verdict) << verdict.error().message;
  if (!verdict) return Outcome::kUnknown;
  const bool has_reason = !verdict->reason.empty() || !verdict->objects.at(0).reason.empty();
  EXPECT_EQ(verdict->outcome == Outcome::kUnknown, has_reason) << c.name << verdict->reason;
  return verdict->outcome;
}

TEST(JudgeLog, FeaturesOfDoubleholdHistoriesThatTheModelLacksMakeTheOutcomeUnknown) {
  constexpr Outcome kValid = Outcome::kValid;
  constexpr Outcome kUnknown = Outcome::kUnknown;
  const auto extend = [](const char* task) {
    std::string lines;
    for (const char* type : {"invoke", "ok"}) {
      lines += fmt::format(
          R"({{"process":1,{}"type":"{}","f":"extend","key":"k","time":9,"value":{{"hold":1}}}})"
          "\n",
          task, type);
    }
    return lines;
  };
  for (const OwnHistoryCase& c : std::vector<OwnHistoryCase>{
           {"a token", "", R"(,"valid_until_ns":100,"token":1)", "", kValid, kValid},
           {"a token of 0 is no token", "", R"(,"valid_until_ns":100,"token":0)", "", kValid,
            kUnknown},
           {"a library with leases and no watchdog", R"("library":{"can":["lease"]})",
            R"(,"token":1)", "", kValid, kValid},
           {"a library with leases and a watchdog", R"("library":{"can":["lease","watchdog"]})",
            R"(,"token":1)", "", kUnknown, kValid},
           {"a library without leases", R"("library":{"can":["token"]})", R"(,"token":1)", "",
            kUnknown, kValid},
           {"a lease from the completion on", "", R"(,"valid_until_ns":105,"token":1)", "", kValid,
            kValid},
           {"a lease longer than requested", "", R"(,"valid_until_ns":106,"token":1)", "", kUnknown,
            kValid},
           {"extended by a watchdog", "", R"(,"token":1)", extend(R"("task":"watchdog",)"),
            kUnknown, kValid},
           {"extended by the client", "", R"(,"token":1)", extend(""), kUnknown, kValid},
           {"a shared grant", "", R"(,"token":1,"shared":1)", "", kUnknown, kUnknown, kUnknown},
           {"an exclusive grant", "", R"(,"token":1,"shared":0)", "", kValid, kValid},
       }) {
    EXPECT_EQ(Name(JudgeOwnHistory(c, "lease-mutex")), Name(c.as_lease_mutex)) << c.name;
    EXPECT_EQ(Name(JudgeOwnHistory(c, "fenced-mutex")), Name(c.as_fenced_mutex)) << c.name;
    EXPECT_EQ(Name(JudgeOwnHistory(c, "owner-mutex")), Name(c.as_owner_mutex)) << c.name;
  }
}

// Doublehold records an attempt on several keys on each of them.
TEST(JudgeLog, AProcessOfDoubleholdMayHaveAnOpenOperationOnEachKey) {
  std::string text = R"({"process":"supervisor","type":"info","f":"start","time":0,"value":{}})";
  int time = 0;
  for (const char* event : {R"("type":"invoke","f":"acquire")", R"("type":"ok","f":"acquire")",
                            R"("type":"invoke","f":"release")", R"("type":"ok","f":"release")"}) {
    for (const char* key : {"a", "b"}) {
      text += fmt::format("\n{{\"process\":1,\"key\":\"{}\",\"time\":{},{},\"value\":{{}}}}", key,
                          ++time, event);
    }
  }
  TextSource source(text, "h");
  const Result<LogVerdict> verdict =
      JudgeLog(source, LogFormat::kJsonLines, {.model = *FindModel("owner-mutex")});
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::kValid) << verdict->reason;
  EXPECT_EQ(verdict->objects.size(), 2U);
}

}  // namespace
}  // namespace doublehold
