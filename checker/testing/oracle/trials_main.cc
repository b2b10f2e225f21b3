// Random small histories of every model and of every claim against every order, by hand:
//
//   brute_trials [COUNT [SEED [NAME...]]]    COUNT of each (2,000,000) from SEED (the day); NAME: a
//                                            model or a claim (all of them)
//   brute_trials --list                      the names, one a line
//
// Exits 1 at the first disagreement, 2 when it knows no such name.
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/linear/trials.h"
#include "checker/testing/oracle/claim_trials.h"

namespace doublehold {
namespace {

using Counted = std::pair<std::string, std::string>;  // the counts, and the disagreement
using Trials = std::function<Counted(uint64_t seed, int64_t count)>;

std::map<std::string, Trials> AllTrials() {
  std::map<std::string, Trials> all;
  for (const Model& model : Models()) {
    all[std::string(model.name)] = [&model](uint64_t seed, int64_t count) -> Counted {
      const TrialCounts counts = RunTrials(model, seed, count);
      const auto& [complete, unknowns] = counts.histories;
      return {fmt::format("complete: {} valid, {} violated; with unknowns: {} valid, {} violated",
                          complete[1], complete[0], unknowns[1], unknowns[0]),
              counts.disagreement};
    };
  }
  for (const brute::ClaimTrials& row : brute::AllClaimTrials()) {
    all[std::string(row.claim)] = [row](uint64_t seed, int64_t count) -> Counted {
      const brute::ClaimTrialCounts counts = RunClaimTrials(row, seed, count);
      return {counts.Line(), counts.disagreement};
    };
  }
  return all;
}

int Main(std::vector<std::string> words) {
  const auto today = std::chrono::system_clock::now().time_since_epoch();
  const std::map<std::string, Trials> all = AllTrials();
  const bool lists = words == std::vector<std::string>{"--list"};
  const int64_t count = words.empty() || lists ? 2'000'000 : std::stoll(words[0]);
  const uint64_t seed = words.size() > 1 ? std::stoull(words[1])
                                         : static_cast<uint64_t>(today / std::chrono::days(1));
  words.erase(words.begin(), words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)));
  if (words.empty()) {
    for (const auto& [name, trials] : all) words.push_back(name);
  }
  for (const std::string& name : words) {
    const auto named = all.find(name);
    if (named == all.end()) {
      fmt::print(stderr, "brute_trials: no model or claim is named {}: see --list\n", name);
      return 2;
    }
    if (lists) fmt::print("{}\n", name);
    if (lists) continue;
    const auto [counts, disagreement] = named->second(seed, count);
    fmt::print("{}, seed {}: {}\n{}", name, seed, counts, disagreement);
    std::fflush(stdout);
    if (!disagreement.empty()) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) { return doublehold::Main({argv + 1, argv + argc}); }
