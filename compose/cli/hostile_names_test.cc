// The name of a fault may be any text on one line. No output interprets it as markup.
#include <gtest/gtest.h>

#include <fstream>

#include "compose/testing/program.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

std::string TextOfHostileNames(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CommandLine, ANameWithMarkupIsEscapedInEveryOutput) {
  const std::string name = "<script>alert(1)</script>&\"'";
  const TestFolder folder;
  WriteFile(folder.path() / "s.toml",
            "name = 's'\n[experiment]\nworkload.duration = '1200ms'\nlock.lease = "
            "'300ms'\n[row.'<script>row']\nlock.name = 'set-nx-px'\n[column.'<script>column']\n"
            "fault = [{kind = 'pause', name = '''" +
                name +
                "''', on = 'client 1 before-write', for = '2 lease'}]\n[[cell]]\nrow = "
                "'<script>row'\ncolumn = '<script>column'\n");
  const Finished suite =
      RunProgram({"suite", (folder.path() / "s.toml").string(), "--jobs", "1", "--junit",
                  (folder.path() / "junit.xml").string(), "--out", folder.path().string()});
  ASSERT_LE(suite.exit_code, 2) << suite.err;
  const fs::path latest = folder.path() / "s" / "latest";
  const std::string junit = TextOfHostileNames(folder.path() / "junit.xml");
  EXPECT_EQ(junit.find("<script>"), std::string::npos) << junit;
  EXPECT_NE(junit.find("&lt;script&gt;row/&lt;script&gt;column"), std::string::npos) << junit;
  const nlohmann::json cells = ReadJson(latest / "suite.json").at("cells");
  EXPECT_EQ(cells.at(0).at("name"), "<script>row/<script>column");
  const fs::path run = latest / std::string(cells[0]["runs"][0]["dir"]);
  EXPECT_EQ(ReadJson(run / "plan.json")["faults"][0]["name"], name);
  EXPECT_EQ(ReadJson(run / "verdict.json")["faults"][0]["name"], name);
  for (const fs::path& reported : {latest, run}) {
    const fs::path page = folder.path() / "page.html";
    ASSERT_EQ(RunProgram({"report", reported.string(), "-o", page.string()}).exit_code, 0);
    const std::string html = TextOfHostileNames(page);
    for (const char* markup : {"<script>alert", "<script>row", "<script>column"})
      EXPECT_EQ(html.find(markup), std::string::npos) << markup;
  }
}

}  // namespace
}  // namespace doublehold
