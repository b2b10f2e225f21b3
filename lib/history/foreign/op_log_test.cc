#include "lib/history/foreign/op_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace doublehold {
namespace {

struct Kept {
  int64_t line = 0;
  int64_t at = 0;
  int64_t time_ns = 0;
  int32_t process = 0;
  EventType type = EventType::kInvoke;
  std::string function;
  std::string value;
  std::string key;
};

struct Log {
  std::vector<Kept> events;
  OpLogFacts facts;
  Skips skips{"h", false};
};

Result<Log> ReadOpLogText(std::string_view text, bool lenient = false,
                          LogFormat format = LogFormat::kJsonLines, const LogWords& words = {}) {
  TextSource source(text, "h");
  Log log{.events = {}, .facts = {}, .skips = {"h", lenient}};
  const Result<OpLogFacts> facts = ReadOpLog(
      source, format, log.skips,
      [&](const LogEvent& event, const OpLogFacts&) {
        log.events.push_back({event.line, event.at, event.time_ns, event.process, event.type,
                              std::string(event.function), event.value.Canonical(),
                              event.key.Canonical()});
        return Result<void>();
      },
      words);
  if (!facts) return tl::unexpected(facts.error());
  log.facts = *facts;
  return log;
}

TEST(OpLog, AnEventWithAnotherWordForTheProcessNamesTheOptionThatReadsIt) {
  const std::string_view text =
      "{\"worker\":1,\"type\":\"begin\",\"f\":\"lock\",\"ts\":5}\n"
      "{\"worker\":1,\"type\":\"ok\",\"f\":\"lock\",\"ts\":7}\n";
  const Result<Log> refused = ReadOpLogText(text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "h:1: no 'process'; if its 'worker' is the process, add --map worker=process");
  LogWords words{{"worker", "process"}, {"begin", "invoke"}, {"lock", "acquire"}, {"ts", "time"}};
  const Result<Log> log = ReadOpLogText(text, false, LogFormat::kJsonLines, words);
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->events.size(), 2U);
  EXPECT_EQ(log->events[0].process, 1);
  EXPECT_EQ(log->events[0].type, EventType::kInvoke);
  EXPECT_EQ(log->events[0].function, "acquire");
  EXPECT_EQ(log->events[1].time_ns, 7);
  words.emplace_back("unlokc", "release");
  const Result<Log> unseen = ReadOpLogText(text, false, LogFormat::kJsonLines, words);
  ASSERT_FALSE(unseen);
  EXPECT_EQ(unseen.error().message, "h: --map names 'unlokc', but the log does not have it");
}

TEST(OpLog, ReadsJsonLinesAndLeavesOutProcessesThatAreNotClients) {
  const Result<Log> log = ReadOpLogText(
      "{\"process\":1,\"type\":\"invoke\",\"f\":\"acquire\",\"time\":5,\"key\":\"k\"}\n\n"
      "{\"process\":\"nemesis\",\"type\":\"info\",\"f\":\"start\",\"time\":6}\n"
      "{\"process\":1,\"type\":\"ok\",\"f\":\"acquire\",\"time\":7,\"value\":3}\n");
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->events.size(), 2U);
  EXPECT_FALSE(log->facts.ours);
  EXPECT_TRUE(log->facts.timed);
  EXPECT_EQ(log->events[0].line, 1);
  EXPECT_EQ(log->events[0].time_ns, 5);
  EXPECT_EQ(log->events[0].key, "1\"k\"");
  EXPECT_EQ(log->events[1].line, 4);
  EXPECT_EQ(log->events[1].type, EventType::kOk);
  EXPECT_EQ(log->events[1].value, "3");
}

TEST(OpLog, WithoutTimesThePositionOrdersEvents) {
  const Result<Log> log =
      ReadOpLogText("{:process 1 :type :invoke :f :read} {:process 1 :type :ok :f :read :value 4}",
                    false, LogFormat::kEdn);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_FALSE(log->facts.timed);
  EXPECT_EQ(log->events[0].at, 0);
  EXPECT_EQ(log->events[1].at, 1);
}

