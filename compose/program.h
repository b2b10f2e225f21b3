// For tests: runs the program as a user would, and reads what it left.
#ifndef DOUBLEHOLD_COMPOSE_PROGRAM_H_
#define DOUBLEHOLD_COMPOSE_PROGRAM_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace doublehold {

struct Finished {
  int exit_code = -1;  // 128 + signal when it was killed
  std::string out;
  std::string err;
};

// `words` are what follows the program's name. Waits for it to end.
Finished RunProgram(const std::vector<std::string>& words);

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

// The claim of that name in a verdict.json; null when it is not there.
nlohmann::json ClaimOf(const nlohmann::json& verdict, const std::string& claim);

nlohmann::json ReadJson(const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PROGRAM_H_
