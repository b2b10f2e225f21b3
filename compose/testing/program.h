// For tests: runs the program as a user would, and reads what it left.
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

// Far longer than anything takes that does not fail.
constexpr std::chrono::seconds kProgramPatience{60};

// True when `condition` became true in time.
bool Eventually(const std::function<bool()>& condition,
                std::chrono::seconds patience = kProgramPatience);

// A folder of its own for a test; goes with it.
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

// The program while it runs. Killed, with what it started, when it goes. Its temporary files go
// into a folder of its own, so that what it leaves there is its own.
class Program {
 public:
  // `words` are what follows the program's name.
  explicit Program(std::vector<std::string> words);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Signal(int signal) const;
  // Waits for its end. The exit status, or 128 + the signal that killed it.
  int Wait();
  [[nodiscard]] std::string Out() const;
  [[nodiscard]] std::string Err() const;

  // What it has started and has not ended: its children, and theirs.
  [[nodiscard]] std::vector<pid_t> Descendants() const;
  // Those of them whose name begins so; the first of these, or 0.
  [[nodiscard]] std::vector<pid_t> DescendantsNamed(const std::string& start) const;
  [[nodiscard]] pid_t DescendantNamed(const std::string& start) const;
  // How many files and folders lie in its temporary folder.
  [[nodiscard]] size_t TemporaryFiles() const;

 private:
  TestFolder folder_;
  pid_t pid_ = 0;
  bool ended_ = false;
};

// Neither running nor stopped: gone, or dead and not yet waited for.
bool IsOver(pid_t process);

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
};
Finished RunProgram(const std::vector<std::string>& words);

// The claim of that name in a verdict.json; null when it is not there.
nlohmann::json ClaimOf(const nlohmann::json& verdict, const std::string& claim);

nlohmann::json ReadJson(const std::filesystem::path& file);

// What `run` returns, a verdict.json, of a run during which the machine stalled no process. One
// that it did stall says little of what depends on time, and is done again, up to nine times:
// because of what its stall meter said, whatever the verdict is. `run` is given how many went
// before it.
nlohmann::json UnstalledVerdict(const std::function<nlohmann::json(int before)>& run);
void WriteFile(const std::filesystem::path& file, const std::string& text);

// How many end in `text`.
size_t Lines(const std::string& text);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_TESTING_PROGRAM_H_
