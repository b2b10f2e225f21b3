#include "lib/history/csv.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace doublehold {
namespace {

std::string CsvOf(const History& history) {
  std::ostringstream out;
  WriteCsv(history, out);
  return out.str();
}

// Returns the rows of a history's events, without the header and the facts.
std::vector<std::string> RowsOf(const History& history) {
  std::vector<std::string> rows;
  std::istringstream in(CsvOf(history));
  for (std::string row; std::getline(in, row);) rows.push_back(row);
  EXPECT_GE(rows.size(), 2U);
  return {rows.begin() + 2, rows.end()};
}

Result<History> ReadCsvText(std::string_view text) {
  TextSource source(text, "h.csv", 7);
  EXPECT_TRUE(IsOwnCsv(source));
  return ReadCsv(source);
}

std::string ReplaceEach(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// With a key that needs quotes, a watchdog, threads, a stall, and a value named `task`.
const History kSmall{
    .facts = {.experiment = "x, \"y\"",
              .lock = "none",
              .workload = "tasks",
              .seed = 7,
              .lease = Lease(9),
              .grace = Duration(5),
              .clients = 2,
              .nodes = 1,
              .keys = {"a,\"b\"\r\n", ""},
              .claims = {"exclusion"},
              .expect = {{"exclusion", "violated"}}},
    .events = {{.at_ns = 4, .hold = 3, .client = 1, .op = Op::kSave, .thread = 2, .value = {8}},
               {.at_ns = 5,
                .hold = 3,
                .client = 2,
                .key = 1,
                .op = Op::kExtend,
                .task = TaskKind::kWatchdog,
                .value = {7}},
               {.at_ns = 6,
                .client = OfServer(1),
                .op = Op::kStall,
                .type = EventType::kInfo,
                .task = TaskKind::kMeter,
                .value = {-7, 0, 0, 9}}}};

TEST(Csv, IsReadBackAsItWasWritten) {
  const std::string text = CsvOf(kSmall);
  const std::string lf = ReplaceEach(ReplaceEach(text, "\"a,\"\"b\"\"\r\n\"", "KEY"), "\r\n", "\n");
  for (const std::string& each :
       {text, "\xEF\xBB\xBF" + text, ReplaceEach(lf, "KEY", "\"a,\"\"b\"\"\r\n\"")}) {
    const Result<History> read = ReadCsvText(each);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->facts, kSmall.facts);
    EXPECT_EQ(read->events, kSmall.events);
  }
}

TEST(Csv, AFileThatIsNotAHistoryIsRefusedWithItsLine) {
  History history = kSmall;
  history.facts.keys = {"k", "l"};
  const std::string text = CsvOf(history);
  const struct {
    std::string text, message;
  } cases[] = {
      {ReplaceEach(text, ",invoke,extend", ",invoke,extent"),
       "h.csv:4: field 'f' is 'extent', which is unknown (did you mean 'extend'?)"},
      {ReplaceEach(text, ",session,invoke", ",session,begin"),
       "h.csv:3: field 'type' is 'begin', which is unknown (one of: fail, info, invoke, ok)"},
      {ReplaceEach(text, ",thread,", ",thread,x,"),
       "h.csv:2: has 47 fields, and the header has 48"},
      {text.substr(0, text.rfind("3,6")), "h.csv:5: the file is cut off: 2 events of 3"},
      {text.substr(0, text.find("0,0,")) + text.substr(text.find("1,4,")),
       "h.csv:2: a history begins with a line whose 'f' is 'start'"},
      {ReplaceEach(text, "2,5,2,", "2,x,2,"), "h.csv:4: field 'time' is not a whole number"},
      {"run,index,time_ns,process,thread,task_kind,type,f,key,hold\n"
       "5,0,0,supervisor,0,session,info,start,,3\n",
       "h.csv:2: column 'run' is not a JSON object"},
      {"run,index,time_ns,process,thread,task_kind,type,f,key,hold\n"
       "{,0,0,supervisor,0,session,info,start,,\n",
       "h.csv:2: column 'run' is not a JSON object"},
      {ReplaceEach(text, ",keys,", ",lease_ns,"), "h.csv:1: the header names 'lease_ns' twice"},
      {text + "\"", "h.csv:6: the file ends within a quoted field"},
  };
  for (const auto& each : cases) {
    const Result<History> read = ReadCsvText(each.text);
    ASSERT_FALSE(read) << each.message;
    EXPECT_EQ(read.error().message, each.message);
  }
}

// Returns the first eleven fields and the number of fields. No field of these has a comma.
std::string BeginningOf(const std::string& row) {
  size_t at = 0, commas = 0, end = row.size();
  for (; at < row.size(); ++at) {
    if (row[at] == ',' && ++commas == 12) end = at;
  }
  EXPECT_EQ(commas + 1, CsvColumns().size()) << row;
  return row.substr(0, end);
}

// Programs of users name these columns.
TEST(Csv, HasTheSameColumnsForEveryHistory) {
  const std::string text = CsvOf({});
  EXPECT_EQ(
      text.substr(0, text.find('\n') + 1),
      "index,time_ns,process,thread,task_kind,type,f,key,hold,lease_ns,keys,valid_until_ns,token,"
      "shared,retry_hint_ns,unchecked,stock,stock_read,stock_written,orders,budget_ns,"
      "waited_ns,pttl_ms,node,due_ns,fault,asked_ns,client,measured_ns,length_ns,records,status,"
      "task,first,second,timeout_ns,took_ns,of,came_ns,commands,bytes,definite,value0,value1,"
      "value2,value3,run\r\n");
  const std::vector<std::string> columns = CsvColumns();
  EXPECT_EQ(std::set(columns.begin(), columns.end()).size(), columns.size());
}

TEST(Csv, HasARowForEachEvent) {
  const Event acquired{.at_ns = 5,
                       .hold = 7,
                       .client = 2,
                       .op = Op::kAcquire,
                       .type = EventType::kOk,
                       .task = TaskKind::kWatchdog,
                       .thread = 3,
                       .value = {900, 0, 0, 0}};
  const Event asked{.at_ns = 6, .client = kReferee, .type = EventType::kInvoke, .value = {100}};
  const Event stalled{
      .at_ns = 8, .client = OfServer(1), .op = Op::kStall, .type = EventType::kInfo, .value = {44}};
  const std::vector<std::string> rows =
      RowsOf({.facts = {.keys = {"item-0"}}, .events = {acquired, asked, stalled}});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(BeginningOf(rows[0]), "1,5,2,3,watchdog,ok,acquire,item-0,7,,,900");
  EXPECT_EQ(BeginningOf(rows[1]), "2,6,referee,0,session,invoke,acquire,item-0,,100,,");
  EXPECT_EQ(BeginningOf(rows[2]), "3,8,node 1,0,session,info,stall,,,,,");
}

TEST(Csv, QuotesAKeyThatWouldEndItsField) {
  const struct {
    const char* key;
    const char* field;
  } cases[] = {{"item 0", "item 0"}, {"a,b", "\"a,b\""},           {"\"a\"", "\"\"\"a\"\"\""},
               {"a\nb", "\"a\nb\""}, {"st\xc3\xbc", "st\xc3\xbc"}, {"a\xff", "a\xef\xbf\xbd"}};
  for (const auto& each : cases) {
    const std::string text = CsvOf({.facts = {.keys = {each.key}}, .events = {Event{.client = 1}}});
    EXPECT_NE(text.find(std::string("invoke,acquire,") + each.field + ",,"), std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace doublehold
