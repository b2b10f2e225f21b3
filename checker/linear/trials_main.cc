// Random small histories of every model against every order, as many as one likes, by hand:
//
//   linear_trials [COUNT [SEED [MODEL...]]]       2,000,000 of each, and the seed of the day, when not said
//
// Exits 1 at the first disagreement.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "checker/linear/trials.h"

int main(int argc, char** argv) {
  using doublehold::Models;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const int64_t count = words.empty() ? 2'000'000 : std::stoll(words[0]);
  const auto today = std::chrono::system_clock::now().time_since_epoch();
  const uint64_t seed =
      words.size() > 1 ? std::stoull(words[1])
                       : static_cast<uint64_t>(
                             std::chrono::duration_cast<std::chrono::hours>(today).count() / 24);
  for (const doublehold::Model& model : Models()) {
    if (words.size() > 2 && std::find(words.begin() + 2, words.end(), model.name) == words.end())
      continue;
    const doublehold::TrialCounts counts = doublehold::RunTrials(model, seed, count);
    const auto& [certain, perhaps] = counts.histories;
    fmt::print(
        "{:<24} seed {}: complete {} valid, {} violated; with unknown outcomes {} valid, {} "
        "violated\n",
        model.name, seed, certain[1], certain[0], perhaps[1], perhaps[0]);
    std::fflush(stdout);
    if (counts.disagreement.empty()) continue;
    fmt::print("{}", counts.disagreement);
    return 1;
  }
  return 0;
}
