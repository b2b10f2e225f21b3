#include "checker/linear/judge_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "checker/linear/explain.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

std::string_view DescribeReading(FailedRelease reading) {
  constexpr std::array<std::string_view, 3> kMeanings{"nothing happened", "the hold ended",
                                                      "each may or may not have ended its hold"};
  return kMeanings[static_cast<size_t>(reading)];
}

// Returns a reason if too few grants have a token for `valid` to mean anything.
std::optional<std::string> ExplainTooFewTokens(const Model& model,
                                               const std::vector<Operation>& operations) {
  int64_t granted = 0;
  int64_t with_token = 0;
  for (const Operation& one : operations) {
    if (one.indeterminate || model.ValuesOf(one.function).result != ValueKind::kToken) continue;
    ++granted;
    with_token += one.result.empty() ? 0 : 1;
  }
  if (granted == with_token) return std::nullopt;
  if (with_token > 1 && 2 * with_token >= granted) return std::nullopt;
  return fmt::format("{} of {} acquires were answered with a token: too few to compare", with_token,
                     granted);
}

ObjectVerdict JudgeObject(const LoggedObject& object, const std::vector<Operation>& operations,
                          const LogQuestion& question, const SearchLimits& limits) {
  SearchResult result = FindOrder(question.model, question.parameters, operations, limits);
  if (result.outcome == Outcome::kViolated)
    result.reason = Explain(question.model, operations, result);
  const auto too_few = ExplainTooFewTokens(question.model, operations);
  if (result.outcome == Outcome::kValid && too_few) {
    result.outcome = Outcome::kUnknown;
    result.reason = *too_few;
  }
  return {.key = object.key,
          .operations = operations.size(),
          .outcome = result.outcome,
          .configurations = result.configurations,
          .reason = std::move(result.reason)};
}

Outcome FindWorstOutcome(const std::vector<ObjectVerdict>& verdicts) {
  Outcome worst = Outcome::kValid;
  for (const ObjectVerdict& verdict : verdicts) worst = std::max(worst, verdict.outcome);
  return worst;
}

// Tries the two simplest cases of kEither: all failed releases ended their hold, and none did. An
// order in one of these cases is also an order for kEither. The case "none did" is left out for a
// model with `not-owner`: in such a model, kNothing also asserts that the process was not the
// owner.
std::optional<ObjectVerdict> TrySimplestReadings(const LoggedObject& object,
                                                 const LogQuestion& question) {
  SearchLimits limits = question.limits;
  limits.configurations = std::min(limits.configurations, question.first_configurations);
  const bool tells_owner =
      std::ranges::find(question.model.functions, "not-owner") != question.model.functions.end();
  for (const FailedRelease reading : {FailedRelease::kReleased, FailedRelease::kNothing}) {
    if (reading == FailedRelease::kNothing && tells_owner) continue;
    ObjectVerdict verdict =
        JudgeObject(object, ApplyReading(object, question.model, reading), question, limits);
    verdict.operations = object.operations.size();
    if (verdict.outcome == Outcome::kValid) return verdict;
  }
  return std::nullopt;
}

std::vector<ObjectVerdict> JudgeObjects(const LoggedHistory& history, const LogQuestion& question,
                                        FailedRelease reading) {
  const auto judge = [&](const LoggedObject& object, const SearchLimits& limits) {
    if (object.failed_releases.empty())
      return JudgeObject(object, object.operations, question, limits);
    if (reading == FailedRelease::kEither) {
      if (auto valid = TrySimplestReadings(object, question)) return std::move(*valid);
    }
    return JudgeObject(object, ApplyReading(object, question.model, reading), question, limits);
  };
  SearchLimits first = question.limits;
  first.configurations = std::min(first.configurations, question.first_configurations);
  std::vector<ObjectVerdict> verdicts;
  for (const LoggedObject& object : history.objects) verdicts.push_back(judge(object, first));
  if (FindWorstOutcome(verdicts) != Outcome::kUnknown) return verdicts;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].outcome == Outcome::kUnknown)
      verdicts[i] = judge(history.objects[i], question.limits);
  }
  return verdicts;
}

// For a model that needs times, checks that each event has a time and each acquire a lease. A hold
// without a lease would never end by itself.
Result<void> CheckTimes(const LoggedHistory& history, const Model& model) {
  const std::string& name = history.skips.name();
  if (!history.facts.timed) {
    return BadInput(
        fmt::format("{}: the model {} needs the times of events, in ns", name, model.name));
  }
  for (const LoggedObject& object : history.objects) {
    for (const Operation& operation : object.operations) {
      if (model.functions[operation.function] != "acquire") continue;
      if (operation.argument.empty() || operation.argument[0] == kNil) {
        return BadInput(fmt::format(
            "{}:{}: the acquire has no lease; add it, as in :value {{:lease_ns 500000000}}", name,
            operation.line));
      }
      if (operation.argument[0] < 0)
        return BadInput(
            fmt::format("{}:{}: the lease is not a number of nanoseconds", name, operation.line));
    }
  }
  return {};
}

