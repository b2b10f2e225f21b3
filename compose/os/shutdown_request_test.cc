#include "compose/os/shutdown_request.h"

#include <gtest/gtest.h>

#include <csignal>

namespace doublehold {
namespace {

TEST(EndRequest, ASecondRequestIsAnotherSignalOrTheSameSignalLater) {
  struct {
    int second;
    Duration after;
    bool twice;
  } const cases[] = {
      {SIGINT, 0ms, false}, {SIGINT, 300ms, false}, {SIGINT, 301ms, true}, {SIGTERM, 0ms, true}};
  for (const auto& c : cases) {
    EndRequest request;
    EXPECT_FALSE(request.once());
    const MonoTime first(5s);
    request.Signalled(SIGINT, first);
    EXPECT_TRUE(request.once());
    EXPECT_FALSE(request.twice());
    request.Signalled(c.second, first + c.after);
    EXPECT_EQ(request.twice(), c.twice) << c.second << " after " << c.after.count();
  }
}

}  // namespace
}  // namespace doublehold
