// For tests: runs the program as a user does, and reads its output and files.
#ifndef DOUBLEHOLD_COMPOSE_TESTING_PROGRAM_H_
#define DOUBLEHOLD_COMPOSE_TESTING_PROGRAM_H_

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace doublehold {

// Far longer than anything takes in a test that passes.
constexpr std::chrono::seconds kProgramPatience{60};

// Waits until `condition` is true. Returns false after `patience`.
bool Eventually(const std::function<bool()>& condition,
                std::chrono::seconds patience = kProgramPatience);

// A temporary folder for one test; the destructor removes it.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A running program. The destructor kills it with its descendants. It has its own folder for
// temporary files, so that a test sees which files it leaves.
class Program {
 public:
  // `words` are the arguments after the program's name.
  explicit Program(std::vector<std::string> words);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Signal(int signal) const;
  // Waits for the program's end. Returns the exit status, or 128 + the signal that killed it.
  int Wait();
  [[nodiscard]] std::string Out() const;
  [[nodiscard]] std::string Err() const;

  // All running descendants of the program.
  [[nodiscard]] std::vector<pid_t> Descendants() const;
  // The descendants whose name begins with `start`; the first of these, or 0.
  [[nodiscard]] std::vector<pid_t> DescendantsNamed(const std::string& start) const;
  [[nodiscard]] pid_t DescendantNamed(const std::string& start) const;
  // The number of files and folders in its temporary folder.
  [[nodiscard]] size_t TemporaryFiles() const;

 private:
  TestFolder folder_;
  pid_t pid_ = 0;
  bool ended_ = false;
};

// Whether the process has ended; it may be a zombie.
bool IsOver(pid_t process);

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
};
Finished RunProgram(const std::vector<std::string>& words);

// The claim of that name in a verdict.json; null if it is missing.
nlohmann::json ClaimOf(const nlohmann::json& verdict, const std::string& claim);

nlohmann::json ReadJson(const std::filesystem::path& file);

// Calls `run`, which returns a verdict.json, until the machine stalled no process during the run;
// up to ten times. A stalled run proves little about timing. Decides only by the stall meter and
// not by the verdict. `run` gets the number of earlier runs.
nlohmann::json UnstalledVerdict(const std::function<nlohmann::json(int before)>& run);
void WriteFile(const std::filesystem::path& file, const std::string& text);

// The number of newlines in `text`.
size_t Lines(const std::string& text);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_TESTING_PROGRAM_H_
