#include "lib/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace doublehold {
namespace {

// Levenshtein distance; the words are names, so a quadratic table is small.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Suggestion(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return {};
  constexpr size_t kTellsMuch = 3;  // letters
  const auto begun = std::ranges::find_if(
      known, [&](const std::string& candidate) { return candidate.starts_with(word); });
  if (word.size() >= kTellsMuch && begun != known.end())
    return fmt::format(" (did you mean '{}'?)", *begun);
  // "lease" for "lock.lease"
  const auto ended = std::ranges::find_if(known, [&](const std::string& candidate) {
    return candidate.ends_with(fmt::format(".{}", word));
  });
  if (ended != known.end()) return fmt::format(" (did you mean '{}'?)", *ended);
  const std::string* nearest = nullptr;
  size_t distance = std::max<size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const size_t d = Distance(word, candidate);
    if (d < distance) {
      nearest = &candidate;
      distance = d;
    }
  }
  if (nearest != nullptr) return fmt::format(" (did you mean '{}'?)", *nearest);
  return fmt::format(" (one of: {})", fmt::join(known, ", "));
}

std::string UnknownWord(std::string_view kind, std::string_view word,
                        const std::vector<std::string>& known) {
  return fmt::format("{} '{}' is unknown{}", kind, word, Suggestion(word, known));
}

}  // namespace doublehold
