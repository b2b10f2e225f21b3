#include "lib/base/file_kind.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace doublehold {
namespace {

namespace fs = std::filesystem;

TEST(FileKind, SaysWhyAPathIsNoFileThatCanBeRead) {
  std::string pattern = fs::temp_directory_path() / "dh-file-kind-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  std::ofstream(folder / "file") << "text";
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  fs::create_symlink("loop", folder / "loop");
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("gone", folder / "dangling");
  struct Case {
    std::string path;
    std::string why;
  };
  for (const Case& test :
       std::initializer_list<Case>{{folder / "file", ""},
                                   {folder / "link", ""},
                                   {folder, "is a folder"},
                                   {folder / "missing", "no such file"},
                                   {folder / "file" / "below", "no such file"},
                                   {folder / "dangling", "no such file"},
                                   {folder / "fifo", "is a FIFO, not a file"},
                                   {folder / "loop", "Too many levels of symbolic links"},
                                   {folder / std::string(300, 'x'), "File name too long"},
                                   {"/dev/null", "is a device, not a file"}}) {
    EXPECT_EQ(WhyNotReadable(test.path), test.why) << test.path;
    EXPECT_EQ(WhyNotReadable(test.path, Pipes::kAccept), test.why) << test.path;
  }
  fs::remove_all(folder);
}

TEST(FileKind, APipeOfAShellIsAcceptedWhereAskedFor) {
  std::FILE* pipe = popen("echo text", "r");
  ASSERT_NE(pipe, nullptr);
  const std::string path = "/dev/fd/" + std::to_string(fileno(pipe));
  EXPECT_EQ(WhyNotReadable(path), "is a FIFO, not a file");
  EXPECT_EQ(WhyNotReadable(path, Pipes::kAccept), "");
  pclose(pipe);
}

}  // namespace
}  // namespace doublehold
