// Properties of the readers of all formats: stretches, lines, limits, and detection of the format.
#include "lib/history/foreign/form_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lib/history/lines.h"

namespace doublehold {
namespace {

using Found = FormReader::Found;

// Returns "1:<form>" for each form and "2!<problem>" for each error.
std::vector<std::string> ReadFormReader(LogFormat format, std::string_view text, size_t stretch) {
  TextSource source(text, "x", stretch);
  const std::unique_ptr<FormReader> reader = MakeFormReader(format, source);
  std::vector<std::string> told;
  for (Found found = reader->Next(); found != Found::kEnd; found = reader->Next()) {
    const std::string line = std::to_string(reader->line());
    told.push_back(found == Found::kForm ? line + ":" + reader->form().Canonical()
                                         : line + "!" + reader->problem());
  }
  return told;
}

TEST(FormReader, ResultsDoNotDependOnTheStretches) {
  struct {
    LogFormat format;
    std::string_view text;
    std::vector<std::string> told;
  } const cases[] = {
      {LogFormat::kJsonLines,
       "{\"a\":[1,2.5,null,true,\"x\\ny\"]}\r\n\n {\"b\":{}}",
       {"1:{1\"a\" [1,2.5r,nil,true,3\"x\ny\"]}", "3:{1\"b\" {}}"}},
      {LogFormat::kJsonLines,
       "[18446744073709551615]\n[1]",
       {"1:[20\"18446744073709551615\"]", "2:[1]"}},
      {LogFormat::kJsonLines,
       "{\"a\":1\n{\"a\":2}\n[\"\xc3(\"]\n[3]",
       {"1!not JSON", "2:{1\"a\" 2}", "3!not UTF-8", "4:[3]"}},
      {LogFormat::kJsonArray,
       "\n[{\"a\":[1,{\"b\":\"]},\\\"[\"}]},\n  7 ,\n{\"c\"\n:2}\n]\n",
       {"2:{1\"a\" [1,{1\"b\" 5\"]},\"[\"}]}", "3:7", "4:{1\"c\" 2}"}},
      {LogFormat::kJsonArray, " [ ] ", {}},
      {LogFormat::kJsonArray, "[1,{],2", {"1:1", "1!not JSON", "1!the file ends within its array"}},
      {LogFormat::kJsonArray,
       "[1,x,[\"\xc3(\"],\n3] 4",
       {"1:1", "1!not JSON", "1!not UTF-8", "2:3", "2!unexpected text after the array"}},
      {LogFormat::kJsonArray, "[1,\n{\"a\":2", {"1:1", "2!the file ends within its array"}},
      {LogFormat::kJsonArray, "{\"a\":1}", {"1!not a JSON array"}},
      {LogFormat::kJsonArray, "", {"1!the file ends within its array"}},
      {LogFormat::kEdn, "#{2 1} {:b 1 :a 2}\n", {"1:<1,2>", "1:{1\"a\" 2,1\"b\" 1}"}},
      {LogFormat::kJepsenLog,
       "INFO  jepsen.core - starting\nINFO  jepsen.util - 3\t:invoke\t:cas\t[3 4]\n"
       "INFO  jepsen.util - 3\t:info\t:cas\t:timed-out \"more\"\nINFO  jepsen.util - 4 :ok\n",
       {"2:{1\"f\" 3\"cas\",4\"type\" 6\"invoke\",5\"value\" [3,4],7\"process\" 3}",
        "3:{1\"f\" 3\"cas\",4\"type\" 4\"info\",5\"value\" 9\"timed-out\",7\"process\" 3}",
        "4!the line ends before its f"}},
      // The console and history.txt. Line 2 tells of a process, and is no operation.
      {LogFormat::kJepsenLog,
       "[ 10:43:30.123 ] 2 :invoke :read nil\nINFO worker 2 :ok then\n"
       "2024-03-30 10:43:30,129{GMT}\tINFO\t[jepsen worker 2] jepsen.util: 2\t:ok\t:read\t7\r\n"
       "3\t:invoke\t:write\t[1 2]\n:nemesis\t:info\t:start\tnil\n4 :invoke\n",
       {"1:{1\"f\" 4\"read\",4\"type\" 6\"invoke\",5\"value\" nil,7\"process\" 2}",
        "3:{1\"f\" 4\"read\",4\"type\" 2\"ok\",5\"value\" 7,7\"process\" 2}",
        "4:{1\"f\" 5\"write\",4\"type\" 6\"invoke\",5\"value\" [1,2],7\"process\" 3}",
        "5:{1\"f\" 5\"start\",4\"type\" 4\"info\",5\"value\" nil,7\"process\" 7\"nemesis\"}",
        "6!the line ends before its f"}},
      {LogFormat::kCsv,
       "\xEF\xBB\xBFprocess,f,value\r\n1,\"a \"\"b\"\"\",-2.5\r\n\r\n"
       "2,\"c,\nd\",\"[3, \"\"x\"\"]\"\n-3,True,",
       {"2:{1\"f\" 5\"a \"b\"\",5\"value\" -2.5r,7\"process\" 1}",
        "4:{1\"f\" 4\"c,\nd\",5\"value\" [3,1\"x\"],7\"process\" 2}",
        "6:{1\"f\" true,5\"value\" nil,7\"process\" -3}"}},
      {LogFormat::kCsv,
       "a,b\n1\n\"1\"2,3\n\xc3(,1\n[1,2\n18446744073709551616,1e5\n\"1,2\n",
       {"2!has 1 fields, and the header has 2", "3!text after the end of a quoted field",
        "4!not UTF-8", "5!column 'a': the file ends before a ']'",
        "6:{1\"a\" 20\"18446744073709551616\",1\"b\" 100000}",
        "7!the file ends within a quoted field"}},
  };
  for (const auto& c : cases) {
    for (const size_t stretch : {1U, 2U, 5U, 16U, 1U << 20})
      EXPECT_EQ(ReadFormReader(c.format, c.text, stretch), c.told) << "in stretches of " << stretch;
  }
}

TEST(FormReader, ATooLongLineIsSkippedWithoutBeingKept) {
  const std::string text = "[1]\n[\"" + std::string(FormReader::kMostBytes + 1, 'x') + "\"]\n[3]\n";
  for (const LogFormat format : {LogFormat::kJsonLines, LogFormat::kEdn}) {
    const std::vector<std::string> told = ReadFormReader(format, text, TextSource::kStretch);
    // In EDN the elements of top-level vectors are top-level forms. The too long form hides its
    // vector's closing bracket, and the text after it does not look like an event.
    const std::vector<std::string> expected =
        format == LogFormat::kJsonLines
            ? std::vector<std::string>{"1:[1]", "2!longer than 16 MiB", "3:[3]"}
            : std::vector<std::string>{"1:1", "2!longer than 16 MiB",
                                       "4!the file ends within its vector"};
    std::string begins;  // the forms are too long to print
    for (const std::string& one : told) begins += one.substr(0, 40) + "\n";
    EXPECT_TRUE(told == expected) << begins;
  }
}

TEST(FormReader, DeepNestingIsRefused) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(ReadFormReader(LogFormat::kJsonLines, deep, 1 << 20).size(), 1U);
  EXPECT_EQ(ReadFormReader(LogFormat::kEdn, "{" + deep, 1 << 20),
            (std::vector<std::string>{"1!nested deeper than 100"}));
}

TEST(FormReader, TheFormatFollowsFromTheNameOrTheFirstLines) {
  struct {
    const char* name;
    std::string_view text;
    LogFormat format;
  } const cases[] = {
      {"h.edn", "", LogFormat::kEdn},
      {"h.jsonl", "{:a 1}", LogFormat::kJsonLines},
      {"h.txt", "{:process 0}", LogFormat::kEdn},
      {"h.txt", "\n { \"process\":0}", LogFormat::kJsonLines},
      {"h.txt", "; a comment\n", LogFormat::kEdn},
      {"h.txt", "[ {\"process\":0}]", LogFormat::kJsonArray},
      {"h.json", "[", LogFormat::kJsonArray},
      {"h.json", "{\"process\":0}\n", LogFormat::kJsonLines},
      {"h.txt", "[{:a 1}]", LogFormat::kEdn},
      {"h.log", "INFO  jepsen.core - x\nINFO  jepsen.util - 0 :invoke :read nil",
       LogFormat::kJepsenLog},
      {"history.txt", "0\t:invoke\t:read\tnil\n", LogFormat::kJepsenLog},
      {"h.log", "starting\n[ 10:43:30.123 ] 2 :invoke :read nil\n", LogFormat::kJepsenLog},
      {"h.txt", "[1 :invoke :read]", LogFormat::kEdn},
      {"h.log", "garbage", LogFormat::kJsonLines},
      {"h.csv", "", LogFormat::kCsv},
      {"h.txt", "worker,ts\n1,2\n", LogFormat::kCsv},
  };
  for (const auto& c : cases) {
    TextSource source(c.text, c.name, 3);
    EXPECT_EQ(FormatOf(source), c.format) << c.name << ": " << c.text;
    // Detecting the format consumes nothing.
    while (!source.at_end()) source.More();
    EXPECT_EQ(source.window(), c.text);
  }
}

TEST(TextSource, ReadsAFileAndRefusesAFolder) {
  const std::filesystem::path folder = ::testing::TempDir();
  const std::filesystem::path file = folder / "text_source_test.txt";
  const std::string text(3 * TextSource::kStretch + 17, 'x');
  std::ofstream(file) << text;
  Result<TextSource> source = TextSource::Open(file);
  ASSERT_TRUE(source);
  size_t bytes = 0;
  while (!source->at_end()) {
    source->More();
    bytes += source->window().size();
    source->Drop(source->window().size());
  }
  EXPECT_EQ(bytes, text.size());
  std::filesystem::remove(file);
  EXPECT_FALSE(TextSource::Open(file));
  EXPECT_FALSE(TextSource::Open(folder));
}

}  // namespace
}  // namespace doublehold
