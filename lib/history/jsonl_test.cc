#include "lib/history/jsonl.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "lib/base/prng.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

RunFacts SomeFactsJsonl() {
  return {.experiment = "pause \"quoted\"",
          .lock = "set-nx-px",
          .workload = "inventory",
          .write = "read-modify-write",
          .seed = UINT64_MAX,
          .lease = 500ms,
          .grace = 250ms,
          .duration = 4s,
          .clients = 6,
          .nodes = 1,
          .initial_stock = 100'000,
          .keys = {"item-0", "stück \"1\"\n"},
          .faults = {{.name = "stall", .kind = "pause", .what = "client 1 stopped", .planned = 2},
                     {.name = "jump",
                      .kind = "jump",
                      .what = "node 1 ahead",
                      .until = "'stall' ends",
                      .key = "item-0",
                      .keeps_data = true,
                      .planned = 0}},
          .claims = {"exclusion", "stock"},
          .expect = {{"exclusion", "violated"}, {"stock", "any"}},
          .expect_cause = {{"exclusion", {"stopped", "overran"}}},
          .library = LibraryFact{"redis-py", "4.5.5", {"lease"}}};
}

// Returns a random event that a run could have recorded, with and without named values.
Event AnyEventJsonl(Prng& prng, int64_t at_ns) {
  Event event{.at_ns = at_ns,
              .hold = prng.Below(3) == 0 ? 0 : prng.Next(),
              .client = static_cast<int32_t>(prng.Below(8)) - 1,
              .key = static_cast<uint16_t>(prng.Below(2)),
              .op = static_cast<Op>(prng.Below(14)),
              .type = static_cast<EventType>(prng.Below(4)),
              .task = static_cast<TaskKind>(prng.Below(3))};
  const int64_t sign = prng.Below(2) == 0 ? 1 : -1;
  for (int64_t& value : event.value) {
    if (prng.Below(2) == 0) value = static_cast<int64_t>(prng.Next() >> 3) * sign;
  }
  if (event.op == Op::kFault) event.value[0] = static_cast<int64_t>(prng.Below(2));
  if (event.op == Op::kStall && prng.Below(2) == 0)
    event.client = OfServer(static_cast<int32_t>(prng.Below(12)));
  return event;
}

std::string Written(const History& history) {
  std::ostringstream out;
  WriteJsonl(history, out);
  return out.str();
}

Result<History> ReadJsonlText(const std::string& text) {
  TextSource source(
      text, "h.jsonl",
      4096);  // a small window: filling a megabyte for each of many reads takes too long
  return ReadJsonl(source);
}

TEST(Jsonl, WritingAndReadingBackGivesAnEqualHistory) {
  History history{.facts = SomeFactsJsonl(), .events = {}};
  Prng prng(1, "jsonl");
  int64_t at_ns = 0;
  for (int i = 0; i < 5000; ++i) {
    at_ns += static_cast<int64_t>(prng.Below(3));
    history.events.push_back(AnyEventJsonl(prng, at_ns));
  }
  history.events.push_back({.at_ns = kMostValue, .value = {INT64_MAX, -kMostValue, kMostValue}});
  const Result<History> read = ReadJsonlText(Written(history));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->facts, history.facts);
  ASSERT_EQ(read->events.size(), history.events.size());
  for (size_t i = 0; i < history.events.size(); ++i) {
    ASSERT_EQ(read->events[i], history.events[i]) << "event " << i;
  }
}

TEST(Jsonl, AnEventIsWrittenAsDocumented) {
  History history{.facts = SomeFactsJsonl(), .events = {}};
  history.events = {{.at_ns = 5'103'000,
                     .hold = 17,
                     .client = 3,
                     .op = Op::kAcquire,
                     .type = EventType::kOk,
                     .value = {505'000'000, 0}},
                    {.at_ns = 5'104'000,
                     .client = kSupervisor,
                     .op = Op::kStall,
                     .type = EventType::kInfo,
                     .task = TaskKind::kMeter,
                     .value = {7}}};
  const std::string text = Written(history);
  EXPECT_NE(
      text.find(R"({"index":1,"time":5103000,"process":3,"type":"ok","f":"acquire",)"
                R"("key":"item-0","value":{"hold":17,"valid_until_ns":505000000,"token":0}})"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"index":2,"time":5104000,"process":"supervisor","task":"meter",)"
                      R"("type":"info","f":"stall","value":{"length_ns":7}})"),
            std::string::npos)
      << text;
}

