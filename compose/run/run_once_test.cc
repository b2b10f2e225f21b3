#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "compose/os/run_folder.h"
#include "compose/testing/program.h"

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

TEST(MakeRunFolder, NoNameLeavesTheOutputFolder) {
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

TEST(WriteWhole, LeavesTheOldFileOrTheNewOneAndNothingElse) {
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
  EXPECT_EQ(refused.error().message, "/dev/null/verdict.json: cannot be written");
}

TEST(ReadHistory, SaysWhatIsMissing) {
  const TestFolder folder;
  const std::string path = folder.path().string();
  EXPECT_EQ(ReadHistory(path).error().message,
            path + ": no history.bin or history.jsonl in this folder");
  EXPECT_EQ(ReadHistory(path + "/none").error().message, path + "/none: no such file");
}

}  // namespace
}  // namespace doublehold
