// Random small histories of every model and of every claim against every order, as many as one
// likes, by hand:
//
//   brute_trials [COUNT [SEED [NAME...]]]       2,000,000 of each, and the seed of the day, when not said; NAME: a model or a claim
//   brute_trials --list                         the names, one a line
//
// Exits 1 at the first disagreement, 2 when it knows no such name.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "checker/linear/trials.h"
#include "checker/testing/oracle/claim_trials.h"

namespace doublehold {
namespace {

struct Question {
  int64_t count = 2'000'000;
  uint64_t seed = 0;
  std::vector<std::string> names;  // none: all

  [[nodiscard]] bool Asks(std::string_view name) const {
    return names.empty() || std::ranges::find(names, name) != names.end();
  }
};

bool Tell(std::string_view what, std::string_view name, uint64_t seed, const std::string& counts,
          const std::string& disagreement) {
  fmt::print("{} {}, seed {}: {}\n{}", what, name, seed, counts, disagreement);
  std::fflush(stdout);
  return disagreement.empty();
}

bool TryModel(const Question& question, const Model& model) {
  const TrialCounts counts = RunTrials(model, question.seed, question.count);
  const auto& [complete, perhaps] = counts.histories;
  return Tell("model", model.name, question.seed,
              fmt::format("complete: {} valid, {} violated; with unknown outcomes: {} valid, {} "
                          "violated",
                          complete[1], complete[0], perhaps[1], perhaps[0]),
              counts.disagreement);
}

bool TryClaim(const Question& question, const brute::ClaimTrials& row) {
  const brute::ClaimTrialCounts counts = brute::RunClaimTrials(row, question.seed, question.count);
  return Tell("claim", row.claim, question.seed, counts.Line(), counts.disagreement);
}

int Try(const Question& question) {
  size_t tried = 0;
  for (const Model& model : Models()) {
    if (!question.Asks(model.name)) continue;
    ++tried;
    if (!TryModel(question, model)) return 1;
  }
  for (const brute::ClaimTrials& row : brute::AllClaimTrials()) {
    if (!question.Asks(row.claim)) continue;
    ++tried;
    if (!TryClaim(question, row)) return 1;
  }
  for (const brute::NoTrials& none : brute::ClaimsWithoutTrials()) {
    if (!question.Asks(none.claim)) continue;
    ++tried;
    fmt::print("claim {}: none, for {}\n", none.claim, none.because);
  }
  if (tried > 0 && tried >= question.names.size()) return 0;
  fmt::print(stderr, "brute_trials: a name is neither a model's nor a claim's\n");
  return 2;
}

void ListNames() {
  for (const Model& model : Models()) fmt::print("{}\n", model.name);
  for (const brute::ClaimTrials& row : brute::AllClaimTrials()) fmt::print("{}\n", row.claim);
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) {
  using std::chrono::duration_cast;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"--list"}) {
    doublehold::ListNames();
    return 0;
  }
  const auto today = std::chrono::system_clock::now().time_since_epoch();
  doublehold::Question question{
      .seed = static_cast<uint64_t>(duration_cast<std::chrono::hours>(today).count() / 24)};
  if (!words.empty()) question.count = std::stoll(words[0]);
  if (words.size() > 1) question.seed = std::stoull(words[1]);
  if (words.size() > 2) question.names.assign(words.begin() + 2, words.end());
  return doublehold::Try(question);
}
