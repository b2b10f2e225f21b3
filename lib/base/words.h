// Names that a user types, and the nearest one when it is misspelt.
#ifndef DOUBLEHOLD_LIB_BASE_WORDS_H_
#define DOUBLEHOLD_LIB_BASE_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

// " (did you mean 'redlock'?)" when a known word is near, or begins so, or ends so after a dot;
// else " (one of: a, b, c)"; nothing when none is known. Begins with a space.
std::string Suggestion(std::string_view word, const std::vector<std::string>& known);

// "lock 'redlok' is unknown (did you mean 'redlock'?)"
std::string UnknownWord(std::string_view kind, std::string_view word,
                        const std::vector<std::string>& known);

// "a,b": what stands between commas, as it stands there.
std::vector<std::string> SplitAtCommas(std::string_view list);

// With its control characters, and bytes that are no UTF-8, written out ("\\n", "\\x1b"), so that
// it can stand in a line of text.
std::string OnOneLine(std::string_view text);

// The same, cut after 160 bytes: "abc... (70000 bytes)".
std::string Shortened(std::string_view text);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_WORDS_H_