TEST(OpLog, AnIndexOrdersEventsOfOneTimeExceptInDoubleholdsHistories) {
  const auto places = [](const std::string& start, const char* second) {
    const Result<Log> log =
        ReadOpLogText(start +
                      R"({"process":1,"type":"invoke","f":"read","time":5,"index":1})"
                      "\n" +
                      R"({"process":2,"type":"invoke","f":"read","time":5)" + second + "}");
    EXPECT_TRUE(log) << log.error().message;
    return log ? log->events[1].at - log->events[0].at : -1;
  };
  EXPECT_EQ(places("", R"(,"index":2)"), 1);
  EXPECT_EQ(places("", ""), 0);
  EXPECT_EQ(
      places(R"({"process":"supervisor","type":"info","f":"start","time":0,"value":{"events":2}})"
             "\n",
             R"(,"index":2)"),
      0);
}

TEST(OpLog, AProcessNumberMayBeWrittenInAnyForm) {
  const Result<Log> log = ReadOpLogText(R"({"process":1.0,"type":"invoke","f":"acquire"})"
                                        "\n"
                                        R"({"process":1,"type":"ok","f":"acquire"})");
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->events.size(), 2U);
  EXPECT_EQ(log->events[0].process, log->events[1].process);
}

TEST(OpLog, EventsOfANemesisAreLeftOutWhateverTheirType) {
  for (const char* type : {"info", "invoke"}) {
    const Result<Log> log = ReadOpLogText(R"({"process":"nemesis","type":")" + std::string(type) +
                                          R"(","f":"start"})"
                                          "\n"
                                          R"({"process":1,"type":"ok","f":"acquire"})");
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ(log->events.size(), 1U);
  }
}

TEST(OpLog, DoubleholdsExportAsEdnIsRecognised) {
  const Result<Log> log = ReadOpLogText(
      "{:process :supervisor, :type :info, :f :start, :time 0, :value {:events 2}}\n"
      "{:process 2, :type :invoke, :f :acquire, :time 1}\n"
      "{:process 2, :task :watchdog, :type :invoke, :f :extend, :time 1}",
      false, LogFormat::kEdn);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_TRUE(log->facts.ours);
  EXPECT_EQ(log->events.size(), 1U);
}

TEST(OpLog, SessionsOfDoubleholdsClientsAreSeparateProcesses) {
  const Result<Log> log = ReadOpLogText(
      R"({"process":"supervisor","type":"info","f":"start","time":0,"value":{"events":3}})"
      "\n"
      R"({"process":2,"thread":1,"type":"invoke","f":"acquire","time":1})"
      "\n"
      R"({"process":2,"type":"invoke","f":"acquire","time":1})"
      "\n"
      R"({"process":2,"task":"watchdog","type":"invoke","f":"extend","time":1})");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_TRUE(log->facts.ours);
  EXPECT_TRUE(log->facts.renewed);
  ASSERT_EQ(log->events.size(), 2U);
  EXPECT_NE(log->events[0].process, log->events[1].process);
}

TEST(OpLog, OnlyInDoubleholdsHistoriesATaskIsNotAClient) {
  const Result<Log> log =
      ReadOpLogText(R"({"process":0,"type":"invoke","f":"extend","task":"watchdog"})");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->events.size(), 1U);
  EXPECT_FALSE(log->facts.renewed);
}

TEST(OpLog, ALibraryMayExtendLeasesUnseenUnlessItsAbilitiesExcludeThis) {
  const struct {
    const char* facts;
    bool renewed;
  } cases[] = {{R"("events":1)", false},
               {R"("library":{"can":["lease","token"]})", false},
               {R"("library":{"can":["lease","watchdog"]})", true},
               {R"("library":{"can":["token"]})", true},
               {R"("library":{"name":"an old one"})", true}};
  for (const auto& c : cases) {
    const Result<Log> log = ReadOpLogText(
        R"({"process":"supervisor","type":"info","f":"start","time":0,"value":{)" +
        std::string(c.facts) + "}}\n" + R"({"process":2,"type":"invoke","f":"acquire","time":1})");
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ(log->facts.renewed, c.renewed) << c.facts;
  }
}

