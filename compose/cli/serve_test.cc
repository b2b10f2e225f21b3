// `serve` shows the files of a real run, and ends without a trace.
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Asks with a Python, because it has a client for HTTP. Returns the status and the text.
std::string Ask(const std::string& url) {
  const auto answer = RunTool({"python3", "-c",
                               "import sys, urllib.request as r, urllib.error as e\n"
                               "try: a = r.urlopen(sys.argv[1], timeout=60)\n"
                               "except e.HTTPError as error: a = error\n"
                               "print(a.status, a.read().decode())",
                               url});
  return answer ? *answer : answer.error().message;
}

// Returns the address that the program has printed; empty if it has not yet.
std::string PrintedAddress(const Program& serve) {
  const std::string out = serve.Out();
  const size_t start = out.find("http://127.0.0.1:"), end = out.find("/\n");
  return start == std::string::npos || end == std::string::npos ? ""
                                                                : out.substr(start, end - start);
}

TEST(Serve, ShowsARealRunAndASuiteAndEndsOnCtrlC) {
  const TestFolder folder;
  const fs::path run = folder.path() / "mine";
  ASSERT_EQ(RunProgram({"run", SourceDir() + "/compose/testdata/known/k14.toml", "--into", run})
                .exit_code,
            0);
  const Finished suite = RunProgram({"run", SourceDir() + "/compose/testdata/known/k14.toml",
                                     "--repeat", "2", "--out", folder.path(), "--no-color"});
  ASSERT_EQ(suite.exit_code, 0) << suite.err;
  Program serve({"serve", folder.path().string()});
  ASSERT_TRUE(Eventually([&] { return !PrintedAddress(serve).empty(); })) << serve.Err();
  const std::string address = PrintedAddress(serve);
  const std::string list = Ask(address + "/?claim=stock");
  EXPECT_TRUE(list.starts_with("200 ")) << list;
  EXPECT_NE(list.find("1 run and 1 suite; 2 violated a claim"), std::string::npos) << list;
  const std::string report = Ask(address + "/report/mine");
  EXPECT_TRUE(report.starts_with("200 ")) << report.substr(0, 400);
  EXPECT_NE(report.find("held twice"), std::string::npos);
  EXPECT_TRUE(Ask(address + "/report/..%2f").starts_with("404 "));
  serve.Signal(SIGINT);
  EXPECT_EQ(serve.Wait(), 0) << serve.Err();
  EXPECT_EQ(serve.Err(), "");
  EXPECT_EQ(serve.TemporaryFiles(), 0U);
  EXPECT_FALSE(fs::exists(run / "report.html")) << "serve wrote a file";
}

TEST(Serve, BadInputIsRefusedInOneLine) {
  const TestFolder folder;
  const std::string missing = (folder.path() / "missing").string();
  for (const auto& [words, says] :
       {std::pair{std::vector<std::string>{missing}, missing + ": no such folder"},
        {{folder.path(), "--prot", "1"}, std::string("did you mean '--port'?")},
        {{folder.path(), "--port", "70000"}, "--port 70000: must be from 0 to 65535"}}) {
    std::vector<std::string> command{"serve"};
    command.insert(command.end(), words.begin(), words.end());
    const Finished refused = RunProgram(command);
    EXPECT_EQ(refused.exit_code, 3) << refused.err;
    EXPECT_EQ(Lines(refused.err), 1U) << refused.err;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
  }
}

}  // namespace
}  // namespace doublehold
