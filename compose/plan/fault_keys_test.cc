// Tests that the table of settings of a [[fault]] agrees with the settings that are read and
// refused.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "compose/testing/plan_testing.h"
#include "faults/fault.h"
#include "faults/keys.h"

namespace doublehold {
namespace {

using testing::kLock;
using testing::Refusal;

constexpr const char* kNoWord = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";

std::string Table(std::string_view kind, const std::string& lines) {
  return fmt::format("{}[[fault]]\nkind = \"{}\"\n{}", kLock, kind, lines);
}

TEST(FaultKeys, EachKindReadsExactlyTheSettingsOfTheTable) {
  for (const FaultEntry& fault : Faults()) {
    std::set<std::string> listed;
    for (const FaultKey& key : FaultKeys()) {
      const bool own = std::ranges::find(fault.keys, key.name) != fault.keys.end();
      if (own || key.of_all) listed.emplace(key.name);
      EXPECT_FALSE(own && key.of_all) << fault.name << ' ' << key.name;
    }
    listed.erase("kind");  // the table below has this setting already
    EXPECT_EQ(Refusal(Table(fault.name, fmt::format("{} = 1\n", kNoWord))),
              fmt::format("x.toml:5: setting of fault {} '{}' is unknown (one of: {})", fault.name,
                          kNoWord, fmt::join(listed, ", ")));
  }
}

TEST(FaultKeys, ChoicesAreExactlyTheAcceptedWords) {
  const std::map<std::string_view, std::string> tables{
      {"direction", Table("drop", "")},
      {"spread", Table("delay", "delay = \"2ms\"\njitter = \"1ms\"\nfor = \"1s\"\n")},
      {"sides", Table("partition", "for = \"1s\"\n")},
      {"between", Table("partition", "for = \"1s\"\nnodes = [1]\n")},
      {"data", Table("restart", "nodes = [1]\n")},
      {"how", "topology.name = \"replicated\"\n" + Table("promote", "nodes = [2]\n")}};
  for (const FaultKey& key : FaultKeys()) {
    EXPECT_EQ(key.choices.empty(), !tables.contains(key.name)) << key.name;
    EXPECT_EQ(key.choices.empty(), !key.value.empty()) << key.name;
    if (key.choices.empty()) continue;
    const std::string refusal =
        Refusal(tables.at(key.name) + fmt::format("{} = \"{}\"\n", key.name, kNoWord));
    EXPECT_TRUE(
        refusal.ends_with(fmt::format("is unknown (one of: {})", fmt::join(key.choices, ", "))))
        << refusal;
  }
}

TEST(FaultKeys, ASettingThatOnlySomeKindsHaveNamesThem) {
  for (const FaultKey& key : FaultKeys()) {
    const std::string text = Describe(key);
    EXPECT_EQ(text.ends_with("()"), false) << key.name << " is of no kind";
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(text.find('|'), std::string::npos) << "ends a cell of the table in docs/faults.md";
  }
}

TEST(FaultKeys, TheListedDefaultDirectionIsTheKindsDirection) {
  const FaultKey* direction = nullptr;
  for (const FaultKey& key : FaultKeys()) {
    if (key.name == "direction") direction = &key;
  }
  ASSERT_NE(direction, nullptr);
  EXPECT_NE(Describe(*direction).find("; reply of drop; both of"), std::string::npos)
      << Describe(*direction);
  for (const FaultEntry& fault : Faults()) {
    const bool on_frames = fault.needs_network && !fault.needs_replicas;
    EXPECT_EQ(fault.direction.empty(), !on_frames) << fault.name;
    if (std::ranges::find(fault.keys, "direction") == fault.keys.end()) continue;
    // The fault's description is the same whether or not its default direction is given.
    const FaultPlan usual{.kind = std::string(fault.name), .client = 1, .nodes = {1}};
    FaultPlan said = usual;
    said.direction = fault.direction;
    EXPECT_EQ(fault.what(usual), fault.what(said)) << fault.name;
  }
}

}  // namespace
}  // namespace doublehold
