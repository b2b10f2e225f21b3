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

// Much longer than any wait in a test that passes.
constexpr std::chrono::seconds kProgramPatience{60};

// Waits until `condition` returns true. Returns false if it does not within `patience`.
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

// A running program. The destructor kills it with its descendants. The program has its own folder
// for temporary files, so that a test can count the files that it leaves.
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

  // Returns all running descendants of the program.
  [[nodiscard]] std::vector<pid_t> Descendants() const;
  // Return the descendants whose name begins with `start`, and the first of them, or 0.
  [[nodiscard]] std::vector<pid_t> DescendantsNamed(const std::string& start) const;
  [[nodiscard]] pid_t DescendantNamed(const std::string& start) const;
  // Returns the CPU time of the program, without that of its children.
  [[nodiscard]] std::chrono::milliseconds CpuTime() const;
  // Returns the number of files and folders in the program's temporary folder.
  [[nodiscard]] size_t TemporaryFiles() const;

 private:
  TestFolder folder_;
  pid_t pid_ = 0;
  bool ended_ = false;
};

// Whether the process has ended. A zombie has ended too.
bool IsOver(pid_t process);

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
};
Finished RunProgram(const std::vector<std::string>& words);

// Returns the claim of that name in a verdict.json. Returns null if the claim is missing.
nlohmann::json FindClaimJson(const nlohmann::json& verdict, const std::string& claim);

nlohmann::json ReadJson(const std::filesystem::path& file);

// Calls `run`, which returns a verdict.json, up to ten times, until the machine stalled no process
// in the run. A stalled run proves little about timing. Decides by the stall meter alone, not by
// the verdict. `run` gets the number of earlier runs.
nlohmann::json UnstalledVerdict(const std::function<nlohmann::json(int before)>& run);
void WriteFile(const std::filesystem::path& file, const std::string& text);

// Returns the number of newlines in `text`.
size_t Lines(const std::string& text);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_TESTING_PROGRAM_H_
