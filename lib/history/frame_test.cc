#include "lib/history/frame.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(Frames, HaveOneLineEachAndNoArrivalIfTheyWereLost) {
  EXPECT_EQ(ToJsonLines({{.at_ns = 1, .client = 1, .node = 2, .command = "SET", .arrived_ns = 3},
                         {.at_ns = 4, .client = 7, .is_reply = true, .command = "G\xff"}}),
            R"({"time":1,"client":1,"node":2,"direction":"request","command":"SET","arrived":3})"
            "\n"
            "{\"time\":4,\"client\":7,\"node\":0,\"direction\":\"reply\",\"command\":"
            "\"G\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace doublehold
