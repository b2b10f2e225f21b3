#include "compose/testing/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "lib/base/check.h"
#include "lib/base/paths.h"
#include "lib/os/spawn.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

std::string Content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<pid_t> ListChildren(pid_t parent) {
  std::vector<pid_t> children;
  std::ifstream in(fmt::format("/proc/{}/task/{}/children", parent, parent));
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

std::string ProcessNameFor(pid_t process) {
  std::string name = Content(fmt::format("/proc/{}/comm", process));
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

}  // namespace

bool Eventually(const std::function<bool()>& condition, std::chrono::seconds patience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TestFolder::TestFolder() {
  std::string pattern = fs::temp_directory_path() / "dh-test-XXXXXX";
  CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TestFolder::~TestFolder() {
  std::error_code code;
  fs::remove_all(path_, code);
}

Program::Program(std::vector<std::string> words) {
  words.insert(words.begin(), BinaryDir() + "/doublehold");
  const fs::path temporary = folder_.path() / "tmp";
  fs::create_directory(temporary);
  const int out = open((folder_.path() / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  // Restores the default action of SIGINT. A background job of a shell ignores SIGINT, and the
  // program would inherit this.
  const Result<pid_t> pid = Spawn({.argv = std::move(words),
                                   .environment = {"TMPDIR=" + temporary.string()},
                                   .log = folder_.path() / "err",
                                   .output = out,
                                   .own_group = false,
                                   .prepare = [] { signal(SIGINT, SIG_DFL); }});
  close(out);
  CHECK(pid.has_value());
  pid_ = *pid;
}

Program::~Program() {
  if (ended_) return;
  const std::vector<pid_t> left = Descendants();
  Signal(SIGKILL);
  Wait();
  Eventually([&left] { return std::ranges::all_of(left, IsOver); });
}

void Program::Signal(int signal) const {
  CHECK(!ended_);
  kill(pid_, signal);
}

int Program::Wait() {
  const int status = AwaitEnd(pid_);
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Program::Out() const { return Content(folder_.path() / "out"); }
std::string Program::Err() const { return Content(folder_.path() / "err"); }

std::vector<pid_t> Program::Descendants() const {
  std::vector<pid_t> found = ListChildren(pid_);
  for (size_t i = 0; i < found.size(); ++i) {
    for (const pid_t child : ListChildren(found[i])) found.push_back(child);
  }
  return found;
}

std::vector<pid_t> Program::DescendantsNamed(const std::string& start) const {
  std::vector<pid_t> found = Descendants();
  std::erase_if(found, [&](pid_t one) { return !ProcessNameFor(one).starts_with(start); });
  return found;
}

pid_t Program::DescendantNamed(const std::string& start) const {
  const std::vector<pid_t> found = DescendantsNamed(start);
  return found.empty() ? 0 : found.front();
}

std::chrono::milliseconds Program::CpuTime() const {
  clockid_t clock{};
  timespec time{};
  CHECK(clock_getcpuclockid(pid_, &clock) == 0 && clock_gettime(clock, &time) == 0);
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

size_t Program::TemporaryFiles() const {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path() / "tmp"), {}));
}

bool IsOver(pid_t process) {
  const std::string stat = Content(fmt::format("/proc/{}/stat", process));
  const size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || stat.at(name_end + 2) == 'Z';
}

Finished RunProgram(const std::vector<std::string>& words) {
  Program program(words);
  const int exit_code = program.Wait();
  return {.exit_code = exit_code, .out = program.Out(), .err = program.Err()};
}

nlohmann::json FindClaimJson(const nlohmann::json& verdict, const std::string& claim) {
  for (const nlohmann::json& candidate : verdict.at("claims")) {
    if (candidate.at("claim") == claim) return candidate;
  }
  return nullptr;
}

nlohmann::json ReadJson(const fs::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
}

nlohmann::json UnstalledVerdict(const std::function<nlohmann::json(int before)>& run) {
  constexpr int kMost = 10;
  for (int before = 0;; ++before) {
    nlohmann::json verdict = run(before);
    const int64_t stalls = verdict.value("/stalls/count"_json_pointer, int64_t{0});
    if (stalls == 0 || before + 1 == kMost) return verdict;
  }
}

void WriteFile(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace doublehold