const char kStart[] =
    R"({"index":0,"time":0,"process":"supervisor","type":"info","f":"start","value":{)"
    R"("experiment":"e","lock":"none","workload":"inventory","write":"read-modify-write","seed":1,)"
    R"("lease_ns":500000000,"grace_ns":0,"duration_ns":0,"clients":2,"nodes":1,"initial_stock":5,)"
    R"("keys":["item-0"],"faults":[],"claims":["exclusion"],"expect":{}}})"
    "\n";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? "nothing to replace: " + from
                                 : text.replace(at, from.size(), to);
}

struct Refusal {
  std::string name;
  std::string text;
  std::string message;
};

void ExpectRefused(const Refusal& refusal) {
  const Result<History> read = ReadJsonlText(refusal.text);
  ASSERT_FALSE(read.has_value()) << refusal.name;
  EXPECT_EQ(read.error().message, "h.jsonl:" + refusal.message) << refusal.name;
  EXPECT_EQ(read.error().code, ExitCode::kBadInput);
  EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
}

TEST(Jsonl, ABadStartLineIsRefusedWithItsReason) {
  const std::string event =
      R"({"index":0,"time":0,"process":1,"type":"invoke","f":"wait","key":"k","value":{}})";
  const auto with = [](const std::string& from, const std::string& to) {
    return Replaced(kStart, from, to);
  };
  for (const Refusal& refusal : std::vector<Refusal>{
           {"empty", "", "1: the file is empty; a history begins with a start line"},
           {"no start", event, "1: a history begins with a line whose 'f' is 'start'"},
           {"a list", "[1,2]\n", "1: not a JSON object"},
           {"a number", "7\n", "1: not a JSON object"},
           {"garbage", std::string("\x00\xff\x01", 3) + "\n", "1: not valid JSON"},
           {"invalid UTF-8", with("inventory", "inv\xffntory"), "1: not valid JSON"},
           {"cut", std::string(kStart).substr(0, 100),
            "1: not valid JSON; the file is cut off here"},
           {"no lock", with(R"("lock":"none",)", ""), "1: field 'value.lock' is missing"},
           {"misspelt", with("lease_ns", "leas_ns"),
            "1: field 'value.leas_ns' is unknown (did you mean 'lease_ns'?)"},
           {"no value", with("\"value\"", "\"valu\""),
            "1: field 'valu' is unknown (did you mean 'value'?)"},
           {"no value, on one line", with("\"value\"", R"("valu\n")"),
            R"(1: field 'valu\n' is unknown (did you mean 'value'?))"},
           {"unknown field", with(R"("nodes":1)", R"("nodes":1,"nods":1)"),
            "1: field 'value.nods' is unknown (did you mean 'nodes'?)"},
           {"no lease", with("500000000", "0"),
            "1: field 'value.lease_ns' is 0, outside 1 to 2305843009213693952"},
           {"huge", with("500000000", "1e400"), "1: not valid JSON"},
           {"huge whole", with("500000000", "9223372036854775808"),
            "1: field 'value.lease_ns' is 9223372036854775808, outside 1 to 2305843009213693952"},
           {"float", with("500000000", "0.5"), "1: field 'value.lease_ns' is not a whole number"},
           {"negative seed", with(R"("seed":1)", R"("seed":-1)"),
            "1: field 'value.seed' is -1, outside 0 to 18446744073709551615"},
           {"keys", with(R"(["item-0"])", R"(["item-0",1])"),
            "1: field 'value.keys[1]' is not a string"},
           {"key twice", with(R"(["item-0"])", R"(["a","a"])"),
            "1: field 'value.keys' names a key twice"},
           {"outcome", with(R"("expect":{})", R"("expect":{"stock":"vallid"})"),
            "1: field 'value.expect.stock' is 'vallid', which is unknown (did you mean 'valid'?)"},
           {"library", with(R"("expect":{})", R"("expect":{},"library":{"name":"redis-py"})"),
            "1: field 'value.library.version' is missing"},
           {"cause", with(R"("expect":{})", R"("expect":{},"expect_cause":{"stock":"stopped"})"),
            "1: field 'value.expect_cause.stock' is not a list"},
           {"fault",
            with(R"("faults":[])", R"("faults":[{"name":"a","kind":"b","what":1,"planned":1}])"),
            "1: field 'value.faults[0].what' is not a string"},
           {"fewer events", with(R"("expect":{})", R"("expect":{},"events":3)"),
            "2: the file is cut off: 0 events of 3"},
       }) {
    ExpectRefused(refusal);
  }
}

