// Tests the completions and the manual page with the whole program.
#include <gtest/gtest.h>

#include <string>

#include "compose/testing/program.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Completion, ForEachShellHasTheCommandsAndTheirOptions) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Finished finished = RunProgram({"completion", shell});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    for (const char* part : {"explore", "redlock", "no-color", "most-configurations"})
      EXPECT_TRUE(Has(finished.out, part)) << shell << ": " << part;
  }
}

TEST(Completion, IsAValidScriptOfItsShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    if (!RunTool({shell, "-c", "true"})) continue;  // the shell is missing
    const Finished finished = RunProgram({"completion", shell});
    const auto read = RunTool({shell, "-n"}, finished.out);
    EXPECT_TRUE(read.has_value()) << shell << ": " << read.error().message;
  }
}

TEST(Completion, ForBashCompletesTheValuesOfAnOption) {
  const Finished finished = RunProgram({"completion", "bash"});
  const auto found = RunTool(
      {"bash", "-c",
       "eval \"$(cat)\"; COMP_WORDS=(doublehold run --lock redl); COMP_CWORD=3; _doublehold; "
       "echo \"${COMPREPLY[@]}\""},
      finished.out);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(*found, "redlock redlock-redisson\n");
}

TEST(Completion, ForAnUnknownShellIsRefused) {
  const Finished finished = RunProgram({"completion", "bsh"});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_TRUE(Has(finished.err, "did you mean 'bash'?")) << finished.err;
}

TEST(ManPage, DescribesEachCommandWithItsOptions) {
  const Finished finished = RunProgram({"man"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(finished.out.starts_with(".TH DOUBLEHOLD 1 ")) << finished.out;
  for (const char* part : {".SS run ", ".SS check ", ".B \\-\\-junit", ".SH EXIT STATUS"})
    EXPECT_TRUE(Has(finished.out, part)) << part;
}

}  // namespace
}  // namespace doublehold
