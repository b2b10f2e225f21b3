#include "checker/linear/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace doublehold {
namespace {

// The most operations shown that returned before the stuck operation, or were open at its return.
constexpr size_t kReturnedShown = 5;
constexpr size_t kOpenShown = 10;
constexpr int64_t kPartialOrderColumns = 48;

// Selects the stuck operation, the other operations open at its return, and the last few operations
// that had returned before. Sorts them by invocation.
std::vector<size_t> SelectShown(std::span<const Operation> operations, const SearchResult& result) {
  std::vector<size_t> shown(
      result.open.begin(),
      result.open.begin() + static_cast<ptrdiff_t>(std::min(kOpenShown, result.open.size())));
  shown.push_back(result.stuck);
  const int64_t now = operations[result.stuck].returned;
  std::vector<size_t> before;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].indeterminate || operations[i].returned >= now) continue;
    if (std::ranges::find(shown, i) == shown.end()) before.push_back(i);
  }
  std::ranges::sort(before, std::greater{}, [&](size_t i) { return operations[i].returned; });
  before.resize(std::min(kReturnedShown, before.size()));
  shown.insert(shown.end(), before.begin(), before.end());
  std::ranges::sort(shown, {}, [&](size_t i) { return operations[i].invoked; });
  return shown;
}

// Draws "   |------|". `first` is at the left end of the scale and `last` at the right end. An
// operation of unknown outcome ends in a dot.
std::string DrawBar(const Operation& operation, int64_t first, int64_t last) {
  const auto column = [&](int64_t at) {
    const auto share = static_cast<double>(at - first) / static_cast<double>(last - first + 1);
    return static_cast<size_t>(std::clamp(share, 0.0, 1.0) *
                               static_cast<double>(kPartialOrderColumns));
  };
  const size_t begin = column(operation.invoked);
  const size_t end = operation.indeterminate ? static_cast<size_t>(kPartialOrderColumns) + 1
                                             : std::max(begin + 1, column(operation.returned));
  std::string bar(begin, ' ');
  bar += '|' + std::string(end - begin - 1, '-') + (operation.indeterminate ? '.' : '|');
  return bar;
}

}  // namespace

std::string Explain(const Model& model, std::span<const Operation> operations,
                    const SearchResult& result) {
  const Operation& stuck = operations[result.stuck];
  const std::vector<size_t> shown = SelectShown(operations, result);
  const Operation* last_before = nullptr;  // the last operation to return before `stuck`
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
      "{}; then {} (line {}) cannot follow, because the state is {}\n",
      last_before == nullptr
          ? "no operation has returned before"
          : fmt::format("up to the return of {} (line {}) the operations can be ordered",
                        Describe(model, *last_before), last_before->line),
      Describe(model, stuck), stuck.line, fmt::join(states, ", or "));
  for (const size_t i : shown) {
    const Operation& one = operations[i];
    text += fmt::format("  line {:<6} {} {:<{}}  {}\n", one.line, i == result.stuck ? ">" : " ",
                        Describe(model, one), width, DrawBar(one, first, stuck.returned));
  }
  return text;
}

}  // namespace doublehold
