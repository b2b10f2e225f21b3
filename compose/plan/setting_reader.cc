#include "compose/plan/setting_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <charconv>
#include <sstream>

#include "lib/base/words.h"

namespace doublehold {
namespace {

// Guesses a missing unit from the default value.
std::string_view GuessUnit(std::string_view usual) {
  const size_t unit = usual.find_last_of("0123456789") + 1;
  return usual.substr(unit) == "s" && usual != "0s" ? "s" : "ms";
}

}  // namespace

void SettingReader::Fail(const std::string& name, const std::string& message) {
  FailPlainly({ExitCode::kBadInput, fmt::format("{}: {}", settings_.Where(name), message)});
}

void SettingReader::FailPlainly(const Error& error) {
  if (!error_) error_ = error;
}

std::optional<std::string> SettingReader::Word(const std::string& name) {
  Result<std::optional<std::string>> word = settings_.TakeWord(name);
  if (word) return *word;
  FailPlainly(word.error());
  return std::nullopt;
}

std::string SettingReader::Word(const std::string& name, std::string_view fallback) {
  return Word(name).value_or(std::string(fallback));
}

std::string SettingReader::Known(const std::string& name, std::string_view kind,
                                 std::string_view fallback, const std::vector<std::string>& known) {
  std::string word = Word(name, fallback);
  if (std::ranges::find(known, word) == known.end()) Fail(name, UnknownWord(kind, word, known));
  return word;
}

int64_t SettingReader::Integer(const std::string& name, int64_t fallback, int64_t least,
                               int64_t most) {
  const std::optional<std::string> word = Word(name);
  if (!word) return fallback;
  int64_t value = 0;
  const auto [end, status] = std::from_chars(word->data(), word->data() + word->size(), value);
  const bool is_huge = status == std::errc::result_out_of_range;
  if (status == std::errc::invalid_argument || end != word->data() + word->size()) {
    Fail(name, fmt::format("'{}' is not a whole number", *word));
  } else if (is_huge || value < least || value > most) {
    Fail(name, fmt::format("{} is not in {}..{}", *word, least, most));
  }
  return value;
}

double SettingReader::Number(const std::string& name, double fallback, double least, double most) {
  const std::optional<std::string> word = Word(name);
  if (!word) return fallback;
  double value = 0;
  const auto [end, status] = std::from_chars(word->data(), word->data() + word->size(), value);
  if (status != std::errc{} || end != word->data() + word->size()) {
    Fail(name, fmt::format("'{}' is not a number", *word));
  } else if (!(value >= least && value <= most)) {
    Fail(name, fmt::format("{} is not in {}..{}", value, least, most));
  }
  return value;
}

bool SettingReader::Flag(const std::string& name, bool fallback) {
  const std::string word = Word(name, fallback ? "true" : "false");
  if (word != "true" && word != "false")
    Fail(name, fmt::format("'{}' is neither true nor false", word));
  return word == "true";
}

Duration SettingReader::Span(const std::string& name, std::string_view fallback) {
  const Result<Duration> span = ParseDuration(Word(name, fallback), lease_, GuessUnit(fallback));
  if (span) return *span;
  Fail(name, span.error().message);
  return {};
}

Duration SettingReader::SignedSpan(const std::string& name, std::string_view fallback) {
  const std::string word = Word(name, fallback);
  const bool back = word.starts_with('-');
  const Result<Duration> span = ParseDuration(back ? word.substr(1) : word, lease_);
  if (span) return back ? -*span : *span;
  Fail(name, span.error().message);
  return {};
}

std::vector<std::string> SettingReader::Words(const std::string& name, std::string_view none) {
  const std::optional<Setting> setting = settings_.Take(name);
  if (!setting) return {};
  std::vector<std::string> words = setting->words;
  if (!setting->is_list) {
    words = SplitAtCommas(setting->words.front());
    for (std::string& word : words) boost::trim(word);
    if (words.size() <= 1 && (words.empty() || words.front().empty())) {
      Fail(name,
           none.empty() ? "is empty" : fmt::format("is empty; use '{}' for no {}", none, name));
    } else if (std::ranges::find(words, "") != words.end()) {
      Fail(name, "a word is missing between its commas");
    }
  }
  if (none.empty() || std::ranges::find(words, none) == words.end()) return words;
  if (words.size() > 1) Fail(name, fmt::format("'{}' stands alone", none));
  return {};
}

}  // namespace doublehold