TEST(OpLog, MalformedEventsAreRefusedOrSkippedWhenLenient) {
  const std::string good = R"({"process":1,"type":"ok","f":"a"})";
  struct {
    std::string text;
    std::string_view message;
    SkipReason reason = SkipReason::kNoEvent;
  } const cases[] = {
      {"{\"process\":1", "h:1: not JSON", SkipReason::kGarbled},
      {"[1]", "h:1: not a map"},
      {"{\"process\":1,\"f\":\"a\"}",
       "h:1: no 'type'; if another field is the type, add --map FIELD=type, or name the fields of "
       "start, end and ok"},
      {"{\"process\":1,\"type\":\"okay\",\"f\":\"a\"}",
       "h:1: its type 'okay' is unknown (did you mean 'ok'?)"},
      {"{\"process\":1,\"type\":7,\"f\":\"a\"}",
       "h:1: its type is not one of invoke, ok, fail, info"},
      {R"({"worker":1,"f":"a","start":1,"end":2,"ok":true})",
       "h:1: no 'process'; if its 'worker' is the process, add --map worker=process"},
      {R"({"process":1,"op":"a","start":1,"end":2,"ok":true})",
       "h:1: no 'f'; if its 'op' is the function, add --map op=f"},
      {R"({"process":1,"f":"a","start":1,"end":2,"success":true})",
       "h:1: no 'ok'; if its 'success' is the result, add --map success=ok"},
      {R"({"process":1,"f":"a","start":1,"end":2,"ok":"okk"})",
       "h:1: its ok 'okk' is unknown (did you mean 'ok'?)"},
      {R"({"process":1,"f":"a","start":3,"end":2,"ok":true})", "h:1: its end is before its start",
       SkipReason::kNoTime},
      {R"({"process":1,"f":"a","start":3,"end":"noon","ok":true})",
       "h:1: its 'end' is not a time: ns, seconds with a fraction, or a date such as "
       "2024-03-30T10:43:30Z",
       SkipReason::kNoTime},
      {good + "\n"
              R"({"process":1,"f":"a","start":1,"end":2,"ok":true})",
       "h:2: it has a start and an end, unlike earlier lines"},
      {"{\"process\":1,\"type\":\"ok\",\"f\":7}", "h:1: its 'f' is not a word"},
      {"{\"process\":-1,\"type\":\"ok\",\"f\":\"a\"}", "h:1: its process is out of range"},
      {"{\"process\":99999999,\"type\":\"ok\",\"f\":\"a\"}", "h:1: its process is out of range"},
      // If this were accepted, such a client would be mistaken for a nemesis and skipped silently.
      {R"({"process":"1","type":"invoke","f":"a"})", "h:1: its process is not a number"},
      {R"({"process":1.5,"type":"fail","f":"a"})", "h:1: its process is not a number"},
      {"[\"\xff\"]", "h:1: not UTF-8", SkipReason::kNotUtf8},
      {"[\"" + std::string(FormReader::kMostBytes, 'x') + "\"]", "h:1: longer than 16 MiB",
       SkipReason::kTooLong},
      {R"({"process":1,"type":"ok","f":"a","time":1})"
       "\n" +
           good,
       "h:2: it has no time, unlike that of line 1", SkipReason::kNoTime},
      {good + "\n"
              R"({"process":1,"type":"ok","f":"a","time":1})",
       "h:2: it has a time, unlike that of line 1", SkipReason::kNoTime},
      {R"({"process":1,"type":"ok","f":"a","index":7})"
       "\n"
       R"({"process":1,"type":"ok","f":"a","index":7})",
       "h:2: its index 7 comes after 7", SkipReason::kIndexGoesBack},
      {R"({"process":"supervisor","type":"info","f":"start","value":{"events":3}})"
       "\n" +
           good,
       "h:4: the file is cut off: 2 events of 3", SkipReason::kGarbled},
  };
  for (const auto& c : cases) {
    const std::string text = c.text + "\n" + good;
    const Result<Log> strict = ReadOpLogText(text);
    ASSERT_FALSE(strict) << c.message;
    EXPECT_EQ(strict.error().message, c.message);
    const Result<Log> lenient = ReadOpLogText(text, true);
    ASSERT_TRUE(lenient) << c.message << lenient.error().message;
    EXPECT_GE(lenient->skips.Of(c.reason).count, 1) << c.message;
    EXPECT_EQ(lenient->skips.weight(), SkipWeight::kAnything);
    EXPECT_GE(lenient->events.size(), 1U);
  }
  EXPECT_EQ(ReadOpLogText("").error().message, "h: has no operation of a client");
}

