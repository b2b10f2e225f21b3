#include "lib/history/foreign/edn.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace doublehold {
namespace {

using nlohmann::json;

json JsonOf(FormView form) {
  if (form.IsMap()) {
    json map = json::object();
    for (auto at = form.begin(); at != form.end(); ++at) {
      const json key = JsonOf(*at);
      map[key.is_string() ? key.get<std::string>() : key.dump()] = JsonOf(*++at);
    }
    return map;
  }
  if (form.IsSequence()) {
    json list = json::array();
    for (const FormView part : form) list.push_back(JsonOf(part));
    return list;
  }
  if (form.Integer()) return *form.Integer();
  if (form.Text()) return *form.Text();
  if (form.kind() == FormKind::kReal) return std::stod(form.Canonical());
  if (form.IsNil()) return nullptr;
  return form.kind() == FormKind::kTrue;
}

// Returns all forms of the text, or the error. Requires the same result for every way of cutting
// the text into stretches.
json Forms(std::string_view text) {
  json of_first;
  for (const size_t stretch : {1U, 2U, 3U, 7U, 1000U, 1U << 20}) {
    TextSource source(text, "x.edn", stretch);
    const std::unique_ptr<FormReader> reader = MakeEdnReader(source);
    json forms = json::array();
    FormReader::Found found = reader->Next();
    for (; found == FormReader::Found::kForm; found = reader->Next())
      forms.push_back(JsonOf(reader->form()));
    if (found != FormReader::Found::kEnd)
      forms = "x.edn:" + std::to_string(reader->line()) + ": " + reader->problem();
    if (stretch == 1) of_first = forms;
    EXPECT_EQ(forms, of_first) << text << " in stretches of " << stretch;
  }
  return of_first;
}

TEST(Edn, ReadsEveryKindOfForm) {
  struct {
    std::string_view text;
    const char* json;
  } const cases[] = {
      {"", "[]"},
      {"1 -2 +3 4N", "[1, -2, 3, 4]"},
      {"1.5 2e3 0.5M", "[1.5, 2000.0, 0.5]"},
      {"99999999999999999999 1/2", R"(["99999999999999999999", "1/2"])"},
      {"nil true false", "[null, true, false]"},
      {":a :b/c sym -", R"(["a", "b/c", "sym", "-"])"},
      {R"("a\"b\n")", R"(["a\"b\n"])"},
      {"\\c \\newline \\(", R"(["c", "newline", "("])"},
      {"{:a 1, 2 [3 (4)]}", R"([{"a": 1, "2": [3, [4]]}])"},
      {"{:s #{1 2}}", R"([{"s": [1, 2]}])"},
      {"#inst \"2026\" #jepsen.history.Op{:f :x}", R"(["2026", {"f": "x"}])"},
      {"; a comment\n{:a #_{:b 1} 2} ^:m {:c ##Inf}", R"([{"a": 2}, {"c": "Inf"}])"},
      {"[{:a 1} {:a 2}]", R"([{"a": 1}, {"a": 2}])"},
      {"({:a 1})", R"([{"a": 1}])"},
      {"[{:a 1}] [{:a 2}] {:a 3}", R"([{"a": 1}, {"a": 2}, {"a": 3}])"},
      {"#_#_ 1 2 3 #_[4 #_5 6] 7", "[3, 7]"},
  };
  for (const auto& c : cases) EXPECT_EQ(Forms(c.text), json::parse(c.json)) << c.text;
}

TEST(Edn, ReportsTheLineOfAnError) {
  struct {
    std::string_view text;
    std::string_view message;
  } const cases[] = {
      {"{:a 1\n:b", "x.edn:2: the file ends before a '}'"},
      {"\n{:a}", "x.edn:2: a map has a key without a value"},
      {"{:a 1}}", "x.edn:1: unmatched '}'"},
      {"\"abc", "x.edn:1: the file ends within a text"},
      {"[{:a 1}\n", "x.edn:2: the file ends within its vector"},
      {"#", "x.edn:1: the file ends after a '#'"},
      {"#_", "x.edn:1: the file ends within a form"},
      {"{:a )}", "x.edn:1: unmatched ')'"},
      {"{:a 1}\n\n{:a \"\xff\"}", "x.edn:3: not UTF-8"},
  };
  for (const auto& c : cases) EXPECT_EQ(Forms(c.text), c.message) << c.text;
  EXPECT_EQ(Forms("{:a " + std::string(1000, '[')), "x.edn:1: nested deeper than 100");
  std::string discards;
  for (int i = 0; i < 1000; ++i) discards += "#_";
  EXPECT_EQ(Forms(discards), "x.edn:1: nested deeper than 100");
}

TEST(Edn, WritesEventsThatReadBackEqual) {
  const json event = json::parse(
      R"({"index":3,"process":1,"type":"ok","f":"acquire","key":"dh:\"1\"","value":{"token":4,"all":[1,null,true]}})");
  const std::string text = EdnOfEvent(event);
  EXPECT_EQ(
      text,
      "{:f :acquire, :index 3, :key \"dh:\\\"1\\\"\", :process 1, :type :ok, :value {:all [1 nil "
      "true], :token 4}}");
  EXPECT_EQ(Forms(text), json::array({event}));
}

TEST(Edn, KnowsTheLineOfEachForm) {
  TextSource source("[{:a 1}\n\n {:a\n 2}]", "x.edn");
  const std::unique_ptr<FormReader> reader = MakeEdnReader(source);
  ASSERT_EQ(reader->Next(), FormReader::Found::kForm);
  EXPECT_EQ(reader->line(), 1);
  ASSERT_EQ(reader->Next(), FormReader::Found::kForm);
  EXPECT_EQ(reader->line(), 3);
}

TEST(Edn, ContinuesAfterAnErrorAtALineThatCanBeginAForm) {
  struct {
    std::string_view text;
    std::vector<int64_t> lines;  // lines of forms, and negated lines of errors
  } const cases[] = {
      {"{:a 1}\n{:a )}\n{:a 2}", {1, -2, 3}},
      {"[{:a 1}\n {:a\n{:a 2}]", {1, -3, 3}},
      {"{:a 1\n{:a 2}\n{:a 3}", {-3, 2, 3}},
      {"{:a \"\xff\"}\n  :b\n{:a 3}", {-1, 3}},
      {"{:a 1}}\n", {1, -1}},
  };
  for (const auto& c : cases) {
    for (const size_t stretch : {1U, 5U, 1000U}) {
      TextSource source(c.text, "x.edn", stretch);
      const std::unique_ptr<FormReader> reader = MakeEdnReader(source);
      std::vector<int64_t> lines;
      for (FormReader::Found found = reader->Next(); found != FormReader::Found::kEnd;
           found = reader->Next())
        lines.push_back(found == FormReader::Found::kForm ? reader->line() : -reader->line());
      EXPECT_EQ(lines, c.lines) << c.text;
    }
  }
}

}  // namespace
}  // namespace doublehold
