#include "checker/report/claim_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

namespace doublehold {

std::vector<const CheckerEntry*> InOrderOfLetters() {
  std::vector<const CheckerEntry*> entries;
  for (const CheckerEntry& entry : Checkers()) entries.push_back(&entry);
  std::ranges::stable_sort(entries, {}, [](const CheckerEntry* entry) {
    return entry->letter.vital == 0 ? INT_MAX : entry->letter.vital;
  });
  return entries;
}

std::string LettersOf(const std::vector<std::string>& violated) {
  const bool granted_twice = std::ranges::find(violated, "lease-exclusion") != violated.end();
  std::string letters;
  for (const CheckerEntry* each : InOrderOfLetters()) {
    if (std::ranges::find(violated, each->claim) == violated.end()) continue;
    if (each->claim == "exclusion" && granted_twice) continue;
    letters += each->letter.letter;
  }
  return letters;
}

std::string LegendOf(std::string_view letters) {
  std::string text;
  for (const CheckerEntry* each : InOrderOfLetters()) {
    if (letters.find(each->letter.letter) != std::string_view::npos)
      text += fmt::format("  {}  {}: {}\n", each->letter.letter, each->claim, each->letter.meaning);
  }
  return text;
}

}  // namespace doublehold
