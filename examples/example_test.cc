// The example builds against the installed package, in a folder outside the tree, and does what it
// says on a real server.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "lib/base/paths.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {
namespace {

namespace fs = std::filesystem;

struct Done {
  int status = -1;
  std::string out;
};

Done RunShell(const std::string& command) {
  Done done;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return done;
  std::array<char, 4096> text{};
  for (size_t count = 0; (count = fread(text.data(), 1, text.size(), pipe)) > 0;)
    done.out.append(text.data(), count);
  const int status = pclose(pipe);
  done.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return done;
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
    const Done done = RunShell(command);
    ASSERT_EQ(done.status, 0) << command << "\n" << done.out;
  }

  const Server server(folder.path() / "redis.sock");
  const std::string task = fmt::format("{}/save_once unix:{} 17 4711", build.string(),
                                       (folder.path() / "redis.sock").string());
  Done second;
  std::thread waits([&] { second = RunShell(task + " wait"); });
  const Done first = RunShell(task + " wait");
  waits.join();
  EXPECT_EQ(first.status, 0) << first.out;
  EXPECT_EQ(second.status, 0) << second.out;
  EXPECT_TRUE((first.out == "saved\n") != (second.out == "saved\n")) << first.out << second.out;
  EXPECT_EQ(RunShell(task).out, "saved before\n");
}

}  // namespace
}  // namespace doublehold::testing
