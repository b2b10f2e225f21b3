#include "compose/os/program_files.h"

#include <algorithm>

#include "lib/base/paths.h"

namespace doublehold {

namespace fs = std::filesystem;

fs::path OwnProgram() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code);
}

std::vector<fs::path> PlacesOfData(const fs::path& program, const std::string& name) {
  const fs::path above = program.parent_path().parent_path();
  return {above / "share" / "doublehold" / name, above / name, fs::path(SourceDir()) / name};
}

std::vector<fs::path> PlacesOfLibrary(const fs::path& program, const std::string& name) {
  const fs::path folder = program.parent_path();
  return {folder / name, folder.parent_path() / "lib" / "doublehold" / name};
}

std::optional<fs::path> FirstThatExists(const std::vector<fs::path>& places) {
  std::error_code code;
  for (const fs::path& place : places) {
    if (fs::exists(place, code)) return place;
  }
  return std::nullopt;
}

std::vector<std::string> ListSuites() {
  std::vector<std::string> names;
  std::error_code code;
  if (const auto folder = FirstThatExists(PlacesOfData(OwnProgram(), "compose/suites"))) {
    for (const auto& file : fs::directory_iterator(*folder, code)) {
      if (file.path().extension() == ".toml") names.push_back(file.path().stem());
    }
  }
  std::ranges::sort(names);
  return names;
}

fs::path FindSuiteFile(const std::string& word) {
  std::error_code code;
  if (word.find('/') != std::string::npos || fs::exists(word, code)) return word;
  const std::string name = word.ends_with(".toml") ? word : word + ".toml";
  return FirstThatExists(PlacesOfData(OwnProgram(), "compose/suites/" + name)).value_or(word);
}

}  // namespace doublehold
