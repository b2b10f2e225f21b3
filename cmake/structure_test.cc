// The rules of the source tree: which room includes which, every part is registered and built, and
// no file is too long. Reads the sources and runs nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/paths.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

struct Source {
  std::string path;  // relative to the top of the tree: "lib/base/time.h"
  std::vector<std::string> lines;

  [[nodiscard]] std::string Folder() const {
    return path.find('/') == std::string::npos ? "" : path.substr(0, path.rfind('/'));
  }
  [[nodiscard]] std::string FileName() const { return path.substr(path.rfind('/') + 1); }
  [[nodiscard]] bool EndsWith(std::string_view end) const { return path.ends_with(end); }
  [[nodiscard]] bool IsCode() const { return EndsWith(".cc") || EndsWith(".h") || EndsWith(".c"); }
  // Whether only tests use this file.
  [[nodiscard]] bool IsTest() const {
    return EndsWith("_test.cc") || EndsWith("_fuzz.cc") || FileName().starts_with("testing") ||
           FileName().ends_with("_fixture.h") ||
           (Folder() + "/").find("/testing/") != std::string::npos || Folder().ends_with("/fuzz");
  }
  [[nodiscard]] std::string Text() const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
  [[nodiscard]] size_t WrittenLines() const {
    return static_cast<size_t>(std::ranges::count_if(lines, [](const std::string& line) {
      return line.find_first_not_of(" \t") != std::string::npos;
    }));
  }
};

bool IsOurs(const fs::path& path) {
  const std::string name = path.filename();
  return !name.starts_with("build") && name != ".git" && name != "runs" && name != "__pycache__";
}

// All text files of the project.
const std::vector<Source>& Sources() {
  static const std::vector<Source> sources = [] {
    const fs::path top = SourceDir();
    const Names kinds{".cc", ".h",    ".c",  ".py",  ".txt", ".cmake", ".toml",
                      ".md", ".json", ".sh", ".css", ".j2",  ".jsonl", ""};
    std::vector<Source> found;
    for (auto it = fs::recursive_directory_iterator(top); it != fs::end(it); ++it) {
      if (!IsOurs(it->path())) {
        if (it->is_directory()) it.disable_recursion_pending();
        continue;
      }
      if (!it->is_regular_file() || !kinds.contains(it->path().extension())) continue;
      Source source{.path = fs::relative(it->path(), top)};
      std::ifstream in(it->path());
      for (std::string line; std::getline(in, line);) source.lines.push_back(line);
      found.push_back(std::move(source));
    }
    std::ranges::sort(found, {}, &Source::path);
    return found;
  }();
  return sources;
}

const Source& Find(const std::string& path) {
  const auto found = std::ranges::find(Sources(), path, &Source::path);
  if (found != Sources().end()) return *found;
  ADD_FAILURE() << path << " is missing";
  return Sources().front();
}

// Returns "lib/base" for lib/base/time.h, "faults" for faults/proxy/rules.h.
std::string PartOf(const std::string& path) {
  const size_t first = path.find('/');
  if (first == std::string::npos) return "";
  if (!path.starts_with("lib/")) return path.substr(0, first);
  return path.substr(0, path.find('/', first + 1));
}

struct Include {
  std::string name;
  bool quoted = false;
};

std::vector<Include> IncludesOf(const Source& source) {
  std::vector<Include> includes;
  for (const std::string& line : source.lines) {
    if (!line.starts_with("#include ")) continue;
    const size_t open = line.find_first_of("<\"");
    const size_t close = line.find_last_of(">\"");
    if (open == std::string::npos || close <= open) continue;
    includes.push_back({line.substr(open + 1, close - open - 1), line[open] == '"'});
  }
  return includes;
}

Names Plus(Names names, const Names& more) {
  names.insert(more.begin(), more.end());
  return names;
}

// The rooms below all other parts.
const Names kFloor{"lib/base",        "lib/clients",         "lib/real",       "lib/history",
                   "lib/plan",        "lib/redis",           "lib/redis/wire", "lib/locks",
                   "lib/locks/redis", "lib/driver",          "lib/clock",      "lib/os",
                   "lib/zookeeper",   "lib/locks/zookeeper", "lib/etcd",       "lib/locks/etcd",
                   "lib/postgres",    "lib/locks/sql",       "lib/mariadb"};

