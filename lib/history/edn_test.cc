#include "lib/history/edn.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

using nlohmann::json;

// All forms of the text, or the message.
json Forms(std::string_view text) {
  EdnReader reader(text, "x.edn");
  json forms = json::array();
  for (;;) {
    Result<std::optional<json>> form = reader.Next();
    if (!form) return form.error().message;
    if (!*form) return forms;
    forms.push_back(std::move(**form));
  }
}

TEST(Edn, ReadsEveryKindOfForm) {
  struct {
    std::string_view text;
    const char* json;
  } const cases[] = {
      {"", "[]"},
      {"1 -2 +3 4N", "[1, -2, 3, 4]"},
      {"1.5 2e3 0.5M", "[1.5, 2000.0, 0.5]"},
      {"99999999999999999999 1/2", "[1e20, \"1/2\"]"},
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
  };
  for (const auto& c : cases) EXPECT_EQ(Forms(c.text), json::parse(c.json)) << c.text;
}

TEST(Edn, SaysWhereWhatIsWrongStands) {
  struct {
    std::string_view text;
    std::string_view message;
  } const cases[] = {
      {"{:a 1\n:b", "x.edn:2: the file ends before a '}'"},
      {"\n{:a}", "x.edn:2: a map has a key without a value"},
      {"{:a 1}}", "x.edn:1: a '}' closes nothing"},
      {"\"abc", "x.edn:1: the file ends within a text"},
      {"[{:a 1}\n", "x.edn:2: the file ends within its vector"},
      {"#", "x.edn:1: the file ends after a '#'"},
      {"#_", "x.edn:1: the file ends within a form"},
      {"{:a )}", "x.edn:1: a ')' closes nothing"},
  };
  for (const auto& c : cases) EXPECT_EQ(Forms(c.text), c.message) << c.text;
  EXPECT_EQ(Forms("{:a " + std::string(1000, '[')), "x.edn:1: nested deeper than 100");
}

TEST(Edn, WritesAnEventSoThatItReadsTheSame) {
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
  EdnReader reader("[{:a 1}\n\n {:a\n 2}]", "x.edn");
  ASSERT_TRUE(reader.Next()->has_value());
  EXPECT_EQ(reader.line(), 1);
  ASSERT_TRUE(reader.Next()->has_value());
  EXPECT_EQ(reader.line(), 3);
}

}  // namespace
}  // namespace doublehold
