// The drivers that are kept by name, with the libraries that they install. Without a package registry there is nothing to test.
#include <gtest/gtest.h>

#include <cstdlib>

#include "compose/kept_drivers.h"
#include "compose/program.h"

namespace doublehold {
namespace {

class Kept : public ::testing::TestWithParam<std::string> {
 protected:
  Kept() { setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1); }
  ~Kept() override {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("PIP_NO_INDEX");
  }
  [[nodiscard]] const std::filesystem::path& cache() const { return cache_.path(); }

 private:
  TestFolder cache_;
};

TEST_P(Kept, KeepsToTheProtocolAndIsJudgedAsAnyOther) {
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
  // A holder that is stopped past its lease goes on as if it held: no lock with a lease alone prevents that.
  EXPECT_EQ(
      ClaimOf(run("pause", {"--faults", "pause", "--duration", "8s"}), "exclusion").at("outcome"),
      "violated");
}

TEST_P(Kept, WhatCannotBeInstalledIsSaidInOneLine) {
  setenv("PIP_NO_INDEX", "1", 1);
  const Finished finished = RunProgram({"run", "--driver", GetParam()});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_NE(finished.err.find(" cannot be installed: "), std::string::npos) << finished.err;
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  EXPECT_TRUE(std::filesystem::is_empty(cache() / "doublehold")) << "half of it is left";
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const KeptDriver& driver : KeptDrivers()) names.emplace_back(driver.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Each, Kept, ::testing::ValuesIn(Names()));

}  // namespace
}  // namespace doublehold
