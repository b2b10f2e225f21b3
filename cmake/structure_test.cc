// The rules of the source tree: every part is registered and built, and no file is too long. Reads
// the sources and runs nothing else. The rules of includes are in rooms_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "cmake/testing_sources.h"

namespace doublehold {
namespace {

// Returns the texts between each `start` and the next `end`: the names in declarations of one form.
Names NamesBetween(const std::string& text, std::string_view start, char end) {
  Names names;
  for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const size_t begin = at + start.size();
    const std::string name = text.substr(begin, text.find(end, begin) - begin);
    if (!name.empty()) names.insert(name);
  }
  return names;
}

// A kind of part that users choose by name. Each function in `folder` whose declaration begins with
// `row` describes a part, and must be listed in `registry`.
struct Registry {
  const char* folder;
  const char* mark;  // a text that occurs in each file that has a part
  const char* row;
  const char* registry;
  size_t least;  // number of parts today
};

TEST(Structure, EveryPartThatCanBeChosenIsRegistered) {
  const Registry registries[] = {
      {"lib/locks", "final : public Lock {", "\nLockEntry ", "lib/locks/registry.cc", 13},
      {"workloads", "final : public Workload {", "\nWorkloadEntry ", "workloads/registry.cc", 2},
      {"faults", "FaultEntry ", "\nFaultEntry ", "faults/registry.cc", 10},
  };
  for (const Registry& each : registries) {
    SCOPED_TRACE(each.folder);
    const std::string registry = Find(each.registry).Text();
    size_t rows = 0;
    for (const Source& source : Sources()) {
      const std::string text = source.Text();
      const bool is_in = (source.Folder() + "/").starts_with(std::string(each.folder) + "/");
      if (!is_in || !source.EndsWith(".cc") || source.IsTest()) continue;
      if (source.path == each.registry || text.find(each.mark) == std::string::npos) continue;
      const Names found = NamesBetween(text, each.row, '(');
      EXPECT_FALSE(found.empty()) << source.path << " describes no part";
      for (const std::string& row : found) {
        ++rows;
        EXPECT_NE(registry.find("ROW(" + row + ")"), std::string::npos)
            << source.path << ": " << row << " is not in " << each.registry;
      }
    }
    EXPECT_GE(rows, each.least);
  }
}

// Returns the names in the registry entries of `rooms`.
Names NamesOfEntries(const Names& rooms) {
  Names names;
  for (const Source& source : Sources()) {
    if (!rooms.contains(source.Folder()) || !source.EndsWith(".cc") || source.IsTest()) continue;
    const std::string text = source.Text();
    for (size_t at = text.find("Entry "); at != std::string::npos;
         at = text.find("Entry ", at + 1)) {
      const size_t end = text.find("\n}", at);
      const size_t name = text.find(".name = \"", at);
      if (name >= end) continue;
      const size_t from = name + std::string_view(".name = \"").size();
      names.insert(text.substr(from, text.find('"', from) - from));
    }
  }
  return names;
}

// Code that compares the name of a fault or a lock has knowledge that belongs into the registry
// entry. The files in `named` are allowed: they supply traits that old histories lack, word a
// sentence, or choose a fault to run.
TEST(Structure, CodeDoesNotCompareNamesOfFaultsOrLocks) {
  const Names named{"checker/evidence/traits.cc", "checker/sentences/violation_text.cc",
                    "compose/cli/command_doctor.cc"};
  const std::vector<std::string> asks{"kind == \"", "kind != \"", "lock == \"", "lock != \""};
  Names names = NamesOfEntries({"faults/kinds", "faults/kinds/redis", "lib/locks/redis",
                                "lib/locks/zookeeper", "lib/locks/etcd"});
  EXPECT_GE(names.size(), 35u);
  // A single word such as "hold" also has other meanings.
  std::erase_if(names, [](const std::string& name) { return name.find('-') == std::string::npos; });
  for (const Source& source : Sources()) {
    const bool judges = source.path.starts_with("checker/") || source.path.starts_with("compose/");
    if (!judges || !source.IsCode() || source.IsTest() || named.contains(source.path)) continue;
    const std::string text = source.Text();
    for (const std::string& ask : asks)
      EXPECT_EQ(text.find(ask), std::string::npos) << source.path << ": " << ask;
    for (const std::string& name : names)
      EXPECT_EQ(text.find('"' + name + '"'), std::string::npos) << source.path << ": " << name;
  }
}

TEST(Structure, EveryCheckerIsRegistered) {
  const std::string registry = Find("checker/registry.cc").Text();
  size_t checkers = 0;
  for (const Source& source : Sources()) {
    if (!source.path.starts_with("checker/claims/") || !source.EndsWith(".h")) continue;
    for (const std::string& checker : NamesBetween(source.Text(), "\nClaimVerdict Check", '(')) {
      ++checkers;
      EXPECT_NE(registry.find("Check" + checker), std::string::npos)
          << source.path << ": Check" << checker;
    }
  }
  EXPECT_GE(checkers, 4u);
}

// Returns the number of arguments of the macro call whose '(' is at `at`.
size_t CountArguments(const std::string& text, size_t at) {
  size_t depth = 0, commas = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' && text[at - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ',' && depth == 1) ++commas;
    if ((c == ')' || c == '}' || c == ']') && --depth == 0) break;
  }
  return commas + 1;
}

