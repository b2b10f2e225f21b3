#include "compose/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lib/base/check.h"

namespace doublehold {
namespace {

std::string Content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Finished RunProgram(const std::vector<std::string>& words) {
  const TestFolder folder;
  const std::filesystem::path out = folder.path() / "out";
  const std::filesystem::path err = folder.path() / "err";
  std::vector<std::string> command{DOUBLEHOLD_BINARY_DIR "/doublehold"};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = Content(out),
          .err = Content(err)};
}

TestFolder::TestFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "dh-test-XXXXXX";
  CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TestFolder::~TestFolder() {
  std::error_code code;
  std::filesystem::remove_all(path_, code);
}

nlohmann::json ClaimOf(const nlohmann::json& verdict, const std::string& claim) {
  for (const nlohmann::json& candidate : verdict.at("claims")) {
    if (candidate.at("claim") == claim) return candidate;
  }
  return nullptr;
}

nlohmann::json ReadJson(const std::filesystem::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
}

}  // namespace doublehold
