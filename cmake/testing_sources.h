// The files of the source tree, for the tests of its rules.
#ifndef DOUBLEHOLD_CMAKE_TESTING_SOURCES_H_
#define DOUBLEHOLD_CMAKE_TESTING_SOURCES_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

using Names = std::set<std::string>;

struct Source {
  std::string path;  // relative to the top of the tree: "lib/base/time.h"
  std::vector<std::string> lines;

  [[nodiscard]] std::string Folder() const {
    return path.find('/') == std::string::npos ? "" : path.substr(0, path.rfind('/'));
  }
  [[nodiscard]] std::string FileName() const { return path.substr(path.rfind('/') + 1); }
  [[nodiscard]] bool EndsWith(std::string_view end) const { return path.ends_with(end); }
  [[nodiscard]] bool IsCode() const { return EndsWith(".cc") || EndsWith(".h") || EndsWith(".c"); }
  // Whether only tests use this file.
  [[nodiscard]] bool IsTest() const;
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] size_t WrittenLines() const;
};

struct Include {
  std::string name;
  bool quoted = false;
};

// All text files of the project, in order. Read once.
const std::vector<Source>& Sources();

// Fails the test if there is no such file.
const Source& Find(const std::string& path);

std::vector<Include> IncludesOf(const Source& source);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CMAKE_TESTING_SOURCES_H_
