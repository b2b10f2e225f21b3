#include "compose/suite/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "compose/os/program_files.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

bool Selects(const std::string& only, const SuiteCell& cell) {
  if (only.ends_with('/')) return only == cell.row + "/";
  if (only.starts_with('/')) return only == "/" + cell.column;
  return only == cell.name;
}

}  // namespace

Result<Suite> ReadSuiteNamed(const std::string& word) {
  const std::filesystem::path file = FindSuiteFile(word);
  std::error_code code;
  if (word.find_first_of("/.") == std::string::npos && !std::filesystem::exists(file, code))
    return BadInput(UnknownWord("suite", word, ListSuites()));
  return ReadSuite(file);
}

Result<void> SelectCells(const std::vector<std::string>& wanted, const std::string& option,
                         Suite& suite) {
  std::vector<SuiteCell> selected;
  for (const std::string& only : wanted) {
    const size_t before = selected.size();
    for (const SuiteCell& cell : suite.cells) {
      if (!Selects(only, cell)) continue;
      const bool twice = std::ranges::find(selected, cell.name, &SuiteCell::name) != selected.end();
      if (!twice) selected.push_back(cell);
    }
    if (selected.size() > before) continue;
    std::vector<std::string> names;
    std::vector<std::string> similar;
    for (const SuiteCell& cell : suite.cells) {
      names.push_back(cell.name);
      if (cell.name.find(only) != std::string::npos) similar.push_back(cell.name);
    }
    return BadInput(fmt::format(
        "{}: cell '{}' is unknown{}; 'ROW/' and '/COLUMN' choose all of a row or a column", option,
        only, ShortSuggestion(only, similar.empty() ? names : similar)));
  }
  suite.cells = std::move(selected);
  suite.only = wanted;
  return {};
}

}  // namespace doublehold