TEST(Jsonl, ABadEventIsRefusedWithItsLineAndReason) {
  const std::string good =
      R"({"index":1,"time":10,"process":1,"type":"ok","f":"acquire","key":"item-0",)"
      R"("value":{"hold":1,"valid_until_ns":5,"token":0}})"
      "\n";
  ASSERT_TRUE(ReadJsonlText(kStart + good).has_value());
  ASSERT_TRUE(ReadJsonlText(kStart + good.substr(0, good.size() - 1)).has_value());
  const auto with = [&good](const std::string& from, const std::string& to) {
    return kStart + Replaced(good, from, to);
  };
  for (const Refusal& refusal : std::vector<Refusal>{
           {"cut", kStart + good.substr(0, 50), "2: not valid JSON; the file is cut off here"},
           {"empty line", kStart + std::string("\n") + good, "2: not valid JSON"},
           {"a second start", std::string(kStart) + kStart, "2: field 'index' is 0, not 1"},
           {"index", with(R"("index":1)", R"("index":2)"), "2: field 'index' is 2, not 1"},
           {"index type", with(R"("index":1)", R"("index":"1")"),
            "2: field 'index' is not a whole number"},
           {"no index", with(R"("index":1,)", ""), "2: field 'index' is missing"},
           {"no time", with(R"("time":10,)", ""), "2: field 'time' is missing"},
           {"no process", with(R"("process":1,)", ""), "2: field 'process' is missing"},
           {"no type", with(R"("type":"ok",)", ""), "2: field 'type' is missing"},
           {"no f", with(R"("f":"acquire",)", ""), "2: field 'f' is missing"},
           {"no key", with(R"("key":"item-0",)", ""), "2: field 'key' is missing"},
           {"no token", with(R"(,"token":0)", ""), "2: field 'value.token' is missing"},
           {"negative", with(R"("time":10)", R"("time":-1)"),
            "2: field 'time' is -1, outside 0 to 9223372036854775807"},
           {"huge", with(R"("time":10)", R"("time":18446744073709551615)"),
            "2: field 'time' is 18446744073709551615, outside 0 to 9223372036854775807"},
           {"huger", with(R"("time":10)", R"("time":99999999999999999999999)"),
            "2: field 'time' is not a whole number"},
           {"process 3", with(R"("process":1)", R"("process":3)"),
            "2: field 'process' is 3, which is unknown (1 to 2, \"referee\", \"supervisor\" or "
            "\"node 1\")"},
           {"process 0", with(R"("process":1)", R"("process":0)"),
            "2: field 'process' is 0, which is unknown (1 to 2, \"referee\", \"supervisor\" or "
            "\"node 1\")"},
           {"process word", with(R"("process":1)", R"("process":"clinet")"),
            "2: field 'process' is \"clinet\", which is unknown (1 to 2, \"referee\", "
            "\"supervisor\" or \"node 1\")"},
           {"a node's number", with(R"("process":1)", R"("process":"node 1x")"),
            "2: field 'process' is \"node 1x\", which is unknown (1 to 2, \"referee\", "
            "\"supervisor\" or \"node "
            "1\")"},
           {"a node that acquires", with(R"("process":1)", R"("process":"node 1")"),
            "2: process \"node 1\" records acquire; a node may record only stalls"},
           {"f", with("acquire", "aquire"),
            "2: field 'f' is 'aquire', which is unknown (did you mean 'acquire'?)"},
           {"a new f", with("acquire", "late-rely"),
            "2: field 'f' is 'late-rely', which is unknown (did you mean 'late-reply'?)"},
           {"type", with(R"("ok")", R"("okay")"),
            "2: field 'type' is 'okay', which is unknown (did you mean 'ok'?)"},
           {"task", with(R"("f":)", R"("task":"watchdg","f":)"),
            "2: field 'task' is 'watchdg', which is unknown (did you mean 'watchdog'?)"},
           {"field", with(R"("f":)", R"("tme":1,"f":)"),
            "2: field 'tme' is unknown (did you mean 'time'?)"},
           {"value field", with("token", "tokn"),
            "2: field 'value.tokn' is unknown (did you mean 'token'?)"},
           {"value out of bounds", with(R"("token":0)", R"("token":9000000000000000000)"),
            "2: value 9000000000000000000 is out of bounds"},
           {"far time", with(R"("time":10)", R"("time":9000000000000000000)"),
            "2: time 9000000000000000000 is too large"},
           {"value", with(R"("token":0)", R"("token":"0")"),
            "2: field 'value.token' is not a whole number"},
           {"hold", with(R"("hold":1)", R"("hold":-1)"),
            "2: field 'value.hold' is -1, outside 0 to 18446744073709551615"},
           {"key", with("item-0", "item-1"),
            "2: field 'key' is 'item-1', which is unknown (did you mean 'item-0'?)"},
           {"a list as a process", with(R"("process":1)", R"("process":[[1]])"),
            "2: field 'process' is a list, which is unknown (1 to 2, \"referee\", \"supervisor\" "
            "or "
            "\"node 1\")"},
           {"decreasing", kStart + good + Replaced(Replaced(good, ":10,", ":9,"), ":1,", ":2,"),
            "3: field 'time' is 9, before 10"},
       }) {
    ExpectRefused(refusal);
  }
}

