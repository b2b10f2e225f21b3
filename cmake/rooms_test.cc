// Tests which rooms each room includes, and which files may reach the outside world.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cmake/testing_sources.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

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
        "lib/sim/sql", "lib/sim/state", "lib/clients", "lib/history", "lib/base"}},
      {"lib/sim/choices", {"lib/sim/state", "lib/base"}},
      {"lib/sim/redis", {"lib/sim/state", "lib/clients", "lib/base"}},
      {"lib/sim/service", {"lib/sim/state", "lib/clients", "lib/base"}},
      {"lib/sim/state", {"lib/clients", "lib/base"}},
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
      {"faults/plans", {"faults", "lib/plan", "lib/base"}},
      {"faults/sim",
       {"faults", "faults/plans", "faults/proxy/redis", "lib/sim", "lib/plan", "lib/base"}},
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
       {"checker/evidence", "checker/measures", "checker/sentences", "checker/verdict",
        "lib/history"}},
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
      {"checker/testing/linear", {"checker/linear", "lib/base"}},
      {"checker/testing/oracle", {"checker", "checker/evidence"}},
      {"compose", Plus(kFloor, {"compose/cli", "compose/client", "compose/os"})},
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
      {"compose/explore", Plus(kFloor, {"checker/evidence", "checker/measures", "checker/report",
                                        "checker/verdict", "compose/client", "compose/driver",
                                        "compose/options", "compose/os", "compose/plan", "lib/sim",
                                        "lib/sim/choices", "faults", "faults/sim", "workloads"})},
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

TEST(Rooms, RoomsIncludeOnlyWhatArrowsAllow) {
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

TEST(Rooms, IncludesRunOneWay) {
  for (const auto& [room, arrows] : Arrows()) {
    Names below;
    AddBelow(room, below);
    EXPECT_FALSE(below.contains(room)) << room << " is below itself";
  }
}

TEST(Rooms, IncludesNameFilesFromTheTop) {
  for (const Source& source : Sources()) {
    if (!source.IsCode()) continue;
    for (const Include& include : IncludesOf(source)) {
      if (!include.quoted) continue;
      EXPECT_TRUE(fs::exists(fs::path(SourceDir()) / include.name))
          << source.path << " includes " << include.name;
    }
  }
}

TEST(Rooms, OneFileIncludesTheLibraryOfAService) {
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

// Returns "lib/base" for lib/base/time.h, "faults" for faults/proxy/rules.h.
std::string PartOf(const std::string& path) {
  const size_t first = path.find('/');
  if (first == std::string::npos) return "";
  if (!path.starts_with("lib/")) return path.substr(0, first);
  return path.substr(0, path.find('/', first + 1));
}

TEST(Rooms, LocksAndWorkloadsTouchTheWorldThroughEnvOnly) {
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

}  // namespace
}  // namespace doublehold
