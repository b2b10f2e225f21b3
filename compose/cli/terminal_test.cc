// Tests the output of `run` and `check` with the whole program.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// A run of K14, whose outcome is certain.
struct ShownRun {
  TestFolder folder;
  Finished finished;
  ShownRun() {
    finished = RunProgram({"run", SourceDir() + "/compose/testdata/known/k14.toml", "--into",
                           folder.path().string()});
  }
};

TEST(Terminal, ARunFitsOnAScreenFromItsVerdictToTheNextStep) {
  const ShownRun run;
  const std::string& out = run.finished.out;
  EXPECT_TRUE(out.starts_with("verdict: violated (exclusion, stock), as expected\n")) << out;
  EXPECT_LE(Lines(out), 30U) << out;
  const size_t end = out.rfind("\nverdict: violated ");
  ASSERT_NE(end, std::string::npos) << out;
  const size_t throughput = out.find("\nthroughput: ", end), latency = out.find("\nlatency: ", end);
  EXPECT_LT(throughput, latency) << out;
  EXPECT_TRUE(out.ends_with("\nnext: doublehold report " + run.folder.path().string() + "\n"))
      << out;
}

TEST(Terminal, VerbosePrintsTheMarginsThatTheShortTextOmits) {
  const ShownRun run;
  const Finished verbose = RunProgram({"check", run.folder.path().string(), "--verbose"});
  const Finished brief = RunProgram({"check", run.folder.path().string()});
  EXPECT_NE(verbose.out.find("\nmargins:\n"), std::string::npos) << verbose.out;
  EXPECT_EQ(brief.out.find("\nmargins:\n"), std::string::npos) << brief.out;
  EXPECT_EQ(brief.exit_code, verbose.exit_code);
}

TEST(Terminal, ARunWritesJUnitToo) {
  const TestFolder folder;
  const fs::path junit = folder.path() / "junit.xml";
  const Finished finished =
      RunProgram({"run", SourceDir() + "/compose/testdata/known/k14.toml", "--junit",
                  junit.string(), "--into", (folder.path() / "run").string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  std::ifstream in(junit);
  const std::string xml{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(xml.find("tests=\"1\" failures=\"0\" errors=\"0\""), std::string::npos) << xml;
  const Finished missing = RunProgram(
      {"run", "--driver", "/nosuch/program", "--junit", junit.string(), "--out", folder.path()});
  EXPECT_EQ(missing.exit_code, 4) << missing.err;
  std::ifstream again(junit);
  const std::string error{std::istreambuf_iterator<char>(again), {}};
  EXPECT_NE(error.find("<error message="), std::string::npos) << error;
  EXPECT_EQ(RunProgram({"run", "--lock", "none", "--junit", "/nosuch/folder/x.xml"}).exit_code, 3);
}

TEST(Terminal, APipeGetsNoProgressLine) {
  const ShownRun run;
  EXPECT_EQ(run.finished.err, "");
  EXPECT_EQ(run.finished.out.find('\r'), std::string::npos);
  EXPECT_EQ(run.finished.out.find('\x1b'), std::string::npos);
}

// Runs a command line of a shell, in which $0 is the program. Returns what it prints to stderr and
// its exit status.
Finished RunInShell(const std::string& line, const std::vector<std::string>& more = {}) {
  std::vector<std::string> argv{"/bin/sh", "-c", line, BinaryDir() + "/doublehold"};
  argv.insert(argv.end(), more.begin(), more.end());
  const Result<RunResult> run = RunToEnd(argv, {.with_errors = true});
  EXPECT_TRUE(run.has_value()) << run.error().message;
  return {.exit_code = WEXITSTATUS(run->status), .out = "", .err = run->output};
}

TEST(Terminal, LostOutputIsAFailure) {
  for (const auto& [to, why] : {std::pair(">/dev/full", "No space left on device"),
                                std::pair(">&-", "Bad file descriptor")}) {
    for (const char* command : {"list locks", "--version", "explore --lock none --depth 0"}) {
      const Finished finished = RunInShell(fmt::format("\"$0\" {} {}", command, to));
      EXPECT_EQ(finished.exit_code, 4) << command << to;
      EXPECT_EQ(finished.err,
                fmt::format("doublehold: standard output cannot be written: {}\n", why));
    }
  }
}

TEST(Terminal, AReaderThatHasSeenEnoughIsNoFailure) {
  const Finished finished = RunInShell("{ trap '' PIPE; \"$0\" list locks; echo $? >&2; } | true");
  EXPECT_EQ(finished.err, "0\n");
}

TEST(Terminal, ARunWhoseOutputIsLostStillWritesItsFiles) {
  const TestFolder folder;
  const Finished finished = RunInShell(
      "\"$0\" run --lock none --duration 300ms --into \"$1\" >/dev/full", {folder.path().string()});
  EXPECT_EQ(finished.exit_code, 4) << finished.err;
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  EXPECT_TRUE(fs::exists(folder.path() / "verdict.json"));
}

// If the JUnit file cannot be written, the verdict is not lost.
TEST(Terminal, ARunPrintsItsVerdictBeforeItWritesJUnit) {
  const TestFolder folder;
  for (const bool as_json : {false, true}) {
    std::vector<std::string> words{"run",     "--lock",    "none",  "--duration",          "300ms",
                                   "--junit", "/dev/full", "--out", folder.path().string()};
    if (as_json) words.emplace_back("--json");
    const Finished finished = RunProgram(words);
    EXPECT_EQ(finished.exit_code, 4);
    EXPECT_EQ(finished.err,
              "doublehold run: /dev/full: cannot be written: No space left on device\n");
    EXPECT_NE(finished.out.find(as_json ? "\"overall\"" : "verdict: "), std::string::npos)
        << finished.out;
  }
}

// Prints what the command writes to a terminal of 80 columns.
constexpr const char* kInTerminal = R"(
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    while part := os.read(terminal, 4096):
        text += part
except OSError:  # the child has ended
    pass
sys.stdout.buffer.write(text)
)";

std::string SeenInTerminal(const std::string& kind) {
  const Result<RunResult> run = RunToEnd(
      {"python3", "-c", kInTerminal, "env", "TERM=" + kind, BinaryDir() + "/doublehold", "explore",
       "--lock", "set-nx-px", "--clients", "3", "--depth", "2", "--faults", "pause,crash"},
      {});
  EXPECT_TRUE(run.has_value()) << run.error().message;
  return run->output;
}

TEST(Terminal, AProgressLineFitsInALine) {
  const std::string seen = SeenInTerminal("xterm");
  constexpr std::string_view kErase = "\x1b[K";
  int lines = 0;
  for (size_t end = seen.find(kErase); end != seen.npos; end = seen.find(kErase, end + 1)) {
    const size_t begin = seen.rfind('\r', end);
    ASSERT_NE(begin, seen.npos) << seen;
    EXPECT_LT(end - begin - 1, 80U) << seen.substr(begin + 1, end - begin - 1);
    ++lines;
  }
  EXPECT_GT(lines, 1) << seen;
}

TEST(Terminal, ADumbTerminalGetsNoControlSequences) {
  const std::string seen = SeenInTerminal("dumb");
  EXPECT_EQ(seen.find('\x1b'), seen.npos) << seen;
  EXPECT_NE(seen.find("all within the bounds"), seen.npos) << seen;
}

}  // namespace
}  // namespace doublehold
