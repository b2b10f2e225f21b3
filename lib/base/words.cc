#include "lib/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <cctype>
#include <charconv>
#include <numeric>
#include <sstream>

namespace doublehold {
namespace {

unsigned char ByteAt(std::string_view text, size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Levenshtein distance that ignores case. Names are short, so a quadratic algorithm is fine.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced =
          diagonal + (std::tolower(ByteAt(a, i)) == std::tolower(ByteAt(b, j)) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

// Returns the word unchanged if it is short enough for a name. Otherwise returns it cut.
std::string CutIfNoName(std::string_view word) {
  return word.size() > kMostNameBytes ? Shortened(word) : std::string(word);
}

// Length of the leading UTF-8 character in bytes; 0 when the text does not begin with one.
size_t CharacterLength(std::string_view text) {
  using Utf8 = boost::locale::utf::utf_traits<char>;
  const char* next = text.data();
  const bool is_one =
      boost::locale::utf::is_valid_codepoint(Utf8::decode(next, text.data() + text.size()));
  return is_one ? static_cast<size_t>(next - text.data()) : 0;
}

}  // namespace

std::string Suggestion(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return {};
  constexpr size_t kLeastPrefix = 3;  // letters; a shorter prefix fits too many words
  // All options begin with "--", so this prefix does not make two words similar.
  constexpr std::string_view kDashes = "--";
  const auto begun = std::ranges::find_if(
      known, [&](const std::string& candidate) { return candidate.starts_with(word); });
  if (word.size() >= kLeastPrefix && begun != known.end())
    return fmt::format(" (did you mean '{}'?)", *begun);
  // For example finds "lock.lease" for "lease".
  const auto ended = std::ranges::find_if(known, [&](const std::string& candidate) {
    return candidate.ends_with(fmt::format(".{}", word));
  });
  if (ended != known.end()) return fmt::format(" (did you mean '{}'?)", *ended);
  if (word.size() > kMostNameBytes) return fmt::format(" (one of: {})", fmt::join(known, ", "));
  const size_t letters = word.size() - (word.starts_with(kDashes) ? kDashes.size() : 0);
  // Among words at the same distance, prefers one with the same first letter.
  std::pair best(std::max<size_t>(2, letters / 2) + 1, false);
  const std::string* nearest = nullptr;
  for (const std::string& candidate : known) {
    const std::pair rank(Distance(word, candidate), candidate.substr(0, 1) != word.substr(0, 1));
    if (rank >= best) continue;
    nearest = &candidate;
    best = rank;
  }
  if (nearest != nullptr) return fmt::format(" (did you mean '{}'?)", *nearest);
  return fmt::format(" (one of: {})", fmt::join(known, ", "));
}

std::string ShortSuggestion(std::string_view word, std::vector<std::string> known) {
  constexpr size_t kMost = 12;
  const std::string nearest = Suggestion(word, known);
  if (known.size() <= kMost || !nearest.starts_with(" (one of")) return nearest;
  known.resize(kMost);
  known.emplace_back("...");
  return fmt::format(" (one of: {})", fmt::join(known, ", "));
}

std::string UnknownWord(std::string_view kind, std::string_view word,
                        const std::vector<std::string>& known) {
  return fmt::format("{} '{}' is unknown{}", kind, CutIfNoName(word), Suggestion(word, known));
}

std::optional<int> ReadNumber(std::string_view word) {
  int number = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::string Ordinal(int number) {
  const int tens = number / 10 % 10;
  const int ones = tens == 1 ? 0 : number % 10;
  const char* end = ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
  return fmt::format("{}{}", number, end);
}

std::vector<std::string> SplitAtCommas(std::string_view list) {
  std::vector<std::string> words;
  std::istringstream in{std::string(list)};
  for (std::string word; std::getline(in, word, ',');) words.push_back(std::move(word));
  return words;
}

std::string OnOneLine(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const size_t length = std::max<size_t>(CharacterLength(text), 1);
    const bool is_no_character = CharacterLength(text) == 0;
    // U+0080 to U+009F: a terminal treats them as ESC and a letter.
    const bool is_long = length == 2 && byte == 0xC2 && ByteAt(text, 1) < 0xA0;
    if (byte == '\n') {
      line += "\\n";
    } else if (byte < ' ' || byte == 0x7F || is_long || is_no_character) {
      line += fmt::format("\\x{:02x}", is_long ? ByteAt(text, 1) : byte);
    } else {
      line += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return line;
}

std::string_view CutBetweenCharacters(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  constexpr size_t kMostContinued = 3;  // bytes of a character after its first
  const auto is_continued = [&](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  for (size_t back = 0; back <= std::min(most, kMostContinued); ++back)
    if (!is_continued(most - back)) return text.substr(0, most - back);
  return text.substr(0, most);  // not UTF-8
}

std::string Shortened(std::string_view text) {
  constexpr size_t kShownBytes = 160;
  return Shortened(text, kShownBytes);
}

std::string Shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return OnOneLine(text);
  return fmt::format("{}... ({} bytes)", OnOneLine(CutBetweenCharacters(text, most)), text.size());
}

std::string WhyNotAName(std::string_view name, size_t most) {
  if (name.size() > most)
    return fmt::format("name '{}': must have at most {} bytes", Shortened(name), most);
  std::string line = OnOneLine(name);
  if (line == name) return {};
  return fmt::format("name '{}': must not have control characters", line);
}

}  // namespace doublehold
