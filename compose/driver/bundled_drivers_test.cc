// Tests the names, versions and commands of bundled drivers. bundled_drivers_slow_test tests the
// drivers themselves.
#include "compose/driver/bundled_drivers.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/paths.h"
#include "lib/os/run_tool.h"
#include "lib/plan/settings.h"

namespace doublehold {
namespace {

struct ListedDriver {
  std::string name;
  std::string version;
};

// Returns the drivers that `kept.py --list` prints, each with its pinned version.
std::vector<ListedDriver> ListByLauncher() {
  const Result<std::string> printed =
      RunTool({"python3", SourceDir() + "/drivers/kept.py", "--list"});
  if (!printed) {
    ADD_FAILURE() << printed.error().message;
    return {};
  }
  std::vector<ListedDriver> drivers;
  std::istringstream lines(*printed);
  for (ListedDriver each; lines >> each.name >> each.version;) drivers.push_back(each);
  return drivers;
}

TEST(KeptDrivers, ANameIsReplacedByItsCommand) {
  const std::string program = ShellQuoted(SourceDir() + "/drivers/kept.py");
  const std::pair<std::string, std::string> cases[] = {
      {"redis-py", "python3 " + program + " redis-py"},
      {"redis-py@4.5.5", "python3 " + program + " redis-py --version 4.5.5"},
      {"redis-py@5.1.0b1", "python3 " + program + " redis-py --version 5.1.0b1"},
      {"python3 my_lock.py", "python3 my_lock.py"},
      {"redis-server", "redis-server"},  // similar, but a program
      {"./redis-pyx", "./redis-pyx"},
      {"serve-my-mutex", "serve-my-mutex"},
      {"", ""},
      {"@1", "@1"},
  };
  for (const auto& [asked, command] : cases) {
    const Result<std::string> found = FindDriverCommand(asked);
    ASSERT_TRUE(found.has_value()) << asked;
    EXPECT_EQ(*found, command);
  }
}

TEST(KeptDrivers, VersionsAreEqualIfTheyDifferOnlyInTrailingZeros) {
  EXPECT_EQ(RequestedVersion("redsync@4.0.3"), "4.0.3");
  EXPECT_EQ(RequestedVersion("redsync"), "");
  EXPECT_EQ(RequestedVersion("my-lock@4.0.3"), "");
  EXPECT_TRUE(IsRequestedVersion("4.0.3", "4.0.3"));
  EXPECT_TRUE(IsRequestedVersion("5", "5.0.0"));
  EXPECT_TRUE(IsRequestedVersion("5.0.0", "5.0"));
  EXPECT_FALSE(IsRequestedVersion("4.0.3", "4.18.1"));
  EXPECT_FALSE(IsRequestedVersion("5.0", "5.0.10"));
}

TEST(KeptDrivers, AMisspeltNameIsDistinguishedFromACommand) {
  const std::pair<std::string, std::string> cases[] = {
      {"reddison", "driver 'reddison' is unknown (did you mean 'redisson'?)"},
      {"redisson2@3.50.0", "driver 'redisson2' is unknown (did you mean 'redisson'?)"},
      {"redis-pyx", "driver 'redis-pyx' is unknown (did you mean 'redis-py'?)"},
  };
  for (const auto& [asked, why] : cases) {
    const Result<std::string> found = FindDriverCommand(asked);
    ASSERT_FALSE(found.has_value()) << asked;
    EXPECT_EQ(found.error().code, ExitCode::kBadInput);
    EXPECT_EQ(found.error().message, why);
  }
}

TEST(KeptDrivers, AVersionCannotContainShellSyntax) {
  for (const char* asked : {"redis-py@", "redis-py@1;true", "redis-py@--install", "redis-py@latest",
                            "redis-py@../x", "redis-py@1 2"}) {
    const Result<std::string> found = FindDriverCommand(asked);
    ASSERT_FALSE(found.has_value()) << asked;
    EXPECT_EQ(found.error().code, ExitCode::kBadInput);
    EXPECT_EQ(found.error().message,
              "'" + std::string(asked) +
                  "': a version begins with a digit, and has letters, digits, "
                  "'.', '-', '+' and '_' "
                  "(redis-py@1.2.3)");
  }
}

TEST(KeptDrivers, ALibraryCanBeTakenFromAFolderIfItsClientCan) {
  const std::string folder = SourceDir() + "/drivers";
  const Result<std::string> command = FindDriverCommand("redsync@path:" + folder);
  ASSERT_TRUE(command.has_value()) << command.error().message;
  EXPECT_TRUE(command->ends_with("kept.py redsync --path " + folder)) << *command;
  EXPECT_EQ(RequestedVersion("redsync@path:/x"), "");
  EXPECT_EQ(LibraryIn("redsync@path:/x@2"), "redsync");
  const std::pair<std::string, std::string> refused[] = {
      {"redis-py@path:/no/such", "'redis-py@path:/no/such': /no/such: no such folder"},
      {"curator@path:/",
       "'curator@path:/': only libraries of go, npm, pip can be taken from a "
       "folder; maven installs curator"},
  };
  for (const auto& [asked, why] : refused) {
    const Result<std::string> found = FindDriverCommand(asked);
    ASSERT_FALSE(found.has_value()) << asked;
    EXPECT_EQ(found.error().code, ExitCode::kBadInput);
    EXPECT_EQ(found.error().message, why);
  }
}

TEST(KeptDrivers, AreTheDriversThatTheLauncherLists) {
  std::string expected;
  for (const KeptDriver& driver : KeptDrivers()) expected += driver.name + "\n";
  std::string names;
  for (const ListedDriver& listed : ListByLauncher()) names += listed.name + "\n";
  EXPECT_EQ(names, expected);
}

// A new pin needs a look at the documentation of that version. Debian's packages have no pin.
TEST(KeptDrivers, QuoteThePromiseOfThePinnedVersion) {
  for (const ListedDriver& listed : ListByLauncher()) {
    const std::string folder = SourceDir() + "/drivers/" + listed.name;
    Result<Settings> about = Settings::ReadToml(folder + "/driver.toml");
    ASSERT_TRUE(about.has_value()) << listed.name;
    const auto word = [&about](const std::string& name) -> std::string {
      return about->TakeWord(name).value_or(std::nullopt).value_or("");
    };
    EXPECT_NE(word("promise"), "") << listed.name;
    const std::string source = word("promise_from");
    EXPECT_NE(source, "") << listed.name;
    if (word("install") == "debian") continue;
    EXPECT_NE(source.find(listed.version), std::string::npos)
        << listed.name << " is pinned to " << listed.version << ", and quotes " << source;
  }
}

TEST(KeptDrivers, AreDescribed) {
  EXPECT_GE(KeptDrivers().size(), 12U);
  for (const KeptDriver& driver : KeptDrivers()) {
    EXPECT_FALSE(driver.summary.empty()) << driver.name;
    for (const auto& [name, about] : driver.options) EXPECT_FALSE(about.empty()) << name;
  }
}

TEST(KeptDrivers, AShellReadsAQuotedWordUnchanged) {
  EXPECT_EQ(ShellQuoted("./a_b-1.toml"), "./a_b-1.toml");
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("a b"), "'a b'");
  EXPECT_EQ(ShellQuoted("a<b"), "'a<b'");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace doublehold
