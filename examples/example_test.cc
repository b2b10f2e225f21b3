// Builds the example against the installed package, in a folder outside the tree, and runs it on a
// real server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "lib/base/paths.h"
#include "lib/os/run_tool.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {
namespace {

namespace fs = std::filesystem;

// Runs `command` in a shell. Returns its output and exit status.
RunResult RunShell(const std::string& command) {
  return RunToEnd({"sh", "-c", command}, {.with_errors = true}).value();
}

TEST(Example, BuildsAgainstTheInstalledPackageAndSavesOnce) {
  const TempFolder folder;
  const fs::path prefix = folder.path() / "installed";
  const fs::path build = folder.path() / "build";
  for (const std::string& command :
       {fmt::format("cmake --install {} --prefix {} --component library", BinaryDir(),
                    prefix.string()),
        fmt::format("cp -r {}/examples/save_once {}", SourceDir(),
                    (folder.path() / "source").string()),
        fmt::format("cmake -S {} -B {} -G Ninja -DCMAKE_PREFIX_PATH={}",
                    (folder.path() / "source").string(), build.string(), prefix.string()),
        fmt::format("cmake --build {}", build.string())}) {
    const RunResult done = RunShell(command);
    ASSERT_EQ(done.status, 0) << command << "\n" << done.output;
  }

  const Server server(folder.path() / "redis.sock");
  const std::string task = fmt::format("{}/save_once unix:{} 17 4711", build.string(),
                                       (folder.path() / "redis.sock").string());
  RunResult second;
  std::thread waits([&] { second = RunShell(task + " wait"); });
  const RunResult first = RunShell(task + " wait");
  waits.join();
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_TRUE((first.output == "saved\n") != (second.output == "saved\n"))
      << first.output << second.output;
  EXPECT_EQ(RunShell(task).output, "saved before\n");
}

}  // namespace
}  // namespace doublehold::testing
