#include "checker/measures/idle_watchdog.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// Leases of the library last 9 columns.
bool WarnsOfIdleWatchdog(const std::string& picture, const std::vector<std::string>& can) {
  const History history =
      FromLanes(picture, {.lease = 9ms, .library = LibraryFact{"lib", "1", can}});
  return !WatchdogWarnings(Evidence(history)).empty();
}

TEST(IdleWatchdog, WarnsIfNoSectionLastedLongerThanAThirdOfItsLease) {
  const std::string third = "c1: A-a==R-r";
  EXPECT_TRUE(WarnsOfIdleWatchdog(third, {"lease", "watchdog"}));
  EXPECT_FALSE(WarnsOfIdleWatchdog(third + "A-a===R-r", {"lease", "watchdog"}));
  EXPECT_FALSE(WarnsOfIdleWatchdog(third, {"lease"})) << "the library has no watchdog";
  EXPECT_FALSE(WarnsOfIdleWatchdog("c1: A-x", {"lease", "watchdog"})) << "no section";
}

TEST(IdleWatchdog, TimeInWhichTheClientWasStoppedDoesNotCount) {
  EXPECT_TRUE(WarnsOfIdleWatchdog(R"(
      pause c1:    [---]
      c1:       A-a======R-r)",
                                  {"watchdog"}));
}

}  // namespace
}  // namespace doublehold
