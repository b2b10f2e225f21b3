// A path for a test's temporary file, outside the project. The test writes the file; the destructor
// removes it.
#ifndef DOUBLEHOLD_LIB_TESTING_TEMP_FILE_H_
#define DOUBLEHOLD_LIB_TESTING_TEMP_FILE_H_

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace doublehold::testing {

// Not thread-safe. The file name contains the test's name and the process id, so that tests can run
// in parallel.
class TempFile {
 public:
  explicit TempFile(std::string_view test)
      : path_(std::filesystem::temp_directory_path() /
              ("doublehold-" + std::string(test) + "-" + std::to_string(getpid()))) {}
  ~TempFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_TEMP_FILE_H_
