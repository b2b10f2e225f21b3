#include "cmake/testing_sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lib/base/paths.h"

namespace doublehold {

namespace fs = std::filesystem;

bool Source::IsTest() const {
  return EndsWith("_test.cc") || EndsWith("_fuzz.cc") || FileName().starts_with("testing") ||
         FileName().ends_with("_fixture.h") ||
         (Folder() + "/").find("/testing/") != std::string::npos || Folder().ends_with("/fuzz");
}

std::string Source::Text() const {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

size_t Source::WrittenLines() const {
  return static_cast<size_t>(std::ranges::count_if(lines, [](const std::string& line) {
    return line.find_first_not_of(" \t") != std::string::npos;
  }));
}

namespace {

bool IsOurs(const fs::path& path) {
  const std::string name = path.filename();
  return !name.starts_with("build") && name != ".git" && name != "runs" && name != "__pycache__";
}

}  // namespace

const std::vector<Source>& Sources() {
  static const std::vector<Source> sources = [] {
    const fs::path top = SourceDir();
    const Names kinds{".cc", ".h",    ".c",  ".py",  ".txt", ".cmake", ".toml",
                      ".md", ".json", ".sh", ".css", ".j2",  ".jsonl", ""};
    std::vector<Source> found;
    for (auto it = fs::recursive_directory_iterator(top); it != fs::end(it); ++it) {
      if (!IsOurs(it->path())) {
        if (it->is_directory()) it.disable_recursion_pending();
        continue;
      }
      if (!it->is_regular_file() || !kinds.contains(it->path().extension())) continue;
      Source source{.path = fs::relative(it->path(), top)};
      std::ifstream in(it->path());
      for (std::string line; std::getline(in, line);) source.lines.push_back(line);
      found.push_back(std::move(source));
    }
    std::ranges::sort(found, {}, &Source::path);
    return found;
  }();
  return sources;
}

const Source& Find(const std::string& path) {
  const auto found = std::ranges::find(Sources(), path, &Source::path);
  if (found != Sources().end()) return *found;
  ADD_FAILURE() << path << " is missing";
  return Sources().front();
}

std::vector<Include> IncludesOf(const Source& source) {
  std::vector<Include> includes;
  for (const std::string& line : source.lines) {
    if (!line.starts_with("#include ")) continue;
    const size_t open = line.find_first_of("<\"");
    const size_t close = line.find_last_of(">\"");
    if (open == std::string::npos || close <= open) continue;
    includes.push_back({line.substr(open + 1, close - open - 1), line[open] == '"'});
  }
  return includes;
}

}  // namespace doublehold