// Each room, and the other rooms that its sources may include.
const std::map<std::string, Names>& Arrows() {
  static const std::map<std::string, Names> arrows{
      {"lib/base", {}},
      {"lib/history", {"lib/base"}},
      {"lib/history/foreign", {"lib/base", "lib/history"}},
      {"lib/history/fuzz", {}},
      {"lib/plan", {"lib/base"}},
      {"lib/clock", {"lib/base"}},
      {"lib/os", {"lib/base"}},
      {"lib/clients", {"lib/base"}},
      {"lib/redis", {"lib/clients", "lib/base"}},
      {"lib/postgres", {"lib/clients", "lib/base"}},
      {"lib/mariadb", {"lib/clients", "lib/base"}},
      {"lib/zookeeper", {"lib/clients", "lib/base"}},
      {"lib/etcd", {"lib/clients", "lib/base"}},
      {"lib/real",
       {"lib/redis", "lib/etcd", "lib/mariadb", "lib/postgres", "lib/zookeeper", "lib/clients",
        "lib/history", "lib/base"}},
      {"lib/redis/wire", {"lib/base"}},
      {"lib/locks", {"lib/clients", "lib/base"}},
      {"lib/locks/redis", {"lib/locks", "lib/clients", "lib/base"}},
      {"lib/locks/etcd", {"lib/locks", "lib/clients", "lib/base"}},
      {"lib/locks/sql", {"lib/locks", "lib/clients", "lib/base"}},
      {"lib/locks/zookeeper", {"lib/locks", "lib/clients", "lib/base"}},
      {"lib/driver", {"lib/locks", "lib/os", "lib/base"}},
      {"lib/sim",
       {"lib/sim/choices", "lib/sim/redis", "lib/sim/service", "lib/sim/zookeeper", "lib/sim/etcd",
        "lib/sim/sql", "lib/clients", "lib/history", "lib/base"}},
      {"lib/sim/choices", {"lib/base"}},
      {"lib/sim/redis", {"lib/clients", "lib/base"}},
      {"lib/sim/service", {"lib/clients", "lib/base"}},
      {"lib/sim/zookeeper", {"lib/sim/service", "lib/base"}},
      {"lib/sim/etcd", {"lib/sim/service", "lib/base"}},
      {"lib/sim/sql", {"lib/sim/service", "lib/base"}},
      {"lib/sim/testing", {}},
      {"lib/testing", {}},
      {"lib/testing/mutants", {}},
      {"workloads", {"lib/locks", "lib/locks/redis", "lib/clients", "lib/base"}},
      {"faults", {"lib/plan", "lib/clients", "lib/base"}},
      {"faults/kinds", {"faults", "faults/proxy", "faults/proxy/redis", "lib/plan", "lib/base"}},
      {"faults/kinds/redis", {"faults"}},
      {"faults/plans", {"lib/plan", "lib/base"}},
      {"faults/proxy",
       {"faults", "faults/proxy/http", "faults/proxy/mysql", "faults/proxy/postgres",
        "faults/proxy/redis", "faults/proxy/wire", "faults/proxy/zookeeper", "lib/redis",
        "lib/base"}},
      {"faults/proxy/fuzz", {}},
      {"faults/proxy/http", {"faults/proxy/wire"}},
      {"faults/proxy/mysql", {"faults/proxy/wire"}},
      {"faults/proxy/postgres", {"faults/proxy/wire"}},
      {"faults/proxy/redis", {"faults/proxy/wire", "faults", "lib/redis/wire"}},
      {"faults/proxy/wire", {"faults", "lib/base"}},
      {"faults/proxy/zookeeper", {"faults/proxy/wire"}},
      {"checker",
       {"checker/claims/data", "checker/claims/library", "checker/claims/limits",
        "checker/claims/lock", "checker/evidence", "checker/explain", "checker/measures",
        "checker/rates", "checker/verdict", "lib/base", "lib/history"}},
      {"checker/claims/data",
       {"checker/claims/lock", "checker/evidence", "checker/sentences", "checker/verdict",
        "lib/history"}},
      {"checker/claims/library", {"checker/evidence", "checker/sentences", "checker/verdict"}},
      {"checker/claims/limits",
       {"checker/evidence", "checker/measures", "checker/sentences", "checker/verdict",
        "lib/base"}},
      {"checker/claims/lock",
       {"checker/claims/library", "checker/evidence", "checker/measures", "checker/sentences",
        "checker/verdict", "lib/history"}},
      {"checker/evidence", {"checker/verdict", "lib/history", "lib/base"}},
      {"checker/explain",
       {"checker/claims/data", "checker/claims/limits", "checker/claims/lock", "checker/evidence",
        "checker/sentences", "checker/verdict"}},
      {"checker/linear", {"checker/verdict", "lib/base", "lib/history/foreign"}},
      {"checker/measures",
       {"checker/evidence", "checker/sentences", "checker/verdict", "lib/history"}},
      {"checker/rates", {"checker/evidence", "checker/verdict", "lib/base"}},
      {"checker/report",
       {"checker", "checker/evidence", "checker/explain", "checker/rates", "checker/verdict",
        "lib/base"}},
      {"checker/sentences", {"checker/evidence"}},
      {"checker/verdict", {"lib/base", "lib/history"}},
      {"checker/testing", {"checker/evidence"}},
      {"checker/testing/oracle", {"checker", "checker/evidence"}},
      {"compose", Plus(kFloor, {"compose/cli", "compose/client"})},
      {"compose/cli", Plus(kFloor, {"checker",         "checker/evidence",      "checker/explain",
                                    "checker/linear",  "checker/measures",      "checker/verdict",
                                    "compose/cluster", "compose/cluster/redis", "compose/driver",
                                    "compose/explore", "compose/options",       "compose/os",
                                    "compose/plan",    "compose/replay",        "compose/run",
                                    "compose/suite",   "compose/sweep",         "faults",
                                    "faults/plans",    "lib/history/foreign",   "workloads"})},
      {"compose/client", Plus(kFloor, {"compose/client/redis", "compose/driver", "workloads"})},
      {"compose/client/redis", Plus(kFloor, {})},
      {"compose/cluster",
       Plus(kFloor, {"compose/client", "compose/os", "compose/plan", "faults", "faults/proxy"})},
      {"compose/cluster/redis", Plus(kFloor, {"compose/cluster", "compose/os", "compose/plan",
                                              "faults", "faults/proxy/redis"})},
      {"compose/cluster/etcd",
       Plus(kFloor, {"compose/cluster", "compose/os", "compose/plan", "faults"})},
      {"compose/cluster/mariadb",
       Plus(kFloor, {"compose/cluster", "compose/os", "compose/plan", "faults"})},
      {"compose/cluster/postgres",
       Plus(kFloor, {"compose/cluster", "compose/os", "compose/plan", "faults"})},
      {"compose/cluster/zookeeper",
       Plus(kFloor, {"compose/cluster", "compose/os", "compose/plan", "faults"})},
      {"compose/driver", Plus(kFloor, {"compose/os", "compose/plan"})},
      {"compose/explore",
       Plus(kFloor, {"checker/evidence", "checker/measures", "checker/report", "checker/verdict",
                     "compose/client", "compose/driver", "compose/options", "compose/os",
                     "compose/plan", "lib/sim", "lib/sim/choices", "faults", "workloads"})},
      {"compose/options", Plus(kFloor, {"compose/plan", "faults/plans", "workloads"})},
      {"compose/os", Plus(kFloor, {"faults"})},
      {"compose/plan",
       Plus(kFloor, {"checker/claims/limits", "checker/explain", "checker/verdict", "faults",
                     "faults/plans", "lib/history/foreign", "workloads"})},
      {"compose/replay",
       Plus(kFloor, {"checker", "checker/claims/data", "checker/evidence", "checker/explain",
                     "checker/rates", "compose/explore", "compose/os", "compose/plan",
                     "faults/plans", "lib/sim/choices"})},
      {"compose/run",
       Plus(kFloor, {"checker", "compose/client", "compose/cluster", "compose/driver", "compose/os",
                     "compose/plan", "faults", "faults/proxy"})},
      {"compose/suite",
       Plus(kFloor, {"checker/evidence", "checker/rates", "checker/report", "checker/verdict",
                     "compose/cluster", "compose/cluster/redis", "compose/driver",
                     "compose/options", "compose/os", "compose/plan"})},
      {"compose/sweep", Plus(kFloor, {"checker/report", "compose/plan", "compose/run",
                                      "compose/suite", "faults", "faults/plans"})},
      {"compose/testing", {}},
      {"bench", Plus(kFloor, {"checker", "checker/claims/lock", "checker/linear", "compose/cluster",
                              "compose/cluster/redis", "compose/driver", "compose/explore",
                              "compose/os", "compose/plan", "faults", "faults/proxy",
                              "lib/history/foreign", "lib/sim/choices", "lib/testing"})},
      {"examples", {}},  // the examples themselves include the installed package
      {"examples/save_once", {"lib/locks", "lib/real"}},
      {"cmake", {}},
  };
  return arrows;
}

