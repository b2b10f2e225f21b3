// The summary of a suite that was repeated.

#include <fmt/format.h>

#include "checker/evidence/names.h"
#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

std::string Line(const std::string& cell, const std::string& claim, const std::string& text) {
  return fmt::format("{:<28} {:<22} {}\n", cell, claim, text);
}

// Returns the violation rate of all claims together, then of each claim that was violated or
// undecided. The last lines have the lost updates and the refused stale writes, if there are any.
std::string CellRates(const SuiteCell& cell, const RunTrials& pooled) {
  const std::string unit = pooled.unit.empty() ? "run" : pooled.unit;
  std::string text;
  for (const auto& [claim, trials] : pooled.by_trial) {
    const bool any = claim == kAnyClaim;
    if (!any && trials.violated + trials.undecided == 0) continue;
    text += Line(any ? cell.name : "", any ? "any claim" : claim, RateText(trials, unit));
  }
  int64_t lost = 0;
  for (const TrialShare& trial : pooled.lost_updates) lost += trial.count;
  if (lost + pooled.refused_writes == 0) return text;
  if (!pooled.lost_updates.empty()) {
    text += Line("", "lost updates",
                 fmt::format("{} of {}", lost, ShareText(pooled.lost_updates, unit)));
  }
  if (pooled.refused_writes > 0)
    text += Line("", "stale writes refused", std::to_string(pooled.refused_writes));
  return text;
}

}  // namespace

std::string AnswerText(const Repetitions& answer, const Until& until) {
  const TrialCount& seen = answer.seen();
  const Interval bounds{.low = LowerBoundAt(seen, until.question.confidence),
                        .high = UpperBoundAt(seen, until.question.confidence)};
  std::string text = fmt::format("{} after {}: {}, ", Name(answer.answer()),
                                 Counted(answer.runs(), "run"), CountText(seen, answer.unit()));
  if (answer.answer() == RateAnswer::kBelow) return text + AtMostText(bounds.high);
  if (answer.answer() == RateAnswer::kNotBelow) return text + AtLeastText(bounds.low);
  text += PercentText(bounds);
  return answer.IsOver() ? text + "; the last runs came to no verdict" : text;
}

AnswerCount CountAnswers(const SuiteResult& result) {
  AnswerCount count;
  for (size_t i = 0; i < result.answers.size(); ++i) {
    if (result.runs[i].empty()) continue;  // the cell is in another shard
    switch (result.answers[i].answer()) {
      case RateAnswer::kOpen:
        ++count.not_decided;
        break;
      case RateAnswer::kBelow:
        ++count.below;
        break;
      case RateAnswer::kNotBelow:
        ++count.not_below;
        break;
    }
  }
  return count;
}

std::string FormatRates(const SuiteRequest& request, const SuiteResult& result) {
  if (request.repeat == 1 && !request.until) return "";
  std::string text = "\nviolated, with the exact 95 % interval:\n";
  std::string answers;
  for (size_t i = 0; i < request.suite.cells.size(); ++i) {
    if (result.runs[i].empty()) continue;
    const SuiteCell& cell = request.suite.cells[i];
    text += CellRates(cell, PoolTrials(result.runs[i]));
    if (!request.until) continue;
    answers += fmt::format("{:<28} {}\n", cell.name, AnswerText(result.answers[i], *request.until));
  }
  if (!request.until) return text + "\n";
  const AnswerCount count = CountAnswers(result);
  return fmt::format("{}\nuntil {}:\n{}{} below, {} not below, {} not decided\n\n", text,
                     request.until->text, answers, count.below, count.not_below, count.not_decided);
}

}  // namespace doublehold
