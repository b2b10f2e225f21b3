#include "compose/os/end_signals.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace doublehold {
namespace {

TEST(EndSignals, ActWhenTheBlockEndsButNeverAfterBlockEndSignals) {
  const auto end_during = [](bool until_exit) {
    if (until_exit) BlockEndSignals();
    {
      const EndSignalsBlocked blocked;
      raise(SIGTERM);
      raise(SIGHUP);
    }
    std::_Exit(7);
  };
  EXPECT_EXIT(end_during(true), ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT(end_during(false), ::testing::KilledBySignal(SIGHUP), "");
}

}  // namespace
}  // namespace doublehold
