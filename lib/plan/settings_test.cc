#include "lib/plan/settings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace doublehold {
namespace {

Settings Parsed(std::string_view text) {
  Result<Settings> settings = Settings::ParseToml(text, "x.toml");
  EXPECT_TRUE(settings.has_value()) << settings.error().message;
  return settings.value_or(Settings{});
}

std::string WordOf(Settings& settings, const std::string& name) {
  const auto word = settings.TakeWord(name);
  if (!word) return word.error().message;
  return word->value_or("(absent)");
}

TEST(Settings, TablesBecomeDottedNamesWithTheirLines) {
  Settings settings = Parsed(R"(name = "k14"
[lock]
name = "set-nx-px"
lease = "500ms"
[workload]
stock = 1
rate = 0.5
fast = true
[row.redlock]
topology.nodes = 5
)");
  EXPECT_EQ(WordOf(settings, "name"), "k14");
  EXPECT_EQ(WordOf(settings, "lock.lease"), "500ms");
  EXPECT_EQ(WordOf(settings, "workload.stock"), "1");
  EXPECT_EQ(WordOf(settings, "workload.rate"), "0.5");
  EXPECT_EQ(WordOf(settings, "workload.fast"), "true");
  EXPECT_EQ(WordOf(settings, "row.redlock.topology.nodes"), "5");
  EXPECT_EQ(WordOf(settings, "lock.owner"), "(absent)");
  EXPECT_EQ(settings.Where("lock.lease"), "x.toml:4: lock.lease");
  EXPECT_EQ(settings.Where("row.redlock.topology.nodes"), "x.toml:10: row.redlock.topology.nodes");
}

TEST(Settings, AListOfTablesIsNumbered) {
  Settings settings = Parsed(R"(
[[fault]]
kind = "pause"
nodes = [1, "store"]
[[fault]]
kind = "jump"
)");
  EXPECT_EQ(settings.CountTables("fault"), 2);
  EXPECT_EQ(settings.CountTables("cell"), 0);
  Settings second = settings.TakeBelow("fault.1");
  EXPECT_EQ(WordOf(second, "kind"), "jump");
  EXPECT_EQ(second.Where("kind"), "x.toml:6: fault.1.kind");
  Settings first = settings.TakeBelow("fault.0");
  const std::optional<Setting> nodes = first.Take("nodes");
  ASSERT_TRUE(nodes.has_value());
  EXPECT_TRUE(nodes->is_list);
  EXPECT_EQ(nodes->words, (std::vector<std::string>{"1", "store"}));
  EXPECT_TRUE(settings.CheckAllTaken("setting").has_value());
}

TEST(Settings, AnEmptyTableIsListed) {
  const Settings settings = Parsed("[column.calm]\n[column.pause]\nfaults = 'pause'\n[row.x.y]\n");
  EXPECT_EQ(settings.TablesBelow("column"), (std::vector<std::string>{"calm", "pause"}));
  EXPECT_EQ(settings.TablesBelow("row"), std::vector<std::string>{"x"});
  EXPECT_TRUE(settings.TablesBelow("cell").empty());
}

TEST(Settings, ANameMayHaveDots) {
  Settings settings = Parsed("[row.\"redis-py 4.5\"]\nlock = 'a'\n[row.redis-py]\nlock = 'b'\n");
  EXPECT_EQ(settings.TablesBelow("row"), (std::vector<std::string>{"redis-py", "redis-py 4.5"}));
  EXPECT_EQ(WordOf(settings, "row.redis-py 4.5.lock"), "a");
  EXPECT_EQ(WordOf(settings, "row.redis-py.lock"), "b");
}

TEST(Settings, AMissingSettingIsReportedAtItsTable) {
  Settings settings = Parsed("a = 1\n[[fault]]\nclient = 1\n");
  EXPECT_EQ(settings.TakeBelow("fault.0").Where("kind"), "x.toml:3: fault.0.kind");
  EXPECT_EQ(settings.Where("lock.name"), "lock.name");
}

TEST(Settings, AListMayHaveMoreThanTenTables) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "[[fault]]\nkind = \"" + std::to_string(i) + "\"\n";
  Settings settings = Parsed(text);
  ASSERT_EQ(settings.CountTables("fault"), 12);
  EXPECT_EQ(WordOf(settings, "fault.11.kind"), "11");
}

