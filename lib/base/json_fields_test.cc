#include "lib/base/json_fields.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/lock_traits.h"

namespace doublehold {

// The names are specific to this test, because argument-dependent lookup finds ForEachField.
struct InnerOfFieldsTest {
  int count = 0;
  bool operator==(const InnerOfFieldsTest&) const = default;
};
struct OuterOfFieldsTest {
  std::string name;
  uint64_t seed = 0;
  double rate = 0;
  bool ended = false;
  Duration lease{};
  std::optional<int> client;
  std::vector<InnerOfFieldsTest> inner;
  std::map<std::string, std::vector<std::string>> causes;
  std::optional<InnerOfFieldsTest> may_be_null;
  std::string kind = "hold";
  std::vector<int> nodes{};
  std::optional<LockTraits> traits{};
  bool operator==(const OuterOfFieldsTest&) const = default;
};

const std::vector<std::string>& KindsOfFieldsTest() {
  static const std::vector<std::string> kinds{"pause", "hold"};
  return kinds;
}

void ForEachField(ConstOrNot<InnerOfFieldsTest> auto& inner, auto&& visit) {
  visit("count", inner.count, {.least = 1, .most = 3});
}
void ForEachField(ConstOrNot<OuterOfFieldsTest> auto& outer, auto&& visit) {
  visit("name", outer.name);
  visit("seed", outer.seed);
  visit("rate", outer.rate);
  visit("ended", outer.ended);
  visit("lease_ns", outer.lease, {.least = 1});
  visit("client", outer.client);
  visit("inner", outer.inner);
  visit("causes", outer.causes);
  visit("may_be_null", outer.may_be_null);
  visit("kind", outer.kind, {.words = &KindsOfFieldsTest()});
  visit("nodes", outer.nodes, {.is_optional = true, .least = 0});
  visit("traits", outer.traits, {.is_optional = true});
}

namespace {

using nlohmann::json;

OuterOfFieldsTest FullOfFieldsTest() {
  return {.name = "a",
          .seed = UINT64_MAX,
          .rate = 0.25,
          .ended = true,
          .lease = 5ms,
          .client = 2,
          .inner = {{.count = 1}, {.count = 3}},
          .causes = {{"stock", {"stopped"}}},
          .may_be_null = InnerOfFieldsTest{.count = 2},
          .kind = "pause",
          .nodes = {0, 1},
          .traits = LockTraits::FromNames({"token", "queue"})};
}

// Reads the struct from JSON, or returns the error.
Result<OuterOfFieldsTest> ReadOfFieldsTest(const json& from) {
  JsonDocument document(from);
  JsonObject object(document);
  OuterOfFieldsTest outer;
  ForEachField(outer, FieldReader{object});
  object.RejectUnknown();
  if (!document.ok()) return BadInput(document.error());
  return outer;
}

TEST(JsonFields, AStructReadsBackEqual) {
  OuterOfFieldsTest empty;
  empty.lease = 1ms;
  for (const OuterOfFieldsTest& outer : {FullOfFieldsTest(), empty}) {
    const auto read = ReadOfFieldsTest(json::parse(WriteField(outer).dump()));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, outer);
  }
}

TEST(JsonFields, AreWrittenInOrderWithoutEmptyOptionalFields) {
  OuterOfFieldsTest empty;
  EXPECT_EQ(WriteField(empty).dump(),
            R"({"name":"","seed":0,"rate":0.0,"ended":false,"lease_ns":0,"client":null,"inner":[],)"
            R"("causes":{},"may_be_null":null,"kind":"hold"})");
  EXPECT_EQ(
      WriteField(FullOfFieldsTest()).dump(),
      R"({"name":"a","seed":18446744073709551615,"rate":0.25,"ended":true,"lease_ns":5000000,)"
      R"("client":2,"inner":[{"count":1},{"count":3}],"causes":{"stock":["stopped"]},)"
      R"("may_be_null":{"count":2},"kind":"pause","nodes":[0,1],"traits":["token","queue"]})");
}

TEST(JsonFields, AValueAgainstItsRuleIsRefusedWithItsPath) {
  const struct {
    const char* place;
    json value;
    const char* error;
  } cases[] = {
      {"/lease_ns", 0, "field 'lease_ns' is 0, outside 1 to 9223372036854775807"},
      {"/inner/1/count", 4, "field 'inner[1].count' is 4, outside 1 to 3"},
      {"/inner/0/cuont", 4, "field 'inner[0].cuont' is unknown (did you mean 'count'?)"},
      {"/may_be_null/count", nullptr, "field 'may_be_null.count' is not a whole number"},
      {"/causes/stock", "stopped", "field 'causes.stock' is not a list"},
      {"/kind", "hodl", "field 'kind' is 'hodl', which is unknown (did you mean 'hold'?)"},
      {"/nodes/1", -1, "field 'nodes[1]' is -1, outside 0 to 2147483647"},
      {"/nodes", nullptr, "field 'nodes' is not a list"},
      {"/traits", nullptr, "field 'traits' is not a list"},
      {"/traits/0", "tokens", "field 'traits' has an unknown trait"},
      {"/client", "1", "field 'client' is not a whole number"},
  };
  for (const auto& [place, value, error] : cases) {
    json from = json::parse(WriteField(FullOfFieldsTest()).dump());
    from[json::json_pointer(place)] = value;
    const auto read = ReadOfFieldsTest(from);
    ASSERT_FALSE(read.has_value()) << place;
    EXPECT_EQ(read.error().message, error) << place;
  }
}

TEST(JsonFields, OnlyAnOptionalFieldMayBeMissing) {
  const json full = json::parse(WriteField(FullOfFieldsTest()).dump());
  for (const auto& [name, unused] : full.items()) {
    json without = full;
    without.erase(name);
    const auto read = ReadOfFieldsTest(without);
    const bool is_optional = name == "nodes" || name == "traits";
    ASSERT_EQ(read.has_value(), is_optional) << name;
    if (is_optional) continue;
    EXPECT_EQ(read.error().message, "field '" + name + "' is missing");
  }
}

}  // namespace
}  // namespace doublehold
