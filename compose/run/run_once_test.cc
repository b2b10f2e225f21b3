#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <set>

#include "compose/os/run_folder.h"
#include "compose/testing/program.h"
#include "lib/testing/case_name.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

TEST(MakeRunFolder, EveryRunHasItsOwnFolderAndLatestIsTheLastOne) {
  const TestFolder out;
  std::set<std::string> folders;
  fs::path last;
  for (int i = 0; i < 5; ++i) {
    const Result<fs::path> folder = MakeRunFolder(out.path(), "pause", 7);
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    EXPECT_EQ(folder->parent_path(), out.path() / "pause");
    EXPECT_TRUE(fs::is_directory(*folder));
    EXPECT_TRUE(folders.insert(folder->string()).second);
    last = *folder;
  }
  EXPECT_TRUE(fs::equivalent(out.path() / "pause" / "latest", last));
}

TEST(MakeRunFolder, LatestIsNotMovedIfOnlyAPartIsRun) {
  const TestFolder out;
  const Result<fs::path> whole = MakeRunFolder(out.path(), "npc", 7);
  const Result<fs::path> part = MakeRunFolder(out.path(), "npc", 7, LatestLink::kKeep);
  ASSERT_TRUE(whole && part);
  EXPECT_TRUE(fs::equivalent(out.path() / "npc" / "latest", *whole));
}

struct IntoCase {
  std::vector<std::string> files;  // files of the folder before; "nodes/" is a folder with a file
  std::string refused;             // part of the error without --replace; empty: accepted
  std::string refused_to_replace;
  std::vector<std::string> left;  // the files after --replace
};

void PrintTo(const IntoCase& test, std::ostream* out) {
  *out << ::testing::PrintToString(test.files);
}

class FolderForRun : public ::testing::TestWithParam<IntoCase> {
 protected:
  static std::string RefuseFolder(const fs::path& folder, Existing existing) {
    const Result<void> made = MakeFolderForRun(folder, existing);
    if (!made) {
      EXPECT_EQ(made.error().code, ExitCode::kBadInput);
    }
    return made ? "" : made.error().message;
  }
  static std::set<std::string> NamesIn(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.insert(entry.path().filename().string());
    return names;
  }
};

TEST_P(FolderForRun, IsRefusedIfItHasFilesAndReplacesARunOnly) {
  const IntoCase& test = GetParam();
  const TestFolder folder;
  for (const std::string& file : test.files) {
    fs::create_directories((folder.path() / file).parent_path());
    WriteFile(folder.path() / file, "{}");
  }
  const std::set<std::string> before = NamesIn(folder.path());
  const std::string refused = RefuseFolder(folder.path(), Existing::kRefuse);
  EXPECT_EQ(refused.empty(), test.refused.empty()) << refused;
  EXPECT_NE(refused.find(test.refused), std::string::npos) << refused;
  EXPECT_EQ(NamesIn(folder.path()), before);
  const std::string still = RefuseFolder(folder.path(), Existing::kReplace);
  EXPECT_EQ(still.empty(), test.refused_to_replace.empty()) << still;
  EXPECT_NE(still.find(test.refused_to_replace), std::string::npos) << still;
  EXPECT_EQ(NamesIn(folder.path()), std::set<std::string>(test.left.begin(), test.left.end()));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FolderForRun,
    ::testing::Values(
        IntoCase{}, IntoCase{.files = {"plan.json", "run.log"}, .left = {"plan.json", "run.log"}},
        IntoCase{.files = {"plan.json", "verdict.json", "history.bin", "history.jsonl",
                           "report.html", "frames.jsonl", "trace.json", "run.log", "nodes/a.log",
                           "clients/a.log", "mine.txt"},
                 .refused = "has a run already: use a new or an empty folder, or --replace",
                 .left = {"plan.json", "mine.txt"}},
        IntoCase{.files = {"plan.json", "nodes/a.log"},
                 .refused = "has a run already",
                 .left = {"plan.json"}},
        IntoCase{.files = {"mine.txt", "nodes/mine.txt", "report.html"},
                 .refused = "not empty: use a new or an empty folder, or --replace",
                 .left = {"mine.txt", "nodes"}},
        IntoCase{.files = {"suite.json", "report.html"},
                 .refused = "has many runs, of a suite or a search: use a new or an empty folder",
                 .refused_to_replace = "has many runs",
                 .left = {"suite.json", "report.html"}}),
    testing::CaseName());

TEST(MakeRunFolder, NoExperimentNameLeadsOutOfTheOutputFolder) {
  for (const char* name : {"..", "../x", "/proc/x", "a/../../x", "", ".", "a b/c"}) {
    const TestFolder out;
    const Result<fs::path> folder = MakeRunFolder(out.path() / "runs", name, 7);
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    EXPECT_EQ(folder->parent_path().parent_path(), out.path() / "runs") << name;
    EXPECT_EQ(std::distance(fs::directory_iterator(out.path()), {}), 1) << name;
  }
}

