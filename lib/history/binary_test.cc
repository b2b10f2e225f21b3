#include "lib/history/binary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lib/base/prng.h"
#include "lib/history/mapped.h"
#include "lib/history/merge.h"
#include "lib/testing/temp_file.h"

namespace doublehold {
namespace {

// Each test has a file of its own, which is removed afterwards.
class BinaryFile : public ::testing::Test {
 protected:
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

  const testing::TempFile temp_{"binary-test"};
  const std::filesystem::path& file_ = temp_.path();
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

TEST_F(BinaryFile, AnEventTakesSixteenBytesAndItsValues) {
  History history = SomeHistory();
  ASSERT_TRUE(WriteBinaryFile(history, file_).has_value());
  const uint64_t with_values = std::filesystem::file_size(file_);
  for (Event& event : history.events) event.value = {};
  ASSERT_TRUE(WriteBinaryFile(history, file_).has_value());
  const uint64_t without = std::filesystem::file_size(file_);
  EXPECT_LE(without, 1000 * 16 + 2000);                    // the facts
  EXPECT_EQ(with_values - without, 1000 * 4 * 8 - 2 * 8);  // two values of the first event are 0
}

TEST_F(BinaryFile, HoldsOfAnyNumberAreKept) {
  History history = SomeHistory();
  for (const uint64_t base : {uint64_t{0}, uint64_t{5} << 40U, UINT64_MAX - 2000}) {
    for (size_t i = 0; i < history.events.size(); ++i) history.events[i].hold = base + i * (i % 3);
    ASSERT_TRUE(WriteBinaryFile(history, file_).has_value());
    const Result<History> read = ReadBinaryFile(file_);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->events, history.events) << base;
  }
}

TEST_F(BinaryFile, AFileThatIsNotAHistoryIsRefused) {
  const std::string other = "is not a history of this version (it does not begin with DHHIST2)";
  EXPECT_EQ(Refusal(), "No such file or directory");
  Put("");
  EXPECT_EQ(Refusal(), other);
  Put("DHHIST1\n" + std::string(1000, '\0'));
  EXPECT_EQ(Refusal(), other);
  Put("DHHIST2\n" + std::string(1000, '\0'));
  EXPECT_EQ(Refusal(), "has bytes after its end");
  Put("DHHIST2\n" + std::string(1000, '\xff'));
  EXPECT_EQ(Refusal(),
            "is cut off: it should hold 18446744073709551615 bytes of facts, "
            "18446744073709551615 writers and 18446744073709551615 streams");
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

TEST_F(BinaryFile, AnImpossibleEventIsNotWritten) {
  struct Case {
    std::string message;
    void (*spoil)(Event&);
  };
  for (const Case& spoilt : std::vector<Case>{
           {"it is earlier than the previous event", [](Event& e) { e.at_ns = 3; }},
           {"time -1 is negative", [](Event& e) { e.at_ns = -1; }},
           {"process 4 is unknown; the run had 3 clients", [](Event& e) { e.client = 4; }},
           {"operation 22 is unknown", [](Event& e) { e.op = static_cast<Op>(22); }},
           {"type 4 is unknown", [](Event& e) { e.type = static_cast<EventType>(4); }},
           {"task 3 is unknown", [](Event& e) { e.task = static_cast<TaskKind>(3); }},
           {"the reserved bytes are not zero", [](Event& e) { e.reserved[3] = 1; }},
           {"it is more than 78 hours after the first event",
            [](Event& e) { e.at_ns = int64_t{1} << 48; }},
       }) {
    History history = SomeHistory();
    spoilt.spoil(history.events[9]);
    const Result<void> written = WriteBinaryFile(history, file_);
    ASSERT_FALSE(written.has_value()) << spoilt.message;
    EXPECT_EQ(written.error().message,
              file_.string() + ": could not be written: event 10: " + spoilt.message);
    EXPECT_FALSE(std::filesystem::exists(file_));
  }
}

TEST_F(BinaryFile, AnImpossibleEventIsRefused) {
  struct Case {
    std::string message;
    void (*spoil)(Record&);
  };
  ASSERT_TRUE(WriteBinaryFile(SomeHistory(), file_).has_value());
  const std::string whole = Bytes();
  const Result<MappedHistory> mapped = MappedHistory::Open(file_);
  ASSERT_TRUE(mapped.has_value());
  // The records are followed only by their words.
  const size_t words = mapped->streams()[0].words.size();
  const size_t records = whole.size() - 8 * (words + words % 2) - 1000 * sizeof(Record);
  for (const Case& spoilt : std::vector<Case>{
           {"time 3 is before 4",
            [](Record& r) { r.when_and_what = Record::Pack(3, r.Words(), r.What()); }},
           {"writer 4 is unknown; there are 4", [](Record& r) { r.writer = 4; }},
           {"key 2 is unknown; the run had 2", [](Record& r) { r.key = 2; }},
           {"operation 22 is unknown",
            [](Record& r) {
              r.when_and_what = Record::Pack(r.Ns(), r.Words(),
                                             Record::What(static_cast<Op>(22), EventType::kOk));
            }},
           {"fault 9 is unknown; the run had 1",
            [](Record& r) {
              r.when_and_what =
                  Record::Pack(r.Ns(), r.Words(), Record::What(Op::kFault, EventType::kOk));
            }},
           {"the reserved bits are not zero", [](Record& r) { r.when_and_what |= 1U << 13U; }},
       }) {
    std::string garbled = whole;
    Record record;
    std::memcpy(&record, &garbled[records + 9 * sizeof(Record)], sizeof(record));
    spoilt.spoil(record);
    std::memcpy(&garbled[records + 9 * sizeof(Record)], &record, sizeof(record));
    Put(garbled);
    EXPECT_EQ(Refusal(), "event 10: " + spoilt.message);
  }
}

TEST_F(BinaryFile, SeparateLogsAreMergedOnReading) {
  History history = SomeHistory();
  ASSERT_TRUE(WriteBinaryFile(history, file_).has_value());
  const Result<MappedHistory> mapped = MappedHistory::Open(file_);
  ASSERT_TRUE(mapped.has_value());
  // Distributes the records over five logs in turn.
  std::vector<std::vector<Record>> logs(5);
  const RecordStream& all = mapped->streams()[0];
  for (size_t i = 0; i < all.records.size(); ++i) logs[i % 5].push_back(all.records[i]);
  std::vector<RecordStream> streams;
  for (const std::vector<Record>& log : logs) streams.push_back({log, {}});
  size_t seen = 0;
  uint64_t previous_ns = 0;
  size_t previous_log = 0;
  for (RecordMerge merge(streams); !merge.AtEnd(); merge.Advance()) {
    const uint64_t ns = merge.Current().Ns();
    ASSERT_GE(ns, previous_ns);
    // Records with equal times keep the order of their logs.
    ASSERT_TRUE(ns > previous_ns || seen == 0 || merge.Stream() > previous_log);
    previous_ns = ns;
    previous_log = merge.Stream();
    ++seen;
  }
  EXPECT_EQ(seen, all.records.size());
}

TEST_F(BinaryFile, NoFlippedByteCrashesTheReader) {
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

TEST_F(BinaryFile, AMissingFolderIsNamedInTheError) {
  const Result<void> written = WriteBinaryFile(SomeHistory(), "/nonexistent/history.bin");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().message,
            "/nonexistent/history.bin: could not be written: No such file or directory");
}

}  // namespace
}  // namespace doublehold
