// Tests the bundled drivers with the libraries that they install. Skipped without a package
// registry.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

#include "compose/driver/bundled_drivers.h"
#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"
#include "lib/testing/case_name.h"

namespace doublehold {
namespace {

// Sets environment variables. The destructor restores them.
class Surroundings {
 public:
  ~Surroundings() {
    for (const auto& [name, was] : was_) {
      if (was)
        setenv(name.c_str(), was->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
  }
  void Set(const std::string& name, const std::string& value) {
    const char* was = std::getenv(name.c_str());
    was_.emplace(name, was == nullptr ? std::nullopt : std::optional<std::string>(was));
    setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::optional<std::string>> was_;
};

class EmptyCache {
 protected:
  EmptyCache() { surroundings_.Set("XDG_CACHE_HOME", folder_.path() / "cache"); }
  // Simulates a machine with empty caches and without a network.
  void TakeRegistriesAway() {
    surroundings_.Set("DPKG_ADMINDIR", folder_.path() / "dpkg");
    surroundings_.Set("PIP_NO_INDEX", "1");
    surroundings_.Set("npm_config_offline", "true");
    surroundings_.Set("npm_config_cache", folder_.path() / "npm");
    surroundings_.Set("GOPROXY", "off");
    surroundings_.Set("GOMODCACHE", folder_.path() / "go");
    surroundings_.Set("CARGO_NET_OFFLINE", "true");
    surroundings_.Set("CARGO_HOME", folder_.path() / "cargo");
    std::filesystem::create_directories(folder_.path() / ".m2");
    std::ofstream(folder_.path() / ".m2" / "settings.xml")
        << "<settings><offline>true</offline></settings>";
    surroundings_.Set("MAVEN_OPTS", "-Duser.home=" + folder_.path().string());
  }
  [[nodiscard]] std::filesystem::path cache() const { return folder_.path() / "cache"; }

 private:
  TestFolder folder_;
  Surroundings surroundings_;
};

class Kept : public EmptyCache, public ::testing::TestWithParam<std::string> {};

TEST_P(Kept, FollowsTheProtocolAndIsJudgedLikeOtherLocks) {
  if (const Result<void> installed = InstallDriver(GetParam()); !installed)
    GTEST_SKIP() << installed.error().message;
  const Finished checked = RunProgram({"driver", "check", "--", GetParam()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  const TestFolder folder;
  const auto run = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--driver", GetParam(), "--clients", "3", "--lease", "1s",
                               "--into", (folder.path() / name).string()});
    const Finished finished = RunProgram(more);
    EXPECT_LE(finished.exit_code, 1) << finished.err;
    return ReadJson(folder.path() / name / "verdict.json");
  };
  EXPECT_EQ(run("calm", {"--duration", "4s"}).at("overall"), "valid");
  // A holder that was stopped past its lease continues as if it held the lock. A lock that has only
  // a lease cannot prevent that. An advisory lock of PostgreSQL has no lease.
  EXPECT_EQ(FindClaimJson(run("pause", {"--faults", "pause", "--duration", "8s"}), "exclusion")
                .at("outcome"),
            GetParam() == "django-pglock" ? "valid" : "violated");
}

TEST_P(Kept, AFailedInstallationIsReportedOnOneLine) {
  TakeRegistriesAway();
  // Files of an installation that was killed.
  std::filesystem::create_directories(cache() / "doublehold" / "installing-x" / "made");
  const Finished finished = RunProgram({"run", "--driver", GetParam()});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_NE(finished.err.find(" cannot be installed: "), std::string::npos) << finished.err;
  EXPECT_EQ(finished.err.find("python3: "), std::string::npos) << finished.err;
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  // A library of a Debian package is installed by hand, and not into the cache.
  if (finished.err.find("apt-get install") == std::string::npos) {
    EXPECT_TRUE(std::filesystem::is_empty(cache() / "doublehold")) << "half of it is left";
  }
}

class KeptCache : public EmptyCache, public ::testing::Test {};

TEST_F(KeptCache, IfItCannotBeWrittenTheErrorIsOneLine) {
  std::ofstream(cache()) << "no folder";
  const Finished finished = RunProgram({"run", "--driver", "redis-py"});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_NE(finished.err.find(" cannot be installed: "), std::string::npos) << finished.err;
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
}

// A package manager may install another version than requested.
TEST_F(KeptCache, IfItHasAnotherVersionThanRequestedTheRunIsRefused) {
  if (const Result<void> installed = InstallDriver("redis-py@5.0.0"); !installed)
    GTEST_SKIP() << installed.error().message;
  for (const auto& entry : std::filesystem::directory_iterator(cache() / "doublehold")) {
    std::string name = entry.path().filename();
    name.replace(name.find("5.0.0"), 5, "5.0.9");
    std::filesystem::rename(entry.path(), entry.path().parent_path() / name);
  }
  const Finished finished = RunProgram({"run", "--driver", "redis-py@5.0.9"});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_EQ(finished.err,
            "doublehold run: the driver 'redis-py@5.0.9' reports that it is redis-py 5.0.0, not "
            "version 5.0.9\n");
}

std::vector<std::string> NamesKeptDrivers() {
  std::vector<std::string> names;
  for (const KeptDriver& driver : KeptDrivers()) names.emplace_back(driver.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Each, Kept, ::testing::ValuesIn(NamesKeptDrivers()), testing::CaseName());

// A driver with another lock of its library, another version, or several nodes.
struct KeptDriversWay {
  const char* name;
  const char* driver;
  std::vector<std::string> more;
};
void PrintTo(const KeptDriversWay& way, std::ostream* out) { *out << way.name; }

class KeptWays : public EmptyCache, public ::testing::TestWithParam<KeptDriversWay> {};

TEST_P(KeptWays, IsValidWithoutFaults) {
  const auto& [name, driver, more] = GetParam();
  if (const Result<void> installed = InstallDriver(driver); !installed)
    GTEST_SKIP() << installed.error().message;
  std::vector<std::string> words{"run",     "--driver", driver,       "--clients", "3",
                                 "--lease", "1s",       "--duration", "3s",        "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const TestFolder folder;
  words.insert(words.end(), {"--into", (folder.path() / "run").string()});
  const Finished finished = RunProgram(words);
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
}

const std::vector<KeptDriversWay>& Ways() {
  static const std::vector<KeptDriversWay> kWays{
      {"Redlock5OfFive", "node-redlock", {"--nodes", "5"}},
      {"Redlock4", "node-redlock@4.2.0", {}},
      {"Redlock4OfFive", "node-redlock@4.2.0", {"--nodes", "5"}},
      {"RedlockMutex", "redis-semaphore", {"--option", "kind=redlock", "--nodes", "3"}},
      {"Semaphore", "redis-semaphore", {"--option", "kind=semaphore"}},
      {"MutexWithoutRefresh", "redis-semaphore", {"--option", "refresh=no"}},
      {"BullmqJobsFetchedByHand", "bullmq", {"--option", "kind=manual"}},
      {"Bullmq4", "bullmq@4.18.3", {}},
      {"RedsyncOfFive", "redsync", {"--nodes", "5"}},
      {"RedlockPyOfFive", "redlock-py", {"--nodes", "5"}},
      {"PotteryOfFive", "pottery", {"--nodes", "5"}},
      {"Pottery2", "pottery@2.3.7", {}},
      {"AioredlockOfFive", "aioredlock", {"--nodes", "5"}},
      {"PythonRedisLockWithRenewal", "python-redis-lock", {"--option", "auto_renewal=yes"}},
      {"LaravelsBlock", "laravel-cache-lock", {"--option", "block=yes"}},
      {"RedsyncOnRedigo", "redsync", {"--option", "client=redigo"}},
      {"RslockOfFive", "rslock", {"--nodes", "5"}},
      {"RueidislockOfThreeKeys", "rueidislock", {"--option", "key_majority=2"}},
      {"KazooLeavesNoKeys", "kazoo", {"--claims", "exclusion,key-leak"}},
      {"EtcdConcurrencyLeavesNoKeys", "etcd-concurrency", {"--claims", "exclusion,key-leak"}},
      {"DjangoPglockLeavesNoLocks", "django-pglock", {"--claims", "exclusion,key-leak"}},
      {"CuratorsReadersAndWriters", "curator", {"--option", "kind=read-write"}},
      {"CuratorsSemaphore", "curator", {"--option", "kind=semaphore-mutex"}},
      {"ShedLockThatComparesOwners", "shedlock-redis", {"--option", "safe_update=yes"}},
      {"SpringsPubSubLock", "spring-redis", {"--option", "lock_type=pub-sub"}},
      {"ShedLockByTheDatabasesClock", "shedlock-jdbc", {"--option", "clock=db"}},
  };
  return kWays;
}
INSTANTIATE_TEST_SUITE_P(Each, KeptWays, ::testing::ValuesIn(Ways()),
                         [](const auto& way) { return std::string(way.param.name); });

TEST(TemplateInNode, FollowsTheProtocol) {
  if (!RunTool({"node", "--version"})) GTEST_SKIP() << "node is missing";
  const Finished checked =
      RunProgram({"driver", "check", "--", "node", SourceDir() + "/drivers/template.js"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST(TemplateInJava, FollowsTheProtocol) {
  if (!RunTool({"java", "--version"})) GTEST_SKIP() << "java is missing";
  const Finished checked =
      RunProgram({"driver", "check", "--", "java", SourceDir() + "/drivers/template.java"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST(TemplateInGo, FollowsTheProtocol) {
  if (!RunTool({"go", "version"})) GTEST_SKIP() << "go is missing";
  const TestFolder folder;
  const std::string driver = (folder.path() / "driver").string();
  const auto built = RunTool({"go", "build", "-o", driver, SourceDir() + "/drivers/template.go"});
  ASSERT_TRUE(built.has_value()) << built.error().message;
  const Finished checked = RunProgram({"driver", "check", "--", driver});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

}  // namespace
}  // namespace doublehold
