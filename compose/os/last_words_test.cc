#include "compose/os/last_words.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace doublehold {
namespace {

TEST(LastWords, ArePrintedByEachSignalThatEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          const LastWords words("doublehold check: interrupted");
          raise(number);
        },
        ::testing::ExitedWithCode(2), "^doublehold check: interrupted\n$");
  }
}

TEST(LastWords, AreReplacedByALaterSet) {
  EXPECT_EXIT(
      {
        LastWords words("nothing yet");
        words.Set("", "one", ExitCode::kUnknown);
        words.Set("", "two", ExitCode::kViolated);
        raise(SIGINT);
      },
      ::testing::ExitedWithCode(1), "^two\n$");
}

TEST(LastWords, AreNotPrintedAfterTheirDestructor) {
  EXPECT_EXIT(
      {
        { const LastWords words("said"); }
        raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "^$");
}

}  // namespace
}  // namespace doublehold
