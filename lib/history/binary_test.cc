#include "lib/history/binary.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "lib/base/prng.h"

namespace doublehold {
namespace {

// A file of its own for each test, gone afterwards.
class BinaryFile : public testing::Test {
 protected:
  BinaryFile()
      : file_(std::filesystem::temp_directory_path() /
              ("doublehold-binary-test-" + std::to_string(getpid()))) {}
  ~BinaryFile() override { std::filesystem::remove(file_); }

  void Put(const std::string& bytes) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
  }
  [[nodiscard]] std::string Bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::string Refusal() const {
    const Result<History> read = ReadBinaryFile(file_);
    if (read) return "accepted";
    EXPECT_EQ(read.error().code, ExitCode::kBadInput);
    const std::string prefix = file_.string() + ": ";
    EXPECT_EQ(read.error().message.substr(0, prefix.size()), prefix);
    return read.error().message.substr(prefix.size());
  }

  std::filesystem::path file_;
};

History SomeHistory() {
  History history{.facts = {.experiment = "run",
                            .lock = "redlock",
                            .seed = 7,
                            .lease = 500ms,
                            .clients = 3,
                            .keys = {"item-0", "item-1"},
                            .faults = {{.name = "stall", .kind = "pause", .what = "w"}},
                            .claims = {"exclusion"},
                            .expect = {{"exclusion", "valid"}}},
                  .events = {}};
  for (int64_t i = 0; i < 1000; ++i) {
    history.events.push_back({.at_ns = i / 2,
                              .hold = static_cast<uint64_t>(i),
                              .client = static_cast<int32_t>(i % 4),
                              .key = static_cast<uint16_t>(i % 2),
                              .op = Op::kWrite,
                              .type = EventType::kOk,
                              .value = {i, -i, kMostValue, -kMostValue}});
  }
  return history;
}

TEST_F(BinaryFile, WritingAndReadingBackGivesAnEqualHistory) {
  const History history = SomeHistory();
  ASSERT_TRUE(WriteBinaryFile(history, file_).has_value());
  const Result<History> read = ReadBinaryFile(file_);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->facts, history.facts);
  EXPECT_EQ(read->events, history.events);
}

TEST_F(BinaryFile, TheEventsBeginAtAMultipleOfTheirSize) {
  ASSERT_TRUE(WriteBinaryFile(SomeHistory(), file_).has_value());
  EXPECT_EQ(std::filesystem::file_size(file_) % sizeof(Event), 0U);
}

TEST_F(BinaryFile, WhatIsNoHistoryIsRefused) {
  EXPECT_EQ(Refusal(), "No such file or directory");
  Put("");
  EXPECT_EQ(Refusal(), "is no history of this version (it does not begin with DHHIST1)");
  Put("DHHIST2\n" + std::string(1000, '\0'));
  EXPECT_EQ(Refusal(), "is no history of this version (it does not begin with DHHIST1)");
  Put("DHHIST1\n" + std::string(1000, '\xff'));
  EXPECT_EQ(Refusal(),
            "is cut off: it should hold 18446744073709551615 bytes of facts and "
            "18446744073709551615 events");
}

TEST_F(BinaryFile, AFileCutOffAnywhereIsRefused) {
  ASSERT_TRUE(WriteBinaryFile(SomeHistory(), file_).has_value());
  const std::string whole = Bytes();
  for (size_t size = 0; size < whole.size(); size += 61) {
    Put(whole.substr(0, size));
    ASSERT_NE(Refusal(), "accepted") << size;
  }
  Put(whole + "x");
  EXPECT_NE(Refusal(), "accepted");
}

TEST_F(BinaryFile, AnEventThatTheRunCannotHaveHadIsRefused) {
  struct Case {
    std::string message;
    void (*spoil)(Event&);
  };
  for (const Case& spoilt : std::vector<Case>{
           {"time 3 is before 4", [](Event& e) { e.at_ns = 3; }},
           {"time -1 is negative", [](Event& e) { e.at_ns = -1; }},
           {"process 4 is unknown; the run had 3 clients", [](Event& e) { e.client = 4; }},
           {"process -2 is unknown; the run had 3 clients", [](Event& e) { e.client = -2; }},
           {"key 2 is unknown; the run had 2", [](Event& e) { e.key = 2; }},
           {"operation 17 is unknown", [](Event& e) { e.op = static_cast<Op>(17); }},
           {"type 4 is unknown", [](Event& e) { e.type = static_cast<EventType>(4); }},
           {"task 3 is unknown", [](Event& e) { e.task = static_cast<TaskKind>(3); }},
           {"fault 1 is unknown; the run had 1",
            [](Event& e) {
              e.op = Op::kFault;
              e.value[0] = 1;
            }},
           {"value -9223372036854775808 is out of bounds",
            [](Event& e) { e.value[2] = INT64_MIN; }},
           {"the reserved bytes are not zero", [](Event& e) { e.reserved[3] = 1; }},
       }) {
    History history = SomeHistory();
    spoilt.spoil(history.events[9]);
    ASSERT_TRUE(WriteBinaryFile(history, file_).has_value());
    EXPECT_EQ(Refusal(), "event 10: " + spoilt.message);
  }
}

TEST_F(BinaryFile, NoFlippedByteMakesTheReaderFall) {
  ASSERT_TRUE(WriteBinaryFile(SomeHistory(), file_).has_value());
  const std::string whole = Bytes();
  Prng prng(1, "garble");
  for (int i = 0; i < 500; ++i) {
    std::string garbled = whole;
    garbled[prng.Below(i % 2 == 0 ? 600 : garbled.size())] = static_cast<char>(prng.Below(256));
    Put(garbled);
    (void)ReadBinaryFile(file_);
  }
}

TEST_F(BinaryFile, AFolderThatIsNotThereIsNamed) {
  const Result<void> written = WriteBinaryFile(SomeHistory(), "/nonexistent/history.bin");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().message,
            "/nonexistent/history.bin: could not be written: No such file or directory");
}

}  // namespace
}  // namespace doublehold