TEST(Settings, AValueThatIsNoSettingIsRefusedWithItsLine) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"a = 1\nb = 2020-01-01\n", "x.toml:2: b: needs a text, a number or true/false"},
      {"a = [[1]]\n", "x.toml:1: a: needs a text, a number or true/false"},
      {"[[fault]]\nkind = \"pause\"\n[[fault]]\n",
       "x.toml:3: fault: the table is empty; remove it"},
      {"fault = [{kind = \"pause\"}, 1]\n", "x.toml:1: fault: the list has both tables and values"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Settings> settings = Settings::ParseToml(text, "x.toml");
    ASSERT_FALSE(settings.has_value()) << text;
    EXPECT_EQ(settings.error().message, message);
  }
}

TEST(Settings, InvalidTomlIsRefusedWithItsLine) {
  for (const char* text :
       {"a = 1\nb == 2\n", "a = 1\n[lock\n", "a = 1\na = 2\n", "a = 1\nb = 'x\n"}) {
    const Result<Settings> settings = Settings::ParseToml(text, "x.toml");
    ASSERT_FALSE(settings.has_value()) << text;
    EXPECT_EQ(settings.error().code, ExitCode::kBadInput);
    EXPECT_EQ(settings.error().message.substr(0, 10), "x.toml:2: ") << settings.error().message;
    EXPECT_EQ(settings.error().message.find('\n'), std::string::npos);
  }
}

TEST(Settings, InvalidUtf8IsRefused) {
  const Result<Settings> settings = Settings::ParseToml("a = 1\n\x80\n", "x.toml");
  ASSERT_FALSE(settings.has_value());
  EXPECT_EQ(settings.error().message.substr(0, 7), "x.toml:") << settings.error().message;
}

TEST(Settings, AMissingFileOrAFolderIsRefused) {
  EXPECT_EQ(Settings::ReadToml("/nonexistent/x.toml").error().message,
            "/nonexistent/x.toml: no such file");
  EXPECT_EQ(Settings::ReadToml("/").error().message, "/: is a folder; name a TOML file");
}

TEST(Settings, AListIsNotASingleValue) {
  Settings settings = Parsed("lease = [\"1s\", \"2s\"]\n");
  EXPECT_EQ(WordOf(settings, "lease"), "x.toml:1: lease: needs one value, not a list");
}

TEST(Settings, LayingOverReplacesSingleValuesAndKeepsTheRest) {
  Settings settings = Parsed("[lock]\nname = \"redlock\"\nlease = \"1s\"\n");
  Settings over;
  over.Set("lock.lease", "300ms", "--lease");
  settings.Lay(over);
  EXPECT_EQ(WordOf(settings, "lock.name"), "redlock");
  EXPECT_EQ(WordOf(settings, "lock.lease"), "300ms");
  EXPECT_EQ(settings.Where("lock.lease"), "--lease");
}

TEST(Settings, LayingOverReplacesAWholeListOfTables) {
  Settings settings = Parsed(
      "[[fault]]\nkind = \"pause\"\nclient = 1\n[[fault]]\nkind = \"jump\"\n[lock]\nname = "
      "\"x\"\n");
  settings.Lay(Parsed("[[fault]]\nkind = \"drop\"\n"));
  EXPECT_EQ(settings.Names(), (std::vector<std::string>{"fault.0.kind", "lock.name"}));
  EXPECT_EQ(WordOf(settings, "fault.0.kind"), "drop");
}

TEST(Settings, ASettingThatWasNotTakenIsAnErrorWithASuggestion) {
  Settings settings = Parsed("[retry]\nintervall = \"1ms\"\n");
  (void)settings.Take("retry.interval");
  (void)settings.Take("retry.jitter");
  const Result<void> checked = settings.CheckAllTaken("setting");
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().message,
            "x.toml:2: setting 'retry.intervall' is unknown (did you mean 'retry.interval'?)");
}

TEST(Settings, AnUnknownListOfTablesIsAnErrorWithASuggestion) {
  const Settings settings = Parsed("[[falt]]\nkind = \"pause\"\n");
  EXPECT_EQ(settings.CheckAllTaken("setting", {"fault"}).error().message,
            "x.toml:2: list of tables 'falt' is unknown (did you mean 'fault'?)");
  const Settings known = Parsed("[[fault]]\nkind = \"pause\"\n");
  EXPECT_EQ(known.CheckAllTaken("setting", {"fault"}).error().message,
            "x.toml:2: setting 'fault.0.kind' is unknown");
}

}  // namespace
}  // namespace doublehold
