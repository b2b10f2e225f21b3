#include "lib/history/frame.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace doublehold {
namespace {

class FramesFile : public ::testing::Test {
 protected:
  ~FramesFile() override { std::filesystem::remove(file_); }

  Result<std::vector<Frame>> Read(const std::string& text) {
    std::ofstream(file_) << text;
    return ReadFrames(file_);
  }

  const std::filesystem::path file_ = ::testing::TempDir() + "frames_test.jsonl";
};

TEST_F(FramesFile, ReadsBackTheFramesThatWereWritten) {
  const std::vector<Frame> frames{
      {.at_ns = 1, .client = 1, .node = 2, .command = "SET", .arrived_ns = 3},
      {.at_ns = 3, .client = 1, .node = 2, .is_reply = true, .command = "SET", .arrived_ns = 3},
      {.at_ns = 4, .client = 7, .node = 0, .command = ""}};
  const Result<std::vector<Frame>> read = Read(ToJsonLines(frames));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, frames);
}

TEST_F(FramesFile, AMalformedFileIsRefusedWithItsLine) {
  const std::string good = ToJsonLines({{.at_ns = 5, .client = 1, .node = 1, .command = "GET"}});
  const struct {
    const char* line;
    const char* reason;
  } cases[] = {
      {"{", ":2: "},
      {R"({"time":4,"client":1,"node":1,"direction":"request","command":"GET"})", "'time' is 4"},
      {R"({"time":6,"client":0,"node":1,"direction":"request","command":"GET"})", "'client' is 0"},
      {R"({"time":6,"client":1,"node":1,"direction":"reques","command":"GET"})",
       "did you mean 'request'?"},
      {R"({"time":6,"client":1,"node":1,"direction":"reply","command":"GET","arrived":5})",
       "'arrived' is 5"},
      {R"({"time":6,"client":1,"node":1,"direction":"reply","command":"GET","lost":1})", "'lost'"},
  };
  for (const auto& each : cases) {
    const Result<std::vector<Frame>> read = Read(good + each.line + "\n");
    ASSERT_FALSE(read.has_value()) << each.line;
    EXPECT_NE(read.error().message.find("frames_test.jsonl:2: "), std::string::npos)
        << read.error().message;
    EXPECT_NE(read.error().message.find(each.reason), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace doublehold
