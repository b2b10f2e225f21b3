// Tests which operations each model allows in sequence, and how it describes its states.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "checker/linear/model.h"

namespace doublehold {
namespace {

struct Step {
  const char* function;
  int32_t process;
  bool allowed;
  const char* then = nullptr;  // description of the state after the step; null: not checked
  LinearValue argument{};
  LinearValue result{};
};

struct ModelsCase {
  const char* model;
  ModelParameters parameters;
  std::vector<Step> steps;
};

std::ostream& operator<<(std::ostream& out, const ModelsCase& c) { return out << c.model; }

class ModelCase : public ::testing::TestWithParam<ModelsCase> {};

TEST_P(ModelCase, AllowsExactlyTheExpectedOperations) {
  const ModelsCase& c = GetParam();
  const Model& model = *FindModel(c.model);
  ModelState state = model.initial(c.parameters);
  for (size_t i = 0; i < c.steps.size(); ++i) {
    const Step& step = c.steps[i];
    const auto at = std::ranges::find(model.functions, std::string_view(step.function));
    ASSERT_NE(at, model.functions.end()) << step.function;
    const ModelState before = state;
    const bool allowed =
        model.apply(state, {.function = static_cast<uint8_t>(at - model.functions.begin()),
                            .process = step.process,
                            .argument = step.argument,
                            .result = step.result});
    EXPECT_EQ(allowed, step.allowed) << "step " << i;
    if (!allowed) {
      EXPECT_EQ(state, before) << "step " << i;
    }
    if (step.then != nullptr) {
      EXPECT_EQ(model.describe(state), step.then) << "step " << i;
    }
  }
}

const std::vector<ModelsCase> kModelsCases{
    {"mutex",
     {},
     {{"release", 0, false, "free"},
      {"acquire", 0, true, "held"},
      {"acquire", 1, false},
      {"release", 1, true, "free"}}},
    {"owner-mutex",
     {},
     {{"acquire", 3, true, "held by 3"}, {"release", 1, false}, {"release", 3, true, "free"}}},
    {"reentrant-mutex",
     {},
     {{"acquire", 3, true, "held by 3, 1 deep"},
      {"acquire", 3, true, "held by 3, 2 deep"},
      {"acquire", 1, false},
      {"release", 3, true},
      {"acquire", 1, false},
      {"release", 3, true, "free"},
      {"release", 3, false}}},
    {"fenced-mutex",
     {},
     {{"acquire", 0, true, "held by 0, last token none"},
      {"release", 0, true, "free, last token none"},
      {"acquire", 1, true, "held by 1, last token -3", {}, {-3}},
      {"release", 1, true},
      {"acquire", 0, false, nullptr, {}, {-3}},
      {"acquire", 0, true, "held by 0, last token 0", {}, {0}},
      {"release", 0, true},
      {"acquire", 0, true, "held by 0, last token 5", {}, {5}},
      {"acquire", 0, false, nullptr, {}, {6}},
      {"release", 0, true},
      {"acquire", 1, false, "free, last token 5", {}, {5}},
      {"acquire", 1, true, "held by 1, last token 7", {}, {7}}}},
    {"reentrant-fenced-mutex",
     {},
     {{"acquire", 0, true, nullptr, {}, {5}},
      {"acquire", 0, false, nullptr, {}, {6}},
      {"acquire", 0, true, nullptr, {}, {5}},
      {"release", 0, true, "held by 0, last token 5"},
      {"release", 0, true, "free, last token 5"}}},
    {"semaphore",
     {.permits = 2},
     {{"acquire", 0, true, "1 permits left"},
      {"acquire", 1, false, nullptr, {2}},
      {"acquire", 1, true},
      {"acquire", 2, false},
      {"release", 2, true, "1 permits left"}}},
    {"owner-semaphore",
     {.permits = 3},
     {{"acquire", 4, true, "1 permits left, 2 held by 4", {2}},
      {"release", 1, false},
      {"acquire", 5, true, "0 permits left, 2 held by 4, 1 held by 5"},
      {"release", 5, true},
      {"release", 4, true, "2 permits left, 1 held by 4"},
      {"release", 4, false, nullptr, {2}},
      {"release", 4, true, "3 permits left"}}},
    {"read-write-lock",
     {},
     {{"read-acquire", 1, true, "read by 1"},
      {"read-acquire", 2, true, "read by 1, 2"},
      {"write-acquire", 3, false},
      {"read-release", 1, true},
      {"read-release", 1, false},
      {"read-release", 2, true, "free"},
      {"write-acquire", 3, true, "written by 3"},
      {"read-acquire", 1, false},
      {"write-release", 3, true, "free"}}},
    {"lease-mutex",
     {},
     {{"acquire", 0, true, "held by 0 from 0 on, lease ends at 10", {10}},
      {"acquire", 1, false},
      {"release", 1, false},
      {"release", 0, true, "free"},
      {"not-owner", 0, true, "free"},
      {"acquire", 1, true, "held by 1, without a lease"}}},
    {"register",
     {},
     {{"read", 0, true, "nil", {}, {kNil}},
      {"write", 0, true, "4", {4}},
      {"read", 0, false, nullptr, {}, {3}},
      {"read", 0, true, nullptr, {}, {4}}}},
    {"cas-register",
     {.initial = 1},
     {{"cas", 0, false, "1", {2, 3}}, {"cas", 0, true, "3", {1, 3}}, {"cas", 0, false, "3", {3}}}},
    {"set",
     {},
     {{"add", 0, true, "{7}", {7}},
      {"add", 0, true, "{2 7}", {2}},
      {"add", 0, true, "{2 7}", {2}},
      {"read", 0, false, nullptr, {}, {7}},
      {"read", 0, true, nullptr, {}, {7, 2}}}},
    {"inventory",
     {.initial = 2},
     {{"sell", 0, true, "1 in stock"},
      {"sell", 0, false, nullptr, {2}},
      {"read", 0, true, nullptr, {}, {1}},
      {"put", 0, true, "4 in stock", {3}}}},
    {"key-value",
     {},
     {{"get", 0, true, "\"\"", {}, {kNil}},
      {"put", 0, true, "\"one two\"", PackedText("one two")},
      {"append", 0, true, "\"one two, three four five\"", PackedText(", three four five")},
      {"append", 0, true, nullptr, PackedText("")},
      {"append", 0, true, "\"one two, three four five!\"", PackedText("!")},
      {"get", 0, false, nullptr, {}, PackedText("one two, three four five?")},
      {"get", 0, true, nullptr, {}, PackedText("one two, three four five!")},
      {"put", 0, false, nullptr, {kNil}}}},
};

INSTANTIATE_TEST_SUITE_P(Every, ModelCase, ::testing::ValuesIn(kModelsCases), [](const auto& info) {
  std::string name(info.param.model);
  std::erase(name, '-');
  return name;
});

TEST(Models, EachModelHasACase) {
  for (const Model& model : Models()) {
    EXPECT_TRUE(std::ranges::any_of(kModelsCases, [&](const ModelsCase& c) {
      return model.name == c.model;
    })) << model.name;
  }
}

}  // namespace
}  // namespace doublehold
