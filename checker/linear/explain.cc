#include "checker/linear/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace doublehold {
namespace {

constexpr size_t kBefore = 5;  // operations shown that had returned before the stuck one
constexpr size_t kOpen = 10;   // operations shown that were open then
constexpr int64_t kColumns = 48;

// The stuck operation, the others that were open, and the last few that had returned before them,
// in the order of invocation.
std::vector<size_t> Around(std::span<const Operation> operations, const SearchResult& result) {
  std::vector<size_t> shown(
      result.open.begin(),
      result.open.begin() + static_cast<ptrdiff_t>(std::min(kOpen, result.open.size())));
  shown.push_back(result.stuck);
  const int64_t now = operations[result.stuck].returned;
  std::vector<size_t> before;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].indeterminate || operations[i].returned >= now) continue;
    if (std::ranges::find(shown, i) == shown.end()) before.push_back(i);
  }
  std::ranges::sort(before, std::greater{}, [&](size_t i) { return operations[i].returned; });
  before.resize(std::min(kBefore, before.size()));
  shown.insert(shown.end(), before.begin(), before.end());
  std::ranges::sort(shown, {}, [&](size_t i) { return operations[i].invoked; });
  return shown;
}

// "   |------|", scaled so that `first` is at the start and `last` at the end; an open end is a
// dot.
std::string Bar(const Operation& operation, int64_t first, int64_t last) {
  const auto column = [&](int64_t at) {
    const auto share = static_cast<double>(at - first) / static_cast<double>(last - first + 1);
    return static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(kColumns));
  };
  const size_t begin = column(operation.invoked);
  const size_t end = operation.indeterminate ? static_cast<size_t>(kColumns) + 1
                                             : std::max(begin + 1, column(operation.returned));
  std::string bar(begin, ' ');
  bar += '|' + std::string(end - begin - 1, '-') + (operation.indeterminate ? '.' : '|');
  return bar;
}

}  // namespace

std::string Explain(const Model& model, std::span<const Operation> operations,
                    const SearchResult& result) {
  const Operation& stuck = operations[result.stuck];
  const std::vector<size_t> shown = Around(operations, result);
  const Operation* last_before = nullptr;  // the last operation to return before the stuck one
  int64_t first = stuck.invoked;
  size_t width = 0;
  for (const size_t i : shown) {
    const Operation& one = operations[i];
    first = std::min(first, one.invoked);
    width = std::max(width, Describe(model, one).size());
    if (one.indeterminate || one.returned >= stuck.returned) continue;
    if (last_before == nullptr || one.returned > last_before->returned) last_before = &one;
  }
  std::vector<std::string> states;
  for (const ModelState& state : result.states) states.push_back(model.describe(state));
  std::string text = fmt::format(
      "{}; then {} (line {}) cannot be placed: the state would be {}\n",
      last_before == nullptr
          ? "no operation comes before"
          : fmt::format("up to the return of {} (line {}) the operations can be ordered",
                        Describe(model, *last_before), last_before->line),
      Describe(model, stuck), stuck.line, fmt::join(states, ", or "));
  for (const size_t i : shown) {
    const Operation& one = operations[i];
    text += fmt::format("  line {:<6} {} {:<{}}  {}\n", one.line, i == result.stuck ? ">" : " ",
                        Describe(model, one), width, Bar(one, first, stuck.returned));
  }
  return text;
}

}  // namespace doublehold