TEST(MakeRunFolder, AFolderThatCannotBeWrittenIsBadInput) {
  for (const char* out : {"/dev/null/runs", "/proc/runs"}) {
    const Result<fs::path> folder = MakeRunFolder(out, "pause", 7);
    ASSERT_FALSE(folder.has_value());
    EXPECT_EQ(folder.error().code, ExitCode::kBadInput);
    EXPECT_TRUE(folder.error().message.starts_with(std::string("--out ") + out +
                                                   ": the folder cannot be written: "))
        << folder.error().message;
  }
}

TEST(WriteWhole, ReplacesTheFileAndLeavesNoTemporaryFile) {
  const TestFolder folder;
  const fs::path file = folder.path() / "verdict.json";
  EXPECT_TRUE(WriteWhole(file, "old").has_value());
  EXPECT_TRUE(WriteWhole(file, "new").has_value());
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  const Result<void> refused = WriteWhole("/dev/null/verdict.json", "new");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "/dev/null/verdict.json: cannot be written: Not a directory");
}

TEST(WriteWhole, ASignalThatEndsTheProgramWaitsUntilTheFileIsWhole) {
  const TestFolder folder;
  const fs::path file = folder.path() / "verdict.json";
  const auto write = [](std::ostream& out) -> Result<void> {
    out << "be";
    raise(SIGTERM);
    out << "gun";
    return {};
  };
  EXPECT_EXIT((void)WriteWhole(file, write), ::testing::KilledBySignal(SIGTERM), "");
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "begun");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

// Simulates a full disk: the temporary file that is written first is a link to /dev/full.
TEST(WriteWhole, AFullDiskIsAFailureOfTheEnvironment) {
  const TestFolder folder;
  const fs::path file = folder.path() / "verdict.json";
  fs::create_symlink("/dev/full", file.string() + ".part");
  const Result<void> refused = WriteWhole(file, "new");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ExitCode::kEnvironment);
  EXPECT_EQ(refused.error().message,
            file.string() + ": cannot be written: No space left on device");
}

TEST(WriteWhole, ASymbolicLinkStaysAndItsTargetIsWritten) {
  const TestFolder folder;
  const fs::path link = folder.path() / "link", target = folder.path() / "target";
  fs::create_symlink(target, link);
  for (const std::string content : {"old and long", "new"}) {
    EXPECT_TRUE(WriteWhole(link, content).has_value());
    std::string text;
    std::getline(std::ifstream(target), text);
    EXPECT_EQ(text, content);
    EXPECT_TRUE(fs::is_symlink(link));
  }
}

TEST(WriteWhole, AFifoStaysAndItsReaderGetsTheContent) {
  const TestFolder folder;
  const fs::path fifo = folder.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  EXPECT_TRUE(WriteWhole(fifo, "new").has_value());
  std::array<char, 8> read_text{};
  EXPECT_EQ(read(reader, read_text.data(), read_text.size()), 3);
  close(reader);
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST(WriteWhole, AFifoThatNobodyReadsIsRefused) {
  const TestFolder folder;
  const fs::path fifo = folder.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Result<void> refused = WriteWhole(fifo, "new");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, fifo.string() + ": cannot be written: nobody reads this FIFO");
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST(WriteWhole, ADeviceStaysAndItsErrorIsReported) {
  const TestFolder folder;
  const fs::path device = folder.path() / "full";
  if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) GTEST_SKIP() << "needs root";
  if (close(open(device.c_str(), O_WRONLY | O_CLOEXEC)) != 0) GTEST_SKIP() << "mounted nodev";
  const Result<void> refused = WriteWhole(device, "new");
  EXPECT_TRUE(fs::is_character_file(device));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ExitCode::kEnvironment);
  EXPECT_EQ(refused.error().message,
            device.string() + ": cannot be written: No space left on device");
}

TEST(WriteHistory, WritesNoLinesIfOnlyTheBinaryFileIsRequested) {
  for (const auto& [files, has_lines] :
       {std::pair(HistoryFiles::kBoth, true), std::pair(HistoryFiles::kBinary, false)}) {
    const TestFolder folder;
    const Result<void> written = WriteHistory(History{}, folder.path(), files);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_TRUE(fs::exists(folder.path() / "history.bin"));
    EXPECT_EQ(fs::exists(folder.path() / "history.jsonl"), has_lines);
  }
}

TEST(ReadHistory, NamesTheMissingFile) {
  const TestFolder folder;
  const std::string path = folder.path().string();
  EXPECT_EQ(ReadHistory(path).error().message,
            path + ": no history.bin or history.jsonl in this folder");
  EXPECT_EQ(ReadHistory(path + "/none").error().message, path + "/none: no such file");
}

}  // namespace
}  // namespace doublehold
