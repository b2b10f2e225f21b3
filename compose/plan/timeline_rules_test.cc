// What a fault of a plan waits for in vain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compose/testing/plan_testing.h"

namespace doublehold {
namespace {

using testing::Good;
using testing::kLock;
using testing::Refusal;

TEST(BuildPlan, NothingBeginsDuringWhatIsOverAtOnce) {
  const auto during = [](const std::string& kind) {
    return kLock + "[[fault]]\nname = \"a\"\non = \"client 1 holds\"\nnodes = [1]\nkind = " + kind +
           "\n[[fault]]\nkind = \"jump\"\nclient = 2\nby = \"1s\"\non = \"client 2 start\"\nfor = "
           "\"1s\"\nduring = \"a\"\n";
  };
  for (const char* kind : {"crash", "flush", "snapshot", "delete-key", "evict", "forget-scripts"}) {
    EXPECT_EQ(Refusal(during(fmt::format("\"{}\"", kind))),
              "x.toml:14: fault.1.during: fault 'jump-2': 'a' is over at once: nothing begins "
              "meanwhile");
  }
  Good(during("\"restart\"\nfor = \"1s\""));
}

}  // namespace
}  // namespace doublehold