TEST(Structure, EachParameterisedTestNamesItsCases) {
  const std::string call = std::string("INSTANTIATE_TEST_SUITE_P") + "(";
  size_t calls = 0;
  for (const Source& source : Sources()) {
    if (!source.EndsWith("_test.cc")) continue;
    const std::string text = source.Text();
    for (size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
      ++calls;
      EXPECT_GE(CountArguments(text, at + call.size() - 1), 4u)
          << source.path << ": add testing::CaseName() of lib/testing/case_name.h";
    }
  }
  EXPECT_GE(calls, 30u);
}

TEST(Structure, TheDocumentNamesEachMarginAsTheProgramPrintsIt) {
  const std::string document = Find("docs/formats.md").Text();
  const size_t from = document.find("### Margins");
  const std::string listed = document.substr(from, document.find("\n## ", from) - from);
  Names printed;
  for (const Source& source : Sources()) {
    if (!source.path.starts_with("checker/") || !source.EndsWith(".cc") || source.IsTest())
      continue;
    for (const std::string& margin : NamesBetween(source.Text(), "{.what = \"", '"'))
      printed.insert(margin);
  }
  EXPECT_GE(printed.size(), 8u);
  for (const std::string& margin : printed)
    EXPECT_NE(listed.find(margin), std::string::npos) << "docs/formats.md lacks: " << margin;
  for (const std::string& row : NamesBetween(listed, "` | ", '|')) {
    std::istringstream margins(row.substr(0, row.rfind(' ')));
    for (std::string margin; std::getline(margins, margin, ';');)
      EXPECT_TRUE(printed.contains(margin.substr(margin.find_first_not_of(' '))))
          << "no checker prints: " << margin;
  }
}

TEST(Structure, EachLockVariantStatesClaimsAssumptionsAndAttack) {
  for (const Source& source : Sources()) {
    if (!source.path.starts_with("lib/locks/") || !source.EndsWith(".cc") || source.IsTest())
      continue;
    const std::string text = source.Text();
    if (text.find("\nLockEntry ") == std::string::npos) continue;
    for (const char* word : {"// Claims:", "// Assumes:", "// Attack:"}) {
      EXPECT_NE(text.find(word), std::string::npos) << source.path << " does not say " << word;
    }
  }
}

TEST(Structure, EverySourceIsBuilt) {
  std::map<std::string, Names> lists;  // by folder
  for (const Source& source : Sources()) {
    if (source.FileName() != "CMakeLists.txt") continue;
    std::string text = source.Text();
    std::ranges::replace_if(
        text, [](char c) { return c == '(' || c == ')'; }, ' ');
    std::istringstream words(text);
    for (std::string word; words >> word;) lists[source.Folder()].insert(word);
  }
  for (const Source& source : Sources()) {
    if (!source.EndsWith(".cc") && !source.EndsWith(".c")) continue;
    std::string folder = source.Folder();
    while (!lists.contains(folder) && !folder.empty()) {
      folder = folder.find('/') == std::string::npos ? "" : folder.substr(0, folder.rfind('/'));
    }
    const std::string name = folder.empty() ? source.path : source.path.substr(folder.size() + 1);
    EXPECT_TRUE(lists[folder].contains(name)) << source.path << " is in no CMakeLists.txt";
  }
}