// Returns "lib" for lib/base/time.h.
std::string TopOf(const std::string& path) { return path.substr(0, path.find('/')); }

bool MayInclude(const std::string& from_top, const std::string& top) {
  return from_top == top || std::ranges::any_of(Arrows(), [&](const auto& room) {
           return TopOf(room.first) == from_top &&
                  std::ranges::any_of(room.second,
                                      [&](const std::string& next) { return TopOf(next) == top; });
         });
}

TEST(Structure, RoomsIncludeOnlyWhatArrowsAllow) {
  size_t seen = 0;
  Names rooms;
  for (const Source& source : Sources()) {
    if (!source.IsCode()) continue;
    const auto arrows = Arrows().find(source.Folder());
    ASSERT_NE(arrows, Arrows().end())
        << source.path << ": no arrows are drawn for '" << source.Folder() << "'";
    rooms.insert(source.Folder());
    for (const Include& include : IncludesOf(source)) {
      if (!include.quoted) continue;
      ++seen;
      const std::string room = include.name.substr(0, include.name.rfind('/'));
      // A test may also include lib/testing, the rooms of kFloor, and every part that some room of
      // its own part may include.
      const bool for_tests =
          source.IsTest() && (MayInclude(TopOf(source.path), TopOf(room)) ||
                              room.starts_with("lib/testing") || kFloor.contains(room));
      EXPECT_TRUE(room == source.Folder() || arrows->second.contains(room) || for_tests)
          << source.path << " includes " << include.name;
    }
  }
  EXPECT_GT(seen, 300u) << "hardly any include was found: is this the source tree?";
  for (const auto& [room, arrows] : Arrows())
    EXPECT_TRUE(rooms.contains(room)) << "there is no " << room;
}