// Returns "5 1 invoke acquire", ... for the events: time, process, type and function.
std::string Told(const Result<Log>& log) {
  if (!log) return log.error().message;
  std::string told;
  for (const Kept& event : log->events) {
    told += fmt::format("{}{} {} {} {}", told.empty() ? "" : ", ", event.time_ns, event.process,
                        Name(event.type), event.function);
  }
  return told;
}

TEST(OpLog, AnOperationInOneLineHasItsEventsInTheOrderOfTheirTimes) {
  const std::string_view csv =
      "worker,begin,end,action,granted,key\n2,7,9,lock,false,k\n1,5,8,lock,True,k\n"
      "1,8,8,lock,,k\n1,8,,unlock,,k\n";
  const LogWords words{{"worker", "process"}, {"begin", "start"},  {"action", "f"},
                       {"granted", "ok"},     {"lock", "acquire"}, {"unlock", "release"}};
  const Result<Log> log = ReadOpLogText(csv, false, LogFormat::kCsv, words);
  EXPECT_EQ(Told(log),
            "5 1 invoke acquire, 7 2 invoke acquire, 8 1 ok acquire, 8 1 invoke acquire, "
            "8 1 info acquire, 8 1 invoke release, 9 2 fail acquire");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->events[2].line, 3);
  EXPECT_EQ(log->events[2].at, log->events[3].at);  // equal times have no order
  EXPECT_EQ(log->events[2].key, "1\"k\"");
}

TEST(OpLog, StartAndEndMayBeSecondsOrDates) {
  const auto line = [](const char* start, const char* end) {
    return fmt::format(R"({{"process":1,"f":"a","start":{},"end":{},"ok":true}})"
                       "\n",
                       start, end);
  };
  // The second line shows that the first one's times are seconds.
  EXPECT_EQ(Told(ReadOpLogText(line("1", "2") + line("2.5", "3"))),
            "1000000000 1 invoke a, 2000000000 1 ok a, 2500000000 1 invoke a, 3000000000 1 ok a");
  EXPECT_EQ(Told(ReadOpLogText(
                line("\"1970-01-01T00:00:01.5Z\"", "\"1970-01-01 02:00:02,000000007+02:00\""))),
            "1500000000 1 invoke a, 2000000007 1 ok a");
  EXPECT_EQ(Told(ReadOpLogText(line("1", "2") + line("2", "\"1970-01-01T00:00:01.5Z\""))),
            "h:2: its times are not of the first operation's kind: dates, or numbers");
}

