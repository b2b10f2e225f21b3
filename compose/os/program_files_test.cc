#include "compose/os/program_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "compose/testing/program.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

TEST(ProgramFiles, AreFoundBesideABuildAndBelowAPrefix) {
  const TestFolder folder;
  const fs::path& top = folder.path();
  struct Case {
    std::string file, program, found_as;
    bool is_library = false;
  };
  for (const Case& test : std::initializer_list<Case>{
           {"usr/share/doublehold/reports/a.py", "usr/bin/doublehold", "reports/a.py"},
           {"tree/reports/b.py", "tree/build/doublehold", "reports/b.py"},
           {"usr/lib/doublehold/libc.so", "usr/bin/doublehold", "libc.so", true},
           {"tree/build/libd.so", "tree/build/doublehold", "libd.so", true}}) {
    fs::create_directories((top / test.file).parent_path());
    WriteFile(top / test.file, "");
    const fs::path program = top / test.program;
    EXPECT_EQ(FirstThatExists(test.is_library ? PlacesOfLibrary(program, test.found_as)
                                              : PlacesOfData(program, test.found_as)),
              top / test.file);
  }
  // A program that was moved out of its tree still finds the tree that it was built from.
  EXPECT_EQ(FirstThatExists(PlacesOfData(top / "moved" / "doublehold", "reports/report.py")),
            fs::path(SourceDir()) / "reports" / "report.py");
  EXPECT_EQ(FirstThatExists(PlacesOfLibrary(top / "moved" / "doublehold", "libnone.so")),
            std::nullopt);
}

TEST(ProgramFiles, ASuiteIsFoundByItsName) {
  const fs::path npc = fs::path(SourceDir()) / "compose" / "suites" / "npc.toml";
  for (const char* word : {"npc", "npc.toml"})
    EXPECT_TRUE(fs::equivalent(FindSuiteFile(word), npc)) << word;
  for (const char* word : {"./npc", "compose/npc", "no-such-suite", ""})
    EXPECT_EQ(FindSuiteFile(word), word);
}

}  // namespace
}  // namespace doublehold
