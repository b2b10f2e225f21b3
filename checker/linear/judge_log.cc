#include "checker/linear/judge_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "checker/linear/explain.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

struct Reading {
  LogVerdict verdict;
  int64_t failed_releases = 0;
};

Result<Reading> ReadAs(const OpLog& log, const LogQuestion& question,
                       FailedRelease failed_release) {
  const auto objects =
      ObjectsOf(log, question.model, {.by_key = question.by_key, .failed_release = failed_release});
  if (!objects) return tl::unexpected(objects.error());
  Reading reading{.verdict = {.outcome = Outcome3::kValid, .reason = {}, .objects = {}}};
  size_t operations = 0;
  for (const LoggedObject& object : *objects) {
    SearchResult result =
        FindOrder(question.model, question.parameters, object.operations, question.limits);
    if (result.outcome == Outcome3::kViolated)
      result.reason = Explain(question.model, object.operations, result);
    reading.verdict.outcome = std::max(reading.verdict.outcome, result.outcome);
    reading.failed_releases += object.failed_releases;
    operations += object.operations.size();
    reading.verdict.objects.push_back({.key = object.key,
                                       .operations = object.operations.size(),
                                       .outcome = result.outcome,
                                       .configurations = result.configurations,
                                       .reason = std::move(result.reason)});
  }
  if (operations == 0) {
    reading.verdict.outcome = Outcome3::kUnknown;
    reading.verdict.reason =
        fmt::format("no operation of the model: none of {} took effect for certain or perhaps",
                    fmt::join(question.model.functions, ", "));
  }
  return reading;
}

std::string_view Means(FailedRelease reading) {
  switch (reading) {
    case FailedRelease::kNothing:
      return "nothing happened";
    case FailedRelease::kReleased:
      return "the hold ended";
    case FailedRelease::kEither:
      return "either";
  }
  return "";
}

}  // namespace

Result<LogVerdict> JudgeLog(const OpLog& log, const LogQuestion& question) {
  CHECK(!question.readings.empty());
  Result<Reading> first = ReadAs(log, question, question.readings.front());
  if (!first) return tl::unexpected(first.error());
  LogVerdict verdict = std::move(first->verdict);
  if (first->failed_releases == 0) return verdict;
  for (size_t i = 1; i < question.readings.size(); ++i) {
    const Result<Reading> other = ReadAs(log, question, question.readings[i]);
    if (!other) return tl::unexpected(other.error());
    if (other->verdict.outcome == verdict.outcome) continue;
    verdict.reason =
        fmt::format("it hangs on what {} releases that failed mean: {} if {}, {} if {}",
                    first->failed_releases, Name(verdict.outcome), Means(question.readings.front()),
                    Name(other->verdict.outcome), Means(question.readings[i]));
    verdict.outcome = Outcome3::kUnknown;
    break;
  }
  return verdict;
}

}  // namespace doublehold