TEST(OpLog, CsvFieldsAreReadAsWrittenOrRefused) {
  const std::string whole = "process,f,start,end,ok,key,value\n";
  const std::string event = "process,type,f,time\n";
  const std::string two_units =
      "its times are in two units: seconds with a fraction, and whole numbers that are too large "
      "for seconds";
  const struct {
    std::string text, told;
    LogWords words{};
  } cases[] = {
      {whole + "1,a,1711795411000000000,1711795412000000000,true,,\n2,a,0.5,0.6,true,,\n",
       "h:3: " + two_units},
      {whole + "1,a,10.5,1711795411000000000,true,,\n", "h:2: " + two_units},
      {whole + "1,a,1711795410.000000100,1711795410.000000110,true,,\n",
       "1711795410000000100 1 invoke a, 1711795410000000110 1 ok a"},
      {whole + "1,a,-0.25,1e1,true,,\n", "-250000000 1 invoke a, 10000000000 1 ok a"},
      {whole + "1,a,1,,true,,\n", "h:2: its result is ok, but it has no end"},
      {whole + "1,a,1,,,,\n", "1 1 invoke a"},
      {event + "1,invoke,a,1.5\n1,ok,a,1.75\n", "1500000000 1 invoke a, 1750000000 1 ok a"},
      {event + "1,invoke,a,1970-01-01T00:00:01Z\n", "1000000000 1 invoke a"},
      {event + "1,invoke,a,1.5\n1,ok,a,2\n",
       "h:3: its 'time' is not of the first time's kind: ns, seconds with a fraction, or a date"},
      {event + "1,invoke,a,noon\n",
       "h:2: its 'time' is not a time: ns, seconds with a fraction, or a date such as "
       "2024-03-30T10:43:30Z"},
      {"process,f,start,end,ok,type\n1,a,1,2,,fail\n", "1 1 invoke a, 2 1 fail a"},
      {"process,f,start,end,ok,type\n1,a,1,2,true,ok\n", "1 1 invoke a, 2 1 ok a"},
      {"process,f,start,end,ok,type\n1,a,1,2,true,fail\n",
       "h:2: its ok and its type contradict each other"},
      {"process,f,start,end,ok,key,key\n1,a,1,2,true,k,l\n", "h:1: the header names 'key' twice"},
      {"process,f,t0,start,end,ok\n1,a,5,1,9,true\n",
       "h:2: two of its fields stand for 'start'",
       {{"t0", "start"}}},
      {"process,f,start,end,ok,,\n1,a,1,2,true,,\n", "1 1 invoke a, 2 1 ok a"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(Told(ReadOpLogText(c.text, false, LogFormat::kCsv, c.words)), c.told) << c.text;
}

TEST(OpLog, CsvKeysAreWholeNumbersOrTexts) {
  const struct {
    const char* key;
    const char* read;
  } cases[] = {{"7", "7"},
               {"7.0", "7"},
               {"007", "3\"007\""},
               {"12e4", "4\"12e4\""},
               {"1.10", "4\"1.10\""},
               {"9007199254740993.0", "18\"9007199254740993.0\""}};
  for (const auto& c : cases) {
    for (const std::string text :
         {"process,f,start,end,ok,key\n1,a,1,2,true,{}\n", "process,f,type,key\n1,a,invoke,{}\n"}) {
      const Result<Log> log =
          ReadOpLogText(fmt::format(fmt::runtime(text), c.key), false, LogFormat::kCsv);
      ASSERT_TRUE(log) << log.error().message;
      EXPECT_EQ(log->events[0].key, c.read);
    }
  }
}

TEST(OpLog, InAListOfCsvNullIsNilAndAQuotedNullIsAText) {
  const Result<Log> log = ReadOpLogText(
      "process,type,f,value\n1,invoke,cas,\"[null, nil, \"\"null\"\"]\"\n", false, LogFormat::kCsv);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->events[0].value, "[nil,nil,4\"null\"]");
}

TEST(OpLog, AFlatLineHasItsTokenAndLeaseAsItsValue) {
  const Result<Log> log = ReadOpLogText("process,type,f,token\n1,invoke,acquire,\n1,ok,acquire,7\n",
                                        false, LogFormat::kCsv);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->events[0].value, "nil");
  EXPECT_NE(log->events[1].value.find("5\"token\" 7"), std::string::npos);
}

TEST(OpLog, TheWorstSkippedEventDeterminesTheWeight) {
  Skips skips("h", true);
  EXPECT_EQ(skips.weight(), SkipWeight::kNothing);
  for (const SkipWeight weight :
       {SkipWeight::kConstraint, SkipWeight::kAnything, SkipWeight::kNothing}) {
    ASSERT_TRUE(skips.Add(1, SkipReason::kGarbled, weight, "wrong"));
  }
  EXPECT_EQ(skips.weight(), SkipWeight::kAnything);
}

}  // namespace
}  // namespace doublehold
