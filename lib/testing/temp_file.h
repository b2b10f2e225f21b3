// A path for a file of a test's own, in no folder of the project. The file is the test's to write;
// it is gone with the object.
#ifndef DOUBLEHOLD_LIB_TESTING_TEMP_FILE_H_
#define DOUBLEHOLD_LIB_TESTING_TEMP_FILE_H_

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace doublehold::testing {

// Not thread-safe. Its name is that of the test with the process, so that tests may run beside each
// other.
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
