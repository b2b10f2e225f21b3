#include "lib/base/json_object.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace doublehold {
namespace {

using nlohmann::json;

json ParsedJson(const std::string& text) {
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// Reads an object with fields of every kind. Returns the error, or "" if there is none.
std::string ErrorOfRun(const std::string& text) {
  const json parsed = ParsedJson(text);
  JsonDocument document(parsed);
  JsonObject run(document);
  (void)run.Take("name").NonEmptyText(5);
  (void)run.Take("clients").Whole<int>(1, 9);
  (void)run.Take("kind").Word({"pause", "hold"});
  if (const auto rate = run.Find("rate")) (void)rate->Number();
  if (const auto step = run.Find("step"))
    (void)step->Meaning(std::map<std::string, int, std::less<>>{{"start", 1}, {"read", 2}});
  if (const auto limits = run.Find("limits")) {
    for (const auto& [name, value] : limits->Members()) (void)value.Flag();
  }
  if (const auto faults = run.Find("faults")) {
    for (const JsonValue& each : faults->List()) {
      JsonObject fault(each);
      (void)fault.Take("for_ns").Whole<int64_t>(0);
      (void)fault.Take("keys").Texts();
      fault.RejectUnknown();
    }
  }
  run.RejectUnknown();
  EXPECT_EQ(document.ok(), document.error().empty());
  return document.error();
}

std::string RunWith(const std::string& fields) {
  return R"({"name":"k15","clients":3,"kind":"hold",)" + fields + "}";
}

TEST(JsonObject, ReadsEachFieldWithItsType) {
  const json parsed = ParsedJson(
      R"({"text":"a","whole":-7,"most":18446744073709551615,"number":0.5,"flag":true,"none":null,)"
      R"("list":["b","c"],"free":{"x":1,"y":2},"step":"read"})");
  JsonDocument document(parsed);
  JsonObject object(document);
  EXPECT_EQ(object.Take("text").Text(), "a");
  EXPECT_EQ(object.Take("whole").Whole<int>(), -7);
  EXPECT_EQ(object.Take("most").Whole<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(object.Take("number").Number(), 0.5);
  EXPECT_TRUE(object.Take("flag").Flag());
  EXPECT_TRUE(object.Take("none").IsNull());
  EXPECT_EQ(object.Take("list").Texts(), (std::vector<std::string>{"b", "c"}));
  const auto members = object.Take("free").Members();
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[1].first, "y");
  EXPECT_EQ(members[1].second.Whole<int>(), 2);
  const std::map<std::string, int, std::less<>> steps{{"start", 1}, {"read", 2}};
  EXPECT_EQ(object.Take("step").Meaning(steps), 2);
  EXPECT_FALSE(object.Find("absent"));
  object.RejectUnknown();
  EXPECT_TRUE(document.ok()) << document.error();
}

TEST(JsonObject, TheFirstErrorNamesThePathOfItsField) {
  const struct {
    std::string text;
    std::string error;
  } cases[] = {
      {RunWith(R"("rate":1)"), ""},
      {"{", "not valid JSON"},
      {"", "not valid JSON"},
      {"[]", "not a JSON object"},
      {"{}", "field 'name' is missing"},
      {R"({"name":""})", "field 'name' is empty"},
      {R"({"name":"k15-14"})", "field 'name' is longer than 5 bytes"},
      {R"({"name":7})", "field 'name' is not a string"},
      {R"({"name":null})", "field 'name' is not a string"},
      {R"({"name":"a","clients":0})", "field 'clients' is 0, outside 1 to 9"},
      {R"({"name":"a","clients":10})", "field 'clients' is 10, outside 1 to 9"},
      {R"({"name":"a","clients":-1})", "field 'clients' is -1, outside 1 to 9"},
      {R"({"name":"a","clients":18446744073709551615})",
       "field 'clients' is 18446744073709551615, outside 1 to 9"},
      {R"({"name":"a","clients":3.0})", "field 'clients' is not a whole number"},
      {R"({"name":"a","clients":true})", "field 'clients' is not a whole number"},
      {R"({"name":"a","clients":1,"kind":"paus"})",
       "field 'kind' is 'paus', which is unknown (did you mean 'pause'?)"},
      {R"({"name":"a","clients":1,"kind":1})", "field 'kind' is not a string"},
      {RunWith(R"("rate":"1")"), "field 'rate' is not a number"},
      {RunWith(R"("step":"rea\u001bd")"),
       "field 'step' is 'rea\\x1bd', which is unknown (did you mean 'read'?)"},
      {RunWith(R"("limits":[])"), "field 'limits' is not an object"},
      {RunWith(R"("limits":{"a":1})"), "field 'limits.a' is not true or false"},
      {RunWith(R"("faults":{})"), "field 'faults' is not a list"},
      {RunWith(R"("faults":[5])"), "field 'faults[0]' is not an object"},
      {RunWith(R"("faults":[{"for_ns":1,"keys":[]},{"keys":[]}])"),
       "field 'faults[1].for_ns' is missing"},
      {RunWith(R"("faults":[{"for_ns":1,"keys":["a",2]}])"),
       "field 'faults[0].keys[1]' is not a string"},
      {RunWith(R"("faults":[{"for_ns":1,"keys":[],"key":1}])"),
       "field 'faults[0].key' is unknown (did you mean 'keys'?)"},
      {RunWith(R"("on\nce":1)"),
       "field 'on\\nce' is unknown (one of: name, clients, kind, rate, step, limits, faults)"},
      {RunWith(R"("faults":[{"for_ns":-1}],"rate":"1")"), "field 'rate' is not a number"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(ErrorOfRun(text), error) << text;
}

TEST(JsonObject, AMisspeltFieldIsReportedAsUnknownRatherThanMissing) {
  EXPECT_EQ(ErrorOfRun(R"({"nmae":"a","clients":1,"kind":"hold"})"),
            "field 'nmae' is unknown (did you mean 'name'?)");
  EXPECT_EQ(ErrorOfRun(RunWith(R"("faults":[{"for":1,"keys":[]}])")),
            "field 'faults[0].for' is unknown (did you mean 'for_ns'?)");
  EXPECT_EQ(ErrorOfRun(R"({"name":7,"clinets":1,"kind":"hold"})"), "field 'name' is not a string")
      << "another error came first";
}

TEST(JsonObject, AWrongOrMissingValueReadsAsTheEmptyOne) {
  const json parsed = ParsedJson(R"({"a":"text","b":1})");
  JsonDocument document(parsed);
  JsonObject object(document);
  EXPECT_EQ(object.Take("a").Whole<int>(5, 9), 0);
  EXPECT_EQ(object.Take("b").Text(), "");
  EXPECT_FALSE(object.Take("c").Flag());
  EXPECT_EQ(object.Take("c").Number(), 0);
  EXPECT_FALSE(object.Take("c").IsNull());
  EXPECT_TRUE(object.Take("c").List().empty());
  EXPECT_EQ(object.Take("c").raw(), nullptr);
  JsonObject missing(object.Take("c"));
  EXPECT_FALSE(missing.Find("d"));
  EXPECT_EQ(missing.Take("d").Text(), "");
  EXPECT_EQ(document.error(), "field 'a' is not a whole number");
}

TEST(JsonObject, AWholeNumberIsWithinItsTypeAndItsLimits) {
  const auto error = [](const std::string& text, auto read) {
    const json parsed = ParsedJson(text);
    JsonDocument document(parsed);
    JsonObject object(document);
    read(object.Take("n"));
    return document.error();
  };
  const auto port = [](const JsonValue& value) { (void)value.Whole<uint8_t>(1); };
  const auto seed = [](const JsonValue& value) { (void)value.Whole<uint64_t>(); };
  const auto time = [](const JsonValue& value) { (void)value.Whole<int64_t>(); };
  EXPECT_EQ(error(R"({"n":255})", port), "");
  EXPECT_EQ(error(R"({"n":256})", port), "field 'n' is 256, outside 1 to 255");
  EXPECT_EQ(error(R"({"n":0})", port), "field 'n' is 0, outside 1 to 255");
  EXPECT_EQ(error(R"({"n":18446744073709551615})", seed), "");
  EXPECT_EQ(error(R"({"n":-1})", seed), "field 'n' is -1, outside 0 to 18446744073709551615");
  EXPECT_EQ(error(R"({"n":-9223372036854775808})", time), "");
  EXPECT_EQ(error(R"({"n":9223372036854775808})", time),
            "field 'n' is 9223372036854775808, outside -9223372036854775808 to "
            "9223372036854775807");
  EXPECT_EQ(error(R"({"n":99999999999999999999999})", time), "field 'n' is not a whole number");
}

TEST(JsonObject, AMessageShowsShortValuesAndNoContentOfObjects) {
  const json parsed =
      ParsedJson(R"({"s":")" + std::string(70'000, 'x') + R"(","list":[[]],"o":{}})");
  JsonDocument document(parsed);
  JsonObject object(document);
  EXPECT_EQ(object.Take("s").Shown(), "\"" + std::string(159, 'x') + "... (70002 bytes)");
  EXPECT_EQ(object.Take("list").Shown(), "a list");
  EXPECT_EQ(object.Take("o").Shown(), "an object");
}

}  // namespace
}  // namespace doublehold