void MakeUnknown(LogVerdict& verdict, std::string reason) {
  verdict.outcome = Outcome::kUnknown;
  if (!verdict.reason.empty()) verdict.reason += "; ";
  verdict.reason += reason;
}

void JudgeReadings(const LoggedHistory& history, const LogQuestion& question, LogVerdict& verdict) {
  for (const LoggedObject& object : history.objects)
    verdict.failed_releases += static_cast<int64_t>(object.failed_releases.size());
  for (const FailedRelease reading : question.failed_releases) {
    std::vector<ObjectVerdict> objects = JudgeObjects(history, question, reading);
    verdict.readings.push_back({reading, FindWorstOutcome(objects)});
    if (verdict.readings.size() == 1) verdict.objects = std::move(objects);
    if (verdict.failed_releases == 0) break;
  }
  const ReadingVerdict& first = verdict.readings.front();
  verdict.outcome = first.outcome;
  const auto other = std::ranges::find_if(verdict.readings, [&](const ReadingVerdict& reading) {
    return reading.outcome != first.outcome;
  });
  if (other == verdict.readings.end()) return;
  MakeUnknown(
      verdict,
      fmt::format("the outcome depends on failed releases ({}): {} if {}, {} if {}",
                  verdict.failed_releases, Name(first.outcome), DescribeReading(first.means),
                  Name(other->outcome), DescribeReading(other->means)));
}

// Judges the log in the order of times as well if its times go back and no index confirms the order
// of the file. Such a file may be several concatenated logs.
void CompareWithTimeOrder(LoggedHistory& history, const LogQuestion& question,
                          LogVerdict& verdict) {
  if (question.model.needs_times || history.facts.steps_back == 0) return;
  verdict.steps_back = history.facts.steps_back;
  verdict.first_step_back = history.facts.first_step_back;
  if (history.facts.indexed) return;
  OrderByTimes(history);
  LogVerdict by_times{.reason = {}, .objects = {}, .readings = {}, .skips = history.skips};
  JudgeReadings(history, question, by_times);
  if (by_times.outcome == verdict.outcome) return;
  MakeUnknown(
      verdict,
      fmt::format("the outcome depends on the order of events: {} in file order, {} by their times",
                  Name(verdict.outcome), Name(by_times.outcome)));
}

void AccountForSkips(LogVerdict& verdict) {
  const SkipWeight weight = verdict.skips.weight();
  const bool stands = weight == SkipWeight::kNothing || verdict.outcome == Outcome::kUnknown ||
                      (weight == SkipWeight::kConstraint && verdict.outcome == Outcome::kViolated);
  if (stands) return;
  MakeUnknown(verdict,
              fmt::format("{} in the lines that were read, but the skipped lines may matter",
                          Name(verdict.outcome)));
}

}  // namespace

std::string_view Name(FailedRelease reading) {
  constexpr std::array<std::string_view, 3> kNames{"fail", "ok", "info"};
  return kNames[static_cast<size_t>(reading)];
}

Result<LogVerdict> JudgeLog(TextSource& source, LogFormat format, const LogQuestion& question) {
  CHECK(!question.failed_releases.empty());
  Result<LoggedHistory> history = ReadObjects(source, format, question.model, question.reading);
  if (!history) return tl::unexpected(history.error());
  if (question.model.needs_times) {
    if (Result<void> ok = CheckTimes(*history, question.model); !ok)
      return tl::unexpected(ok.error());
  }
  LogVerdict verdict{.reason = {}, .objects = {}, .readings = {}, .skips = history->skips};
  JudgeReadings(*history, question, verdict);
  CompareWithTimeOrder(*history, question, verdict);
  size_t operations = 0;
  for (const ObjectVerdict& object : verdict.objects) operations += object.operations;
  if (operations == 0) {
    MakeUnknown(verdict,
                fmt::format("the history has no operation of the model (one of {}) that took or "
                            "may have taken effect",
                            fmt::join(question.model.functions, ", ")));
  }
  if (question.model.needs_times && (history->facts.renewed || history->outlasts)) {
    MakeUnknown(verdict, "leases were extended, or may have been, and the model has no extensions");
  }
  if (history->shared)
    MakeUnknown(verdict, "some grants were shared by readers, and the model has no readers");
  AccountForSkips(verdict);
  return verdict;
}

}  // namespace doublehold
