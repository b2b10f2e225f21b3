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

class Matrix {
 public:
  Matrix(const MatrixTerms& terms, const MatrixExploring& exploring,
         const std::function<void(const MatrixSearch&)>& progress)
      : terms_(terms), exploring_(exploring), progress_(progress) {}

  MatrixRow Row(const std::string& lock, int clients) {
    MatrixRow row{.lock = lock, .clients = clients};
    Add(row, "none", {});
    for (const FaultForm fault : terms_.faults) Add(row, std::string(EntryOf(fault).name), {fault});
    if (terms_.faults.size() > 1) Add(row, "any", terms_.faults);
    return row;
  }

 private:
  void Add(MatrixRow& row, std::string name, const std::vector<FaultForm>& faults) {
    if (!row.refused.empty()) return;
    MatrixCell cell{.fault = std::move(name), .depths = {}};
    const int deepest = faults.empty() ? 0 : terms_.depth;
    for (int depth = faults.empty() ? 0 : 1; depth <= deepest; ++depth) {
      const MatrixSearch search{
          .lock = row.lock, .clients = row.clients, .faults = faults, .depth = depth};
      progress_(search);
      Result<MatrixFound> found = exploring_(search);
      if (!found) {
        row.refused = found.error().message;
        row.cells.clear();
        return;
      }
      const bool goes_on = found->explored.is_complete;
      cell.depths.push_back({.depth = depth, .found = std::move(*found)});
      if (!goes_on) break;
    }
    row.cells.push_back(std::move(cell));
  }

  const MatrixTerms& terms_;
  const MatrixExploring& exploring_;
  const std::function<void(const MatrixSearch&)>& progress_;
};

}  // namespace

std::vector<MatrixRow> ExploreMatrix(const MatrixTerms& terms, const MatrixExploring& exploring,
                                     const std::function<void(const MatrixSearch&)>& progress) {
  Matrix matrix(terms, exploring, progress);
  std::vector<MatrixRow> rows;
  for (const std::string& lock : terms.locks) {
    for (const int clients : terms.clients) rows.push_back(matrix.Row(lock, clients));
  }
  return rows;
}

std::string TextOf(const MatrixCell& cell) {
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
    is_unknown =
        is_unknown || std::ranges::any_of(each.found.explored.claims,
                                          [](const Found& one) { return one.unknown > 0; });
  }
  if (before.empty() && is_unknown) return text + kUnknownLetter;
  return text.empty() ? "." : text;
}

std::string MarkdownOf(const std::vector<MatrixRow>& rows) {
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
      text += fmt::format(" {} |", TextOf(cell));
      letters += TextOf(cell);
    }
    text += "\n";
  }
  text += "\n" + LegendOf(letters);
  if (letters.find('+') != std::string::npos) text += "  +  what one more fault adds\n";
  if (letters.find(kUnknownLetter) != std::string::npos)
    text += fmt::format("  {}  unknown\n", kUnknownLetter);
  if (letters.find(kCutShort) != std::string::npos)
    text += fmt::format("  {}  the budget ended: there may be more\n", kCutShort);
  text += "  .  nothing, in all executions\n";
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
          {{"fault", cell.fault}, {"text", TextOf(cell)}, {"depths", std::move(depths)}});
    }
    all.push_back({{"lock", row.lock}, {"clients", row.clients}, {"cells", std::move(cells)}});
    if (!row.refused.empty()) all.back()["refused"] = row.refused;
  }
  return all;
}

}  // namespace doublehold