// Adds all rooms that can be reached from `room` along the arrows.
void AddBelow(const std::string& room, Names& below) {
  for (const std::string& next : Arrows().at(room)) {
    if (below.insert(next).second) AddBelow(next, below);
  }
}

TEST(Structure, IncludesRunOneWay) {
  for (const auto& [room, arrows] : Arrows()) {
    Names below;
    AddBelow(room, below);
    EXPECT_FALSE(below.contains(room)) << room << " is below itself";
  }
}

TEST(Structure, IncludesNameFilesFromTheTop) {
  for (const Source& source : Sources()) {
    if (!source.IsCode()) continue;
    for (const Include& include : IncludesOf(source)) {
      if (!include.quoted) continue;
      EXPECT_TRUE(fs::exists(fs::path(SourceDir()) / include.name))
          << source.path << " includes " << include.name;
    }
  }
}

TEST(Structure, OneFileIncludesTheLibraryOfAService) {
  Names hiredis, libpq, mysql, zookeeper, curl;
  for (const Source& source : Sources()) {
    if (!source.IsCode()) continue;
    for (const Include& include : IncludesOf(source)) {
      if (include.name.starts_with("hiredis")) hiredis.insert(source.path);
      if (include.name.starts_with("libpq")) libpq.insert(source.path);
      if (include.name.starts_with("mysql")) mysql.insert(source.path);
      if (include.name.starts_with("zookeeper")) zookeeper.insert(source.path);
      if (include.name.starts_with("curl")) curl.insert(source.path);
    }
  }
  // The benchmarks' bare loops stand for clients without Doublehold.
  const std::string bare = "bench/bare_services.cc";
  EXPECT_EQ(hiredis, (Names{"lib/redis/hiredis_connection.cc", "bench/replay_loop.cc"}));
  EXPECT_EQ(libpq, (Names{"lib/postgres/session.cc", bare}));
  EXPECT_EQ(mysql, (Names{"lib/mariadb/session.cc", bare}));
  EXPECT_EQ(zookeeper, (Names{"lib/zookeeper/session.cc", bare}));
  EXPECT_EQ(curl, (Names{"lib/etcd/http.cc", bare}));
}

TEST(Structure, LocksAndWorkloadsTouchTheWorldThroughEnvOnly) {
  const Names world{"thread",   "chrono",     "random",       "fstream",
                    "iostream", "filesystem", "unistd.h",     "time.h",
                    "ctime",    "cstdlib",    "sys/socket.h", "condition_variable",
                    "future",   "signal.h"};
  for (const Source& source : Sources()) {
    const std::string part = PartOf(source.path);
    if (!source.IsCode() || source.IsTest() || (part != "lib/locks" && part != "workloads"))
      continue;
    for (const Include& include : IncludesOf(source)) {
      EXPECT_FALSE(world.contains(include.name)) << source.path << " includes " << include.name;
    }
  }
}

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
