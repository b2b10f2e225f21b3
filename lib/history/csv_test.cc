#include "lib/history/csv.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace doublehold {
namespace {

// Returns the rows of a history, without the header.
std::vector<std::string> RowsOf(const History& history) {
  std::ostringstream out;
  WriteCsv(history, out);
  std::vector<std::string> rows;
  std::istringstream in(out.str());
  for (std::string row; std::getline(in, row);) rows.push_back(row);
  EXPECT_FALSE(rows.empty());
  return {rows.begin() + 1, rows.end()};
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
  std::ostringstream out;
  WriteCsv({}, out);
  EXPECT_EQ(
      out.str(),
      "index,time_ns,process,thread,task_kind,type,f,key,hold,lease_ns,keys,valid_until_ns,token,"
      "shared,retry_hint_ns,unchecked,stock,stock_read,stock_written,orders,budget_ns,"
      "waited_ns,pttl_ms,node,due_ns,fault,asked_ns,client,measured_ns,length_ns,records,status,"
      "task,first,second,timeout_ns,took_ns,of,came_ns,commands,bytes,value0,value1,value2,"
      "value3\r\n");
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
    std::ostringstream out;
    WriteCsv({.facts = {.keys = {each.key}}, .events = {Event{.client = 1}}}, out);
    EXPECT_NE(out.str().find(std::string("invoke,acquire,") + each.field + ",,"), std::string::npos)
        << out.str();
  }
}

}  // namespace
}  // namespace doublehold
