// Whole logs as text, and what is said of them.
#include "checker/linear/judge_log.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

Result<LogVerdict> Judged(std::string_view text, std::string_view model, bool by_key = false,
                          std::vector<FailedRelease> readings = {FailedRelease::kNothing,
                                                                 FailedRelease::kReleased}) {
  const Result<OpLog> log = ParseOpLog(text, "h.edn", true);
  if (!log) return tl::unexpected(log.error());
  return JudgeLog(*log,
                  {.model = *FindModel(model), .by_key = by_key, .readings = std::move(readings)});
}

constexpr std::string_view kStale = R"(
  {:process 0, :type :invoke, :f :write, :value 1}
  {:process 0, :type :ok,     :f :write, :value 1}
  {:process 1, :type :invoke, :f :write, :value 2}
  {:process 1, :type :ok,     :f :write, :value 2}
  {:process :nemesis, :type :info, :f :start}
  {:process 2, :type :invoke, :f :read,  :value nil}
  {:process 2, :type :ok,     :f :read,  :value 1})";

TEST(JudgeLog, AStaleReadIsViolatedAndTold) {
  const Result<LogVerdict> verdict = Judged(kStale, "register");
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome3::kViolated);
  ASSERT_EQ(verdict->objects.size(), 1U);
  EXPECT_EQ(verdict->objects[0].reason,
            "up to the return of write 2 by 1 (line 4) the operations can be ordered; then read "
            "-> 1 by 2 (line 7) has no place: it would be 2\n"
            "  line 2        write 1 by 0    |-------|\n"
            "  line 4        write 2 by 1                    |-------|\n"
            "  line 7      > read -> 1 by 2                                  |-------|\n");
}

TEST(JudgeLog, ObjectsAreJudgedEachByItself) {
  // Independent's tuples: each key is a register of its own.
  const Result<LogVerdict> verdict = Judged(R"([
    {:process 0, :type :invoke, :f :write, :value [x 1]}
    {:process 0, :type :ok,     :f :write, :value [x 1]}
    {:process 1, :type :invoke, :f :read,  :value [y nil]}
    {:process 1, :type :ok,     :f :read,  :value [y nil]}])",
                                            "register", true);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome3::kValid);
  ASSERT_EQ(verdict->objects.size(), 2U);
  EXPECT_EQ(verdict->objects[0].key, "x");
  EXPECT_EQ(verdict->objects[1].key, "y");
}

TEST(JudgeLog, WhatHangsOnAFailedReleaseIsUnknownAndSaysSo) {
  constexpr std::string_view kLog = R"(
    {:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
    {:process 0, :type :invoke, :f :release} {:process 0, :type :fail, :f :release}
    {:process 1, :type :invoke, :f :acquire} {:process 1, :type :ok, :f :acquire})";
  const Result<LogVerdict> both = Judged(kLog, "owner-mutex");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->outcome, Outcome3::kUnknown);
  EXPECT_EQ(both->reason,
            "it hangs on what 1 releases that failed mean: violated if nothing happened, valid if "
            "the hold ended");
  const auto as = [&](FailedRelease reading) {
    return Judged(kLog, "owner-mutex", false, {reading})->outcome;
  };
  EXPECT_EQ(as(FailedRelease::kNothing), Outcome3::kViolated);
  EXPECT_EQ(as(FailedRelease::kReleased), Outcome3::kValid);
  EXPECT_EQ(as(FailedRelease::kEither), Outcome3::kValid);
}

TEST(JudgeLog, AnOperationWithoutACompletionMayHaveHappenedLater) {
  constexpr std::string_view kLog = R"(
    {:process 0, :type :invoke, :f :write, :value 5}
    {:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value nil}
    {:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value 5})";
  EXPECT_EQ(Judged(kLog, "register")->outcome, Outcome3::kValid);
}

TEST(JudgeLog, WhatFailedForCertainDidNotHappen) {
  constexpr std::string_view kLog = R"(
    {:process 0, :type :invoke, :f :cas, :value [nil 5]} {:process 0, :type :fail, :f :cas, :value [nil 5]}
    {:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value 5})";
  EXPECT_EQ(Judged(kLog, "cas-register")->outcome, Outcome3::kViolated);
}

TEST(JudgeLog, RefusesWhatMakesNoSense) {
  struct {
    std::string_view text;
    std::string_view message;
  } const cases[] = {
      {"{:process 0, :type :invoke, :f :aquire}",
       "h.edn:1: of the model owner-mutex, function 'aquire' is unknown (did you mean 'acquire'?)"},
      {"{:process 0, :type :invoke, :f :acquire}\n{:process 0, :type :invoke, :f :acquire}",
       "h.edn:2: process 0 has an open operation, of line 1"},
      {"{:process 0, :type :ok, :f :acquire}", "h.edn:1: process 0 has no open operation"},
      {"{:process 0, :type :invoke, :f :acquire}\n{:process 0, :type :ok, :f :release}",
       "h.edn:2: process 0 began a 'acquire' in line 1"},
  };
  for (const auto& c : cases) {
    const Result<LogVerdict> verdict = Judged(c.text, "owner-mutex");
    ASSERT_FALSE(verdict) << c.text;
    EXPECT_EQ(verdict.error().message, c.message);
  }
}

}  // namespace
}  // namespace doublehold
