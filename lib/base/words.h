// Checks names that a user types, and suggests the nearest known one for a misspelt name.
#ifndef DOUBLEHOLD_LIB_BASE_WORDS_H_
#define DOUBLEHOLD_LIB_BASE_WORDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

// Returns " (did you mean 'redlock'?)" when a known word is near, begins with `word`, or ends with
// it after a dot. Otherwise returns " (one of: a, b, c)", or "" when `known` is empty.
std::string Suggestion(std::string_view word, const std::vector<std::string>& known);

// The same, but shortens a long list: " (one of: a, b, ...)".
std::string ShortSuggestion(std::string_view word, std::vector<std::string> known);

// Returns "lock 'redlok' is unknown (did you mean 'redlock'?)".
std::string UnknownWord(std::string_view kind, std::string_view word,
                        const std::vector<std::string>& known);

// Returns the whole number that the word is, or nothing.
std::optional<int> ReadNumber(std::string_view word);

// Returns "1st", "2nd", "11th", "23rd".
std::string Ordinal(int number);

// Splits a list at its commas. Keeps blanks and empty parts.
std::vector<std::string> SplitAtCommas(std::string_view list);

// Escapes control characters and bytes that are not UTF-8 ("\\n", "\\x1b"), so that the text fits
// on one line.
std::string OnOneLine(std::string_view text);

// Returns the longest beginning of at most `most` bytes that splits no UTF-8 character.
std::string_view CutBetweenCharacters(std::string_view text, size_t most);

// Like OnOneLine, but cuts a text of more than 160 bytes (or `most`): "abc... (70000 bytes)".
std::string Shortened(std::string_view text);
std::string Shortened(std::string_view text, size_t most);

// Returns why a text cannot be a name in files, folders and terminals: it has control characters,
// or more bytes than `most`. Returns "" if the text can be a name. An empty text can be a name.
constexpr size_t kMostNameBytes = 250;  // a folder's name has at most 255
std::string WhyNotAName(std::string_view name, size_t most = kMostNameBytes);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_WORDS_H_
