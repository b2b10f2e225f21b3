#include "checker/rates/until.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <vector>

#include "checker/verdict/checker.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr double kLeastConfidence = 0.5;
constexpr double kLeastLimit = 1e-9;  // a smaller limit would need too many runs
constexpr int kMostWithoutVerdict = 5;

// Parses a share such as "1e-4" or "0.5%".
std::optional<double> ParseShare(std::string text) {
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return percent ? value / 100 : value;
}

// Suggests `word` with a percent sign, if that is a valid share, and else `otherwise`.
std::string SuggestShare(const std::string& word, double least, const std::string& otherwise) {
  const std::optional<double> as_percent = ParseShare(word + "%");
  const bool near = as_percent && *as_percent >= least && *as_percent < 1;
  return fmt::format(" (did you mean '{}'?)", near ? word + "%" : otherwise);
}

// Reads a text word by word. "rate<1e-4@95%" has the same words as "rate < 1e-4 @ 95%".
class WordReader {
 public:
  explicit WordReader(const std::string& text) {
    std::string spaced;
    for (const char c : text)
      spaced += c == '<' || c == '@' ? fmt::format(" {} ", c) : std::string{c};
    std::istringstream in(spaced);
    for (std::string word; in >> word;) words_.push_back(word);
  }

  [[nodiscard]] bool AtEnd() const { return at_ == words_.size(); }
  // The current word, quoted for a message.
  [[nodiscard]] std::string Current() const {
    return AtEnd() ? "the end" : fmt::format("'{}'", words_[at_]);
  }
  [[nodiscard]] std::string Next() { return AtEnd() ? "" : words_[at_++]; }
  bool Skip(std::string_view word) {
    const bool found = !AtEnd() && words_[at_] == word;
    at_ += found ? 1 : 0;
    return found;
  }

 private:
  std::vector<std::string> words_;
  size_t at_ = 0;
};

// An error message; nullopt if the text is valid.
using ParseError = std::optional<std::string>;

ParseError ReadSubject(WordReader& words, Until& until) {
  if (words.AtEnd()) return "it is empty";
  if (!words.Skip("rate")) {
    const std::string word = words.Next();
    return fmt::format("it begins with '{}'{}", word, Suggestion(word, {"rate"}));
  }
  if (words.Skip("of")) {
    std::vector<std::string> claims;
    for (const CheckerEntry& checker : Checkers()) claims.emplace_back(checker.claim);
    const std::string claim = words.Next();
    if (std::ranges::find(claims, claim) == claims.end())
      return UnknownWord("claim", claim, claims);
    until.claim = claim;
  }
  if (words.Skip("per")) {
    if (!words.Skip("run"))
      return fmt::format("expected 'run' after 'per', found {}", words.Current());
    until.per_run = true;
  }
  if (words.Skip("<")) return std::nullopt;
  return fmt::format("expected '<', found {}", words.Current());
}

ParseError ReadLimit(WordReader& words, Until& until) {
  if (words.AtEnd()) return "the limit after '<' is missing";
  const std::string word = words.Next();
  const std::optional<double> limit = ParseShare(word);
  if (!limit) return fmt::format("the limit '{}' is not a number", word);
  if (!(*limit >= kLeastLimit && *limit < 1)) {
    return fmt::format("the limit '{}' is not from 1e-9 to below 1{}", word,
                       SuggestShare(word, kLeastLimit, *limit >= 1 ? "0.99" : "1e-9"));
  }
  until.question.limit = *limit;
  return std::nullopt;
}

ParseError ReadConfidence(WordReader& words, Until& until) {
  if (!words.Skip("@")) return std::nullopt;
  if (words.AtEnd()) return "the confidence after '@' is missing";
  const std::string word = words.Next();
  const std::optional<double> level = ParseShare(word);
  if (!level) return fmt::format("the confidence '{}' is not a number", word);
  if (!(*level >= kLeastConfidence && *level < 1)) {
    return fmt::format("the confidence '{}' is not from 50% to below 100%{}", word,
                       SuggestShare(word, kLeastConfidence, *level >= 1 ? "99%" : "50%"));
  }
  until.question.confidence = *level;
  return std::nullopt;
}

}  // namespace

Result<Until> ReadUntil(const std::string& text) {
  Until until{.question = {}, .text = text};
  WordReader words(text);
  ParseError wrong = ReadSubject(words, until);
  if (!wrong) wrong = ReadLimit(words, until);
  if (!wrong) wrong = ReadConfidence(words, until);
  if (!wrong && !words.AtEnd()) wrong = fmt::format("unexpected {}", words.Current());
  if (!wrong) return until;
  return BadInput(fmt::format(
      "--until '{}': {}; for example 'rate < 1e-4 @ 95%' or 'rate of stock per run < 1%'", text,
      *wrong));
}

void Repetitions::Take(int repetition, RunTrials run) {
  waiting_.emplace(repetition, std::move(run));
  for (auto it = waiting_.find(next_); it != waiting_.end(); it = waiting_.find(++next_)) {
    Look(it->second);
    waiting_.erase(it);
  }
}

void Repetitions::Look(const RunTrials& run) {
  if (answer() != RateAnswer::kOpen) return;
  ++runs_;
  without_verdict_ = run.unit.empty() ? without_verdict_ + 1 : 0;
  over_ = over_ || without_verdict_ >= kMostWithoutVerdict;
  if (!run.unit.empty() && !until_.per_run) unit_ = run.unit;
  const auto& counts = until_.per_run ? run.by_run : run.by_trial;
  const auto found = counts.find(until_.claim);
  const TrialCount trials = found == counts.end() ? UndecidedTrials(largest_) : found->second;
  largest_ = std::max(largest_, trials.of);
  test_.Take(trials);
  over_ = over_ || answer() != RateAnswer::kOpen;
}

}  // namespace doublehold
