// Tests that the time of a check grows with the length of a history, and not with its square.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// Returns the drawn history, repeated again and again. Each hold gets a number of its own, and so
// does each client if the clients are new each time.
History Repeat(const History& drawn, int64_t times, bool new_clients) {
  History history = drawn;
  history.events.clear();
  const int64_t length_ns = drawn.events.back().at_ns + 1'000'000;
  for (int64_t i = 0; i < times; ++i) {
    for (Event event : drawn.events) {
      event.at_ns += i * length_ns;
      if (event.hold != 0) event.hold += static_cast<uint64_t>(i) * 1'000'000;
      if (new_clients && event.client > 0) event.client += static_cast<int32_t>(i);
      history.events.push_back(event);
    }
  }
  return history;
}

double JudgeSeconds(const History& history) {
  double least = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    timespec begun{}, ended{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    Judge(history);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    least = std::min(least, static_cast<double>(ended.tv_sec - begun.tv_sec) +
                                static_cast<double>(ended.tv_nsec - begun.tv_nsec) * 1e-9);
  }
  return least;
}

struct Growing {
  std::string name, picture;
  std::vector<std::string> claims;
  bool new_clients = false;
};

TEST(JudgeTime, GrowsWithTheLengthOfAHistory) {
  for (const auto& [name, picture, claims, new_clients] :
       std::vector<Growing>{{"fault episodes, and releases refused or answered",
                             R"(
      c1:          A-a=R-rA-a=R-x
      drop c3:        [--])",
                             {"release-result", "release"}},
                            {"fault episodes, and refusals of a free key",
                             R"(
      c1:          A-a=R-r
      c2:                 A-t   A-t   A-t    A-a=R-r
      pause c3:    [--])",
                             {"availability", "liveness"}},
                            {"grants of one session", "c1: A-aR-rA-aR-rA-aR-r", {"release-result"}},
                            {"waits that never end", "c1: QA-x A-x", {"max-wait"}, true}}) {
    LaneOptions options;
    options.claims = claims;
    options.limits = {{"max-wait", "5ms"}};
    options.library = LibraryFact{"drawn", "1", {"lease"}};
    const History drawn = FromLanes(picture, options);
    const double once = JudgeSeconds(Repeat(drawn, 1'000, new_clients));
    const double eight_times = JudgeSeconds(Repeat(drawn, 8'000, new_clients));
    EXPECT_LT(eight_times, 24 * once) << name << ": " << once << " s and " << eight_times << " s";
  }
}

}  // namespace
}  // namespace doublehold