TEST(Jsonl, NoFlippedByteOrCutCrashesTheReader) {
  const std::string whole =
      kStart +
      std::string(R"({"index":1,"time":10,"process":1,"type":"ok","f":"acquire","key":"item-0",)"
                  R"("value":{"hold":1,"valid_until_ns":5,"token":0}})"
                  "\n");
  Prng prng(1, "garble");
  for (int64_t i = NumTrials(20'000); i > 0; --i) {
    std::string garbled =
        whole.substr(0, prng.Below(8) == 0 ? prng.Below(whole.size()) : whole.size());
    for (uint64_t flips = prng.Below(4); flips > 0 && !garbled.empty(); --flips) {
      garbled[prng.Below(garbled.size())] = static_cast<char>(prng.Below(256));
    }
    const Result<History> read = ReadJsonlText(garbled);
    EXPECT_TRUE(read || read.error().message.starts_with("h.jsonl:"));
  }
}

TEST(Jsonl, AMissingFileIsRefused) {
  EXPECT_EQ(ReadJsonlFile("/nonexistent/h.jsonl").error().message,
            "/nonexistent/h.jsonl: cannot be read: no such file");
  EXPECT_EQ(ReadJsonlFile("/").error().message, "/: is a folder, not a history");
}

TEST(History, SortingKeepsTheOrderOfEqualTimesWithinAWriter) {
  std::vector<Event> events;
  for (uint64_t writer = 0; writer < 3; ++writer) {
    for (uint64_t i = 0; i < 100; ++i) {
      events.push_back({.at_ns = static_cast<int64_t>(i / 10), .hold = writer * 1000 + i});
    }
  }
  SortByTime(events);
  for (size_t i = 1; i < events.size(); ++i) {
    ASSERT_LE(events[i - 1].at_ns, events[i].at_ns);
    ASSERT_TRUE(events[i - 1].at_ns < events[i].at_ns || events[i - 1].hold < events[i].hold);
  }
}

}  // namespace
}  // namespace doublehold
