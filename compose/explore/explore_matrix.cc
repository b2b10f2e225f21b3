#include "compose/explore/explore_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "checker/report/claim_letters.h"

namespace doublehold {
namespace {

constexpr char kCutShort = '~';
constexpr char kUnknownLetter = '?';

std::vector<std::string> ViolatedIn(const Explored& explored) {
  std::vector<std::string> claims;
  for (const Found& found : explored.claims) {
    if (found.violated > 0) claims.push_back(found.claim);
  }
  return claims;
}

// Returns the name of each column and its faults.
std::vector<std::pair<std::string, std::vector<FaultForm>>> MakeColumns(const MatrixTerms& terms) {
  std::vector<std::pair<std::string, std::vector<FaultForm>>> columns{{"none", {}}};
  for (const FaultForm fault : terms.faults)
    columns.push_back({std::string(EntryOf(fault).name), {fault}});
  if (terms.faults.size() > 1) columns.emplace_back("any", terms.faults);
  return columns;
}

// Searches a cell at each depth up to the depth of `deepest`. Stops after a search whose budget
// ended.
Result<std::vector<MatrixDepth>> SearchCell(
    const MatrixSearch& deepest, const MatrixExploring& exploring,
    const std::function<void(const MatrixSearch&)>& progress) {
  std::vector<MatrixDepth> depths;
  MatrixSearch search = deepest;
  for (search.depth = deepest.faults.empty() ? 0 : 1; search.depth <= deepest.depth;
       ++search.depth) {
    progress(search);
    MatrixFound found = TRY(exploring(search));
    const bool goes_on = found.explored.is_complete;
    depths.push_back({.depth = search.depth, .found = std::move(found)});
    if (!goes_on) break;
  }
  return depths;
}

}  // namespace

std::vector<MatrixRow> ExploreMatrix(const MatrixTerms& terms, const MatrixExploring& exploring,
                                     const std::function<void(const MatrixSearch&)>& progress,
                                     const RowsSoFar& so_far) {
  std::vector<MatrixRow> rows;
  for (const std::string& lock : terms.locks) {
    for (const int clients : terms.clients) {
      MatrixRow& row = rows.emplace_back(MatrixRow{.lock = lock, .clients = clients});
      for (const auto& [name, faults] : MakeColumns(terms)) {
        auto depths = SearchCell({.lock = lock,
                                  .clients = clients,
                                  .faults = faults,
                                  .depth = faults.empty() ? 0 : terms.depth},
                                 exploring, progress);
        if (!depths) {
          row.refused = depths.error().message;
          row.cells.clear();
          break;
        }
        row.cells.push_back({.fault = name, .depths = std::move(*depths)});
        if (so_far) so_far(rows);
      }
    }
  }
  return rows;
}

std::string FormatCell(const MatrixCell& cell) {
  std::string text;
  std::vector<std::string> before;
  bool is_unknown = false;
  for (const MatrixDepth& each : cell.depths) {
    std::vector<std::string> added = ViolatedIn(each.found.explored);
    std::erase_if(added, [&](const std::string& claim) {
      return std::ranges::find(before, claim) != before.end();
    });
    std::ranges::copy(added, std::back_inserter(before));
    const std::string letters = LettersOf(added);
    if (!letters.empty() && &each != &cell.depths.front()) text += '+';
    text += letters;
    if (!each.found.explored.is_complete) text += kCutShort;
    is_unknown = is_unknown || each.found.explored.cut_off > 0 ||
                 std::ranges::any_of(each.found.explored.claims,
                                     [](const Found& one) { return one.unknown > 0; });
  }
  if (before.empty() && is_unknown) return text + kUnknownLetter;
  return text.empty() ? "." : text;
}

std::string ToMarkdown(const std::vector<MatrixRow>& rows) {
  std::string text, letters;
  for (const MatrixRow& row : rows) {
    if (row.cells.empty()) continue;
    if (text.empty()) {
      text = "| lock | clients |";
      std::string rule = "|---|---|";
      for (const MatrixCell& cell : row.cells) {
        text += fmt::format(" {} |", cell.fault);
        rule += "---|";
      }
      text += "\n" + rule + "\n";
    }
    text += fmt::format("| `{}` | {} |", row.lock, row.clients);
    for (const MatrixCell& cell : row.cells) {
      text += fmt::format(" {} |", FormatCell(cell));
      letters += FormatCell(cell);
    }
    text += "\n";
  }
  text += "\n" + LegendOf(letters);
  if (letters.find('+') != std::string::npos)
    text += "  +  the claims after it are violated only with one more fault\n";
  if (letters.find(kUnknownLetter) != std::string::npos)
    text += fmt::format("  {}  unknown\n", kUnknownLetter);
  if (letters.find(kCutShort) != std::string::npos)
    text += fmt::format("  {}  the budget ended: there may be more violations\n", kCutShort);
  text += "  .  no violation in any execution\n";
  std::set<std::string> told;
  for (const MatrixRow& row : rows) {
    if (!row.refused.empty() && told.insert(row.lock).second)
      text += fmt::format("\n{} is not explored: {}", row.lock, row.refused);
  }
  return text + (told.empty() ? "" : "\n");
}

nlohmann::json ToJson(const Explored& explored, const std::vector<std::string>& replays) {
  nlohmann::json claims = nlohmann::json::array();
  for (size_t i = 0; i < explored.claims.size(); ++i) {
    const Found& found = explored.claims[i];
    claims.push_back(
        {{"claim", found.claim}, {"violated", found.violated}, {"unknown", found.unknown}});
    if (found.violated == 0) continue;
    claims.back()["sentence"] = found.sentence;
    if (i < replays.size()) claims.back()["replay"] = replays[i];
  }
  return {{"executions", explored.executions},
          {"complete", explored.is_complete},
          {"cut_off", explored.cut_off},
          {"claims", std::move(claims)}};
}

nlohmann::json ToJson(const std::vector<MatrixRow>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const MatrixRow& row : rows) {
    nlohmann::json cells = nlohmann::json::array();
    for (const MatrixCell& cell : row.cells) {
      nlohmann::json depths = nlohmann::json::array();
      for (const MatrixDepth& each : cell.depths) {
        depths.push_back(ToJson(each.found.explored, each.found.replays));
        depths.back()["depth"] = each.depth;
      }
      cells.push_back(
          {{"fault", cell.fault}, {"text", FormatCell(cell)}, {"depths", std::move(depths)}});
    }
    all.push_back({{"lock", row.lock}, {"clients", row.clients}, {"cells", std::move(cells)}});
    if (!row.refused.empty()) all.back()["refused"] = row.refused;
  }
  return all;
}

}  // namespace doublehold