// Returns the types that a file defines outside unnamed namespaces, such as "doublehold::Grant".
// The end of a namespace is found by its closing comment, which Google style requires.
Names TypesOf(const Source& source) {
  Names types;
  std::vector<std::string> scopes;
  for (const std::string& line : source.lines) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (line.starts_with("namespace ") && line.ends_with("{")) {
      scopes.push_back(name);
    } else if (line.starts_with("}  // namespace") && !scopes.empty()) {
      scopes.pop_back();
    } else if (line.starts_with("struct ") || line.starts_with("class ") ||
               line.starts_with("enum ")) {
      while (name == "class" || name.starts_with("[[")) words >> name;
      const bool own = std::ranges::find(scopes, "{") != scopes.end();  // in an unnamed namespace
      if (own || (line.find(';') != std::string::npos && line.find('{') == std::string::npos))
        continue;
      std::string type;
      for (const std::string& scope : scopes) type += scope + "::";
      if (name.ends_with(':')) name.pop_back();
      types.insert(type + name);
    }
  }
  return types;
}

// Two types with the same name in one program are undefined behaviour, and no linker reports it.
TEST(Structure, NoTypeIsDefinedTwice) {
  std::map<std::string, std::string> defined;
  for (const Source& source : Sources()) {
    if (!source.IsCode()) continue;
    for (const std::string& type : TypesOf(source)) {
      const auto [other, is_new] = defined.emplace(type, source.path);
      EXPECT_TRUE(is_new) << type << " is defined in " << source.path << " and in "
                          << other->second;
    }
  }
  EXPECT_GT(defined.size(), 200u) << "hardly any type was found: does the test still read them?";
}

TEST(Structure, FileNamesAreSpecific) {
  const Names says_nothing{"util", "utils", "misc", "common", "helper", "helpers", "stuff"};
  for (const Source& source : Sources()) {
    const std::string name = source.FileName();
    EXPECT_FALSE(says_nothing.contains(name.substr(0, name.find('.')))) << source.path;
  }
}

TEST(Structure, NoFileContainsAPathOfOneMachine) {
  const std::vector<std::string> places{std::string("/ho") + "me/", std::string("/ro") + "ot/",
                                        std::string("/wo") + "rk/", std::string("/Use") + "rs/"};
  for (const Source& source : Sources()) {
    size_t number = 0;
    for (const std::string& line : source.lines) {
      ++number;
      for (const std::string& place : places) {
        EXPECT_EQ(line.find(place), std::string::npos)
            << source.path << ":" << number << ": " << line;
      }
    }
  }
}

TEST(Structure, AnInterfaceFitsOnAScreen) {
  for (const char* path :
       {"lib/base/env.h", "lib/clients/etcd.h", "lib/clients/redis.h", "lib/clients/sql.h",
        "lib/clients/zookeeper.h", "lib/locks/lock.h", "workloads/workload.h", "faults/fault.h",
        "faults/cluster.h", "checker/verdict/checker.h"}) {
    EXPECT_LE(Find(path).WrittenLines(), 80u) << path;
  }
}

TEST(Structure, NoFileIsLongerThanTheLimit) {
  constexpr size_t kAboutThreeHundred = 350;
  for (const Source& source : Sources()) {
    if (source.IsTest() || !(source.IsCode() || source.EndsWith(".py"))) continue;
    EXPECT_LE(source.WrittenLines(), kAboutThreeHundred) << source.path;
  }
}

// docs/first-day.md lists a folder's contents by these lines.
TEST(Structure, AHeaderBeginsWithAComment) {
  for (const Source& source : Sources()) {
    if (!source.EndsWith(".h")) continue;
    const std::string text = source.Text();
    EXPECT_TRUE(text.starts_with("// ") || text.starts_with("/* ")) << source.path;
  }
}

TEST(Structure, AHeaderGuardsItselfWithItsPath) {
  for (const Source& source : Sources()) {
    if (!source.EndsWith(".h")) continue;
    std::string guard = "DOUBLEHOLD_" + source.path + "_";
    for (char& c : guard) {
      c = std::isalnum(static_cast<unsigned char>(c)) != 0
              ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
              : '_';
    }
    EXPECT_NE(source.Text().find(fmt::format("#ifndef {0}\n#define {0}\n", guard)),
              std::string::npos)
        << source.path << ": " << guard;
  }
}

}  // namespace
}  // namespace doublehold
