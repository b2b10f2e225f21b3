#include "lib/base/options.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

using Kind = OptionSpec::Kind;
using Values = std::map<std::string, std::string>;

const std::vector<OptionSpec>& Specs() {
  static const std::vector<OptionSpec> specs{
      {.name = "fast", .kind = Kind::kFlag, .fallback = "false"},
      {.name = "work", .kind = Kind::kDuration, .fallback = "0.02 lease"},
      {.name = "items", .kind = Kind::kInteger, .fallback = "1", .least = 1, .most = 1000},
      {.name = "stock", .kind = Kind::kInteger, .fallback = "10"},
      {.name = "write", .kind = Kind::kChoice, .fallback = "set", .choices = {"set", "decr"}}};
  return specs;
}

TEST(CompleteOptions, AddsDefaultsForMissingValues) {
  const auto complete = CompleteOptions("lock x", Specs(), {{"write", "decr"}}, 500ms);
  ASSERT_TRUE(complete.has_value()) << complete.error().message;
  EXPECT_EQ(*complete, (Values{{"fast", "false"},
                               {"work", "10000000"},
                               {"items", "1"},
                               {"stock", "10"},
                               {"write", "decr"}}));
  const Options options(*complete);
  EXPECT_FALSE(options.Flag("fast"));
  EXPECT_EQ(options.Span("work"), 10ms);
  EXPECT_EQ(options.Integer("items"), 1);
  EXPECT_EQ(options.Text("write"), "decr");
}

TEST(CompleteOptions, RefusesInvalidValues) {
  const struct {
    const char* name;
    const char* value;
    const char* message;
  } cases[] = {
      {"fast", "yes", "lock x: option fast: 'yes' is neither true nor false"},
      {"work", "20",
       "lock x: option work: '20' has no unit (ns, us, ms, s, m, h): did you mean 20ms?"},
      {"work", "-1ms", "lock x: option work: '-1ms' is negative; a duration must be 0 or more"},
      {"items", "0", "lock x: option items: 0 is not in 1..1000"},
      {"items", "1001", "lock x: option items: 1001 is not in 1..1000"},
      {"items", "1.5", "lock x: option items: '1.5' is not a whole number"},
      {"items", "", "lock x: option items: '' is not a whole number"},
      {"items", "99999999999999999999",
       "lock x: option items: 99999999999999999999 is not in 1..1000"},
      {"stock", "-1", "lock x: option stock: -1 is below 0"},
      {"write", "dercr", "lock x: option write: 'dercr' is unknown (did you mean 'decr'?)"},
      {"wrok", "1ms", "lock x: option 'wrok' is unknown (did you mean 'work'?)"},
  };
  for (const auto& [name, value, message] : cases) {
    const auto complete = CompleteOptions("lock x", Specs(), {{name, value}}, 500ms);
    ASSERT_FALSE(complete.has_value()) << name << " = " << value;
    EXPECT_EQ(complete.error().message, message);
    EXPECT_EQ(complete.error().code, ExitCode::kBadInput);
  }
}

TEST(CompleteOptions, AcceptsNumbersWithinTheirBounds) {
  const std::vector<OptionSpec> specs{
      {.name = "skew", .kind = Kind::kNumber, .fallback = "0.5", .most = 10}};
  for (const auto& [text, number] :
       std::map<std::string, double>{{"0", 0}, {"1.25", 1.25}, {"10", 10}, {"1e-3", 0.001}}) {
    const auto complete = CompleteOptions("lock x", specs, {{"skew", text}}, 500ms);
    ASSERT_TRUE(complete.has_value()) << text;
    EXPECT_EQ(Options(*complete).Number("skew"), number);
    EXPECT_TRUE(CheckCompleted("lock x", specs, *complete).has_value());
  }
  for (const char* text : {"10.5", "-0.1", "nan", "inf", "1.5x", "", "much"}) {
    const auto complete = CompleteOptions("lock x", specs, {{"skew", text}}, 500ms);
    ASSERT_FALSE(complete.has_value()) << text;
    EXPECT_TRUE(complete.error().message.starts_with("lock x: option skew: "));
  }
}

TEST(CompleteOptions, ReportsThatAPartHasNoOptions) {
  const auto complete = CompleteOptions("lock none", {}, {{"fast", "true"}}, 500ms);
  ASSERT_FALSE(complete.has_value());
  EXPECT_EQ(complete.error().message, "lock none has no option 'fast': it has no options");
}

TEST(CheckCompleted, AcceptsTheResultOfCompleteOptions) {
  const auto complete = CompleteOptions("lock x", Specs(), {{"work", "1.5s"}}, 500ms);
  EXPECT_TRUE(CheckCompleted("lock x", Specs(), *complete).has_value());
  EXPECT_TRUE(CheckCompleted("lock none", {}, {}).has_value());
}

TEST(CheckCompleted, RefusesValuesThatCompleteOptionsNeverReturns) {
  const Values good = *CompleteOptions("lock x", Specs(), {}, 500ms);
  const struct {
    const char* name;
    const char* value;  // null if the option is not given
    const char* message;
  } cases[] = {
      {"fast", nullptr, "lock x: option 'fast' is missing"},
      {"work", "10ms", "lock x: option work: '10ms' is not a whole number"},
      {"work", "-1", "lock x: option work: -1 is below 0"},
      {"items", "0", "lock x: option items: 0 is not in 1..1000"},
      {"stock", "many", "lock x: option stock: 'many' is not a whole number"},
      {"write", "get", "lock x: option write: 'get' is unknown (did you mean 'set'?)"},
      {"wrok", "1", "lock x: option 'wrok' is unknown (did you mean 'work'?)"},
  };
  for (const auto& [name, value, message] : cases) {
    Values values = good;
    values.erase(name);
    if (value != nullptr) values[name] = value;
    const Result<void> checked = CheckCompleted("lock x", Specs(), values);
    ASSERT_FALSE(checked.has_value()) << message;
    EXPECT_EQ(checked.error().message, message);
  }
}

TEST(OptionsDeathTest, AskingForAnUndeclaredOptionIsABug) {
  const Values values{{"fast", "true"}};
  EXPECT_DEATH((void)Options(values).Text("slow"), "CHECK failed");
  EXPECT_DEATH((void)Options(values).Integer("fast"), "CHECK failed");
}

}  // namespace
}  // namespace doublehold
