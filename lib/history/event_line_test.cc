#include "lib/history/event_line.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "lib/base/prng.h"
#include "lib/history/jsonl.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

RunFacts SomeFactsEventLine() {
  return {.experiment = "e",
          .lock = "fenced",
          .workload = "inventory",
          .write = "fenced",
          .seed = 1,
          .lease = 500ms,
          .clients = 3,
          .nodes = 1,
          .keys = {"item-0", "item \"1\"", "item-2"},
          .faults = {{.name = "stall", .kind = "pause", .what = "client 1 stopped"}},
          .claims = {"exclusion"}};
}

// Returns a random event; all operations and types are equally likely, and the values are possible.
Event AnyEventEventLine(Prng& prng) {
  Event event{.at_ns = static_cast<int64_t>(prng.Below(100)),
              .hold = prng.Below(2) == 0 ? 0 : prng.Next() >> prng.Below(64),
              .client = static_cast<int32_t>(prng.Below(5)) - 1,
              .op = static_cast<Op>(prng.Below(static_cast<uint64_t>(Op::kLeave) + 1)),
              .type = static_cast<EventType>(prng.Below(4)),
              .task = static_cast<TaskKind>(prng.Below(3)),
              .thread = static_cast<uint8_t>(prng.Below(4) == 0 ? prng.Below(256) : 0)};
  if (HasKey(event.op)) event.key = static_cast<uint16_t>(prng.Below(3));
  for (int64_t& value : event.value) {
    if (prng.Below(2) == 0) value = static_cast<int64_t>(prng.Below(300)) - 150;
  }
  if (event.op == Op::kStall && prng.Below(2) == 0) event.client = OfServer(1);
  return event;
}

std::string LineOf(const EventLines& lines, size_t index, const Event& event) {
  fmt::memory_buffer line;
  lines.Append(index, event, line);
  EXPECT_EQ(*(line.end() - 1), '\n');
  return {line.begin(), line.end() - 1};
}

TEST(EventLines, AreScannedAsTheyWereWritten) {
  const EventLines lines(SomeFactsEventLine().keys);
  Prng prng(1, "scan");
  const int64_t trials = NumTrials(20'000);
  for (int64_t i = 0; i < trials; ++i) {
    const Event event = AnyEventEventLine(prng);
    const size_t index = 1 + prng.Below(1000);
    const std::string line = LineOf(lines, index, event);
    const std::optional<Event> scanned = lines.Scan(line, static_cast<int64_t>(index));
    // A key with a quotation mark needs escapes, so Scan leaves it to the parser.
    ASSERT_EQ(scanned.has_value(), event.key != 1) << line;
    if (scanned) {
      ASSERT_EQ(*scanned, event) << line;
    }
    ASSERT_FALSE(lines.Scan(line, static_cast<int64_t>(index) + 1)) << line;
  }
}

// Reads a history that has this line. `pretty` adds a space that Append never writes, so that the
// JSON parser reads the line instead of Scan.
Result<History> ReadEventLine(const std::string& start, const std::string& line, bool pretty) {
  const std::string text =
      start + (pretty && line.starts_with('{') ? "{ " + line.substr(1) : line) + '\n';
  // A small window: filling a megabyte for each of many reads takes too long.
  TextSource source(text, "h", 4096);
  return ReadJsonl(source);
}

// Mutates lines randomly. Scan may accept a line only if the parser reads the same event.
TEST(EventLines, AreScannedOnlyIfTheParserReadsTheSame) {
  const History empty{.facts = SomeFactsEventLine(), .events = {}};
  std::ostringstream out;
  WriteJsonl(empty, out);
  std::string start = out.str();
  start.replace(start.find(R"(,"events":0)"), 11, "");
  const EventLines lines(empty.facts.keys);
  const std::vector<std::string> pieces{"0",
                                        "-",
                                        "1",
                                        ".0",
                                        "e1",
                                        "\"",
                                        ",",
                                        "}",
                                        "{",
                                        " ",
                                        "\"hold\":0,",
                                        "\"hold\":1,",
                                        "\\u0061",
                                        "null",
                                        "256",
                                        "\"thread\":0,",
                                        "\"thread\":1,",
                                        "\"task\":\"session\","};
  Prng prng(2, "scan");
  int scanned = 0, read = 0;
  const int64_t trials = NumTrials(10'000);
  for (int64_t i = 0; i < trials; ++i) {
    std::string line = LineOf(lines, 1, AnyEventEventLine(prng));
    for (uint64_t changes = prng.Below(3); changes > 0; --changes) {
      const size_t at = prng.Below(line.size());
      const std::string& piece = pieces[prng.Below(pieces.size())];
      line.replace(at, prng.Below(2) * std::min(piece.size(), line.size() - at), piece);
    }
    const bool taken = lines.Scan(line, 1).has_value();
    const Result<History> quick = ReadEventLine(start, line, /*pretty=*/false);
    const Result<History> parsed = ReadEventLine(start, line, /*pretty=*/true);
    ASSERT_EQ(quick.has_value(), parsed.has_value()) << line;
    if (quick) {
      ASSERT_EQ(quick->events, parsed->events) << line;
    } else {
      ASSERT_EQ(quick.error().message, parsed.error().message) << line;
    }
    scanned += taken ? 1 : 0;
    read += quick ? 1 : 0;
  }
  EXPECT_GT(scanned, trials / 10);
  EXPECT_GT(read, trials / 10);
  EXPECT_LT(read, trials * 9 / 10);
}

TEST(EventLines, NumbersFollowTheRulesOfJson) {
  const EventLines lines(SomeFactsEventLine().keys);
  const auto scan = [&lines](const std::string& time) {
    const auto event =
        lines.Scan(R"({"index":1,"time":)" + time +
                       R"(,"process":1,"type":"invoke","f":"wait","key":"item-0","value":{}})",
                   1);
    return event ? event->at_ns : -1;
  };
  EXPECT_EQ(scan("0"), 0);
  EXPECT_EQ(scan("-0"), 0);
  EXPECT_EQ(scan("9223372036854775807"), INT64_MAX);
  for (const char* wrong :
       {"9223372036854775808", "01", "-01", "00", "+1", "1.0", "1e1", "", "0x1", " 1"})
    EXPECT_EQ(scan(wrong), -1) << wrong;
}

}  // namespace
}  // namespace doublehold
