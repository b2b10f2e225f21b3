#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "checker/judge.h"
#include "checker/judge_file.h"
#include "checker/linear/judge_log.h"
#include "compose/options/command_line.h"
#include "compose/os/last_words.h"
#include "compose/os/run_folder.h"
#include "compose/plan/claim_settings.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/history/csv.h"
#include "lib/history/jsonl.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

po::options_description CheckOptions() {
  po::options_description options("options");
  auto add = options.add_options();
  add("json", "print the verdict as JSON");
  add("verbose", "for a run: also print every kind of violation, the margins and the faults");
  add("claims", po::value<std::string>(),
      "judge these claims of a run, comma-separated (doublehold list claims)");
  add("model", po::value<std::string>(),
      "check the history against this model (doublehold list models)");
  add("format", po::value<std::string>(),
      "format of the file: edn, jsonl, json (an array), csv or jepsen-log; default: detected");
  add("map", po::value<std::string>(),
      "words of the log for fields, types and functions: lock=acquire,unlock=release,"
      "worker=process,ts=time");
  add("lenient", "skip malformed input and report it");
  add("partition-by", po::value<std::string>(),
      "event (default): one object for each 'key' of an event; key: also for each key of a value "
      "[key value]; none: one object");
  add("release-failed-means", po::value<std::string>(),
      "meaning of a failed release: fail (nothing happened), ok (the hold ended) or info (either)");
  add("permits", po::value<std::string>(), "permits of a semaphore; default: 1");
  add("initial", po::value<std::string>(),
      "initial value of a register (default nil) or an inventory (default 0)");
  add("lease-grace", po::value<std::string>(),
      "how much longer than requested a lease may last; 2ms for a server that counts in "
      "milliseconds");
  add("most-configurations", po::value<std::string>(),
      "maximum number of configurations; beyond it, the outcome is unknown; default: 20000000");
  return options;
}

Result<void> TakeNumber(const ParsedLine& line, const char* option, int64_t least,
                        int64_t& number) {
  if (!line.values.contains(option)) return {};
  const auto text = line.values[option].as<std::string>();
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc{} && end == text.data() + text.size() && number >= least) return {};
  return BadInput(
      fmt::format("--{} {}: must be a whole number of at least {}", option, text, least));
}

// Refuses an option that has no effect on this model.
Result<void> CheckOptionsApply(const ParsedLine& line, const Model& model) {
  const auto differs = [&](const ModelParameters& said) {
    return model.initial(said) != model.initial(ModelParameters{});
  };
  const bool is_released = std::ranges::any_of(
      model.functions, [](std::string_view function) { return function.ends_with("release"); });
  const std::array<std::pair<const char*, bool>, 4> concerns{{
      {"permits", differs({.permits = 2})},
      {"initial", differs({.initial = 1})},
      {"lease-grace", differs({.lease_grace = Duration(1)})},
      {"release-failed-means", is_released},
  }};
  for (const auto& [option, concerns_it] : concerns) {
    if (line.values.contains(option) && !concerns_it)
      return BadInput(fmt::format("--{}: model {} does not take this option", option, model.name));
  }
  return {};
}

Result<LogWords> ReadWords(const std::string& text, const Model& model) {
  std::vector<std::string> known{"process", "type", "f",  "value", "key",    "time", "index",
                                 "start",   "end",  "ok", "fail",  "invoke", "info"};
  known.insert(known.end(), model.functions.begin(), model.functions.end());
  LogWords words;
  for (const std::string& pair : SplitAtCommas(text)) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      return BadInput(fmt::format("--map {}: must be WORD=MEANING, as in worker=process", pair));
    const std::string meaning = pair.substr(equals + 1);
    if (std::ranges::find(known, meaning) == known.end())
      return BadInput(fmt::format("--map {}: {}", pair, UnknownWord("meaning", meaning, known)));
    words.emplace_back(pair.substr(0, equals), meaning);
  }
  return words;
}

Result<LogQuestion> ReadQuestion(const ParsedLine& line) {
  const auto name = line.values["model"].as<std::string>();
  const Model* model = FindModel(name);
  if (model == nullptr)
    return BadInput("--model: " + UnknownWord("model", name, ListNames(Models())));
  LogQuestion question{.model = *model};
  if (line.values.contains("partition-by")) {
    const auto by = line.values["partition-by"].as<std::string>();
    const std::vector<std::string> known{"none", "event", "key"};
    const auto found = std::ranges::find(known, by);
    if (found == known.end())
      return BadInput("--partition-by: " + UnknownWord("partition", by, known));
    question.reading.partition = static_cast<Partition>(found - known.begin());
  }
  if (line.values.contains("map"))
    question.reading.words = TRY(ReadWords(line.values["map"].as<std::string>(), *model));
  question.reading.lenient = line.values.contains("lenient");
  if (line.values.contains("lease-grace")) {
    const auto text = line.values["lease-grace"].as<std::string>();
    const Result<Duration> grace = ParseDuration(text);
    if (!grace) return BadInput("--lease-grace: " + grace.error().message);
    question.parameters.lease_grace = *grace;
  }
  if (line.values.contains("release-failed-means")) {
    const auto means = line.values["release-failed-means"].as<std::string>();
    std::vector<std::string> known;
    for (const FailedRelease reading : question.failed_releases) known.emplace_back(Name(reading));
    const auto found = std::ranges::find(known, means);
    if (found == known.end())
      return BadInput("--release-failed-means: " + UnknownWord("meaning", means, known));
    question.failed_releases = {
        question.failed_releases[static_cast<size_t>(found - known.begin())]};
  }
  TRY(CheckOptionsApply(line, *model));
  TRY(TakeNumber(line, "permits", 1, question.parameters.permits));
  TRY(TakeNumber(line, "initial", INT64_MIN + 1, question.parameters.initial));
  TRY(TakeNumber(line, "most-configurations", 1, question.limits.configurations));
  return question;
}

nlohmann::json ToJson(const LogVerdict& verdict, const Model& model) {
  nlohmann::json objects = nlohmann::json::array();
  for (const ObjectVerdict& object : verdict.objects) {
    objects.push_back({{"key", object.key},
                       {"operations", object.operations},
                       {"outcome", Name(object.outcome)},
                       {"configurations", object.configurations},
                       {"reason", object.reason}});
  }
  nlohmann::json readings = nlohmann::json::array();
  for (const ReadingVerdict& reading : verdict.readings)
    readings.push_back(
        {{"release_failed_means", Name(reading.means)}, {"outcome", Name(reading.outcome)}});
  nlohmann::json skipped = nlohmann::json::array();
  for (size_t i = 0; i < kSkipReasons; ++i) {
    const auto reason = static_cast<SkipReason>(i);
    const Skips::Count& of_reason = verdict.skips.Of(reason);
    if (of_reason.count == 0) continue;
    skipped.push_back({{"reason", Name(reason)},
                       {"count", of_reason.count},
                       {"first_line", of_reason.first_line}});
  }
  return {
      {"model", model.name},
      {"outcome", Name(verdict.outcome)},
      {"reason", verdict.reason},
      {"failed_releases", verdict.failed_releases},
      {"readings", std::move(readings)},
      {"skipped", std::move(skipped)},
      {"times_step_back", {{"count", verdict.steps_back}, {"first_line", verdict.first_step_back}}},
      {"objects", std::move(objects)}};
}

void Print(const LogVerdict& verdict, const Model& model, const std::string& file) {
  size_t operations = 0;
  for (const ObjectVerdict& object : verdict.objects) operations += object.operations;
  fmt::print("{}: {} operations of {} {}, model {}\n", file, operations, verdict.objects.size(),
             verdict.objects.size() == 1 ? "object" : "objects", model.name);
  for (const ObjectVerdict& object : verdict.objects) {
    if (object.reason.empty()) continue;
    fmt::print("{}{}{}{}", object.key, object.key.empty() ? "" : ": ", object.reason,
               object.reason.ends_with('\n') ? "" : "\n");
  }
  if (verdict.steps_back > 0) {
    fmt::print(
        "events with a time before the previous event's: {} (first: line {}); the order of the "
        "file is used\n",
        verdict.steps_back, verdict.first_step_back);
  }
  if (verdict.skips.count() > 0) fmt::print("skipped: {}\n", verdict.skips.Summary());
  if (!verdict.reason.empty()) fmt::print("{}\n", verdict.reason);
  fmt::print("verdict: {}\n", Name(verdict.outcome));
}

ExitCode ExitCodeForOutcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::kValid:
      return ExitCode::kAsExpected;
    case Outcome::kUnknown:
      return ExitCode::kUnknown;
    case Outcome::kViolated:
      return ExitCode::kViolated;
  }
  return ExitCode::kUnknown;
}

Result<LogFormat> FormatToRead(const ParsedLine& line, TextSource& source) {
  if (!line.values.contains("format")) return FormatOf(source);
  const auto wanted = line.values["format"].as<std::string>();
  std::vector<std::string> known;
  for (int i = 0; i <= static_cast<int>(kLastLogFormat); ++i) {
    known.emplace_back(Name(static_cast<LogFormat>(i)));
    if (known.back() == wanted) return static_cast<LogFormat>(i);
  }
  return BadInput("--format: " + UnknownWord("format", wanted, known));
}

// Returns the events of a run in history.jsonl's format. `text` receives them, and must outlive the
// source.
TextSource OpenAsJsonl(const History& history, const std::filesystem::path& file,
                       std::string& text) {
  std::ostringstream lines;
  WriteJsonl(history, lines);
  text = std::move(lines).str();
  return {text, file.string()};
}

// Opens a file, or the history of a run folder. `text` receives the events of a run that has only
// history.bin, and those of a run's CSV. It must outlive the source.
Result<TextSource> OpenLog(const std::filesystem::path& path, std::string& text) {
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) {
    TextSource source = TRY(TextSource::Open(path));
    if (!IsOwnCsv(source)) return source;
    return OpenAsJsonl(TRY(ReadCsv(source)), path, text);
  }
  const std::filesystem::path file = path / "history.jsonl";
  if (std::filesystem::exists(file, code)) return TextSource::Open(file);
  return OpenAsJsonl(TRY(ReadHistory(path)), path / "history.bin", text);
}

Result<ExitCode> CheckAgainstModel(const ParsedLine& line) {
  const LogQuestion question = TRY(ReadQuestion(line));
  std::optional<LastWords> words(std::in_place,
                                 "doublehold check: interrupted; the search has neither found an "
                                 "order nor proved that none exists");
  std::string text;
  TextSource source = TRY(OpenLog(line.rest.front(), text));
  const LogFormat format = text.empty() ? TRY(FormatToRead(line, source)) : LogFormat::kJsonLines;
  const LogVerdict verdict = TRY(JudgeLog(source, format, question));
  words.reset();
  if (line.values.contains("json")) {
    fmt::print("{}\n", ToJson(verdict, question.model).dump(2));
  } else {
    Print(verdict, question.model, source.name());
  }
  return ExitCodeForOutcome(verdict.outcome);
}

// Returns the claims that the command line names. Without --claims, returns the claims of the run.
Result<std::vector<std::string>> ClaimsForCheck(const ParsedLine& line, const RunFacts& facts) {
  if (!line.values.contains("claims")) return facts.claims;
  const std::vector<std::string> known = ClaimNames();
  std::vector<std::string> claims;
  for (const std::string& name : SplitAtCommas(line.values["claims"].as<std::string>())) {
    if (std::ranges::find(known, name) == known.end())
      return BadInput("--claims: " + UnknownWord("claim", name, known));
    claims.push_back(name);
  }
  if (claims.empty()) return BadInput("--claims: is empty; name a claim (doublehold list claims)");
  return claims;
}

// Keeps the outcomes so far as the text that an interrupted check prints.
ClaimJudged KeepOutcomesAsLastWords(LastWords& words) {
  return [&words, said = std::string(),
          status = ExitCode::kUnknown](const ClaimVerdict& claim) mutable {
    said += fmt::format("{}{} {}", said.empty() ? "" : ", ", claim.claim, Name(claim.outcome));
    if (claim.outcome == Outcome::kViolated) status = ExitCode::kViolated;
    words.Set("", "doublehold check: interrupted; judged so far: " + said, status);
  };
}

Result<RunVerdict> JudgeRun(const ParsedLine& line) {
  LastWords words("doublehold check: interrupted before a claim was judged");
  const std::filesystem::path file = TRY(FindHistoryFile(line.rest.front()));
  if (file.extension() == ".edn") {
    return BadInput(
        fmt::format("{}: a history in EDN needs a model: add --model NAME (doublehold list models)",
                    file.string()));
  }
  if (file.extension() == ".bin") {
    const MappedHistory mapped = TRY(MappedHistory::Open(file));
    const auto claims = TRY(ClaimsForCheck(line, mapped.facts()));
    return JudgeFile(mapped, claims, KeepOutcomesAsLastWords(words));
  }
  History history = TRY(ReadHistory(file));
  auto claims = TRY(ClaimsForCheck(line, history.facts));
  RestrictTo(claims, history.facts);
  return Judge(history, {}, KeepOutcomesAsLastWords(words));
}

}  // namespace

Result<ExitCode> CheckCommand(const Words& words) {
  ParsedLine line = TRY(ParseLine(
      words, CheckOptions(),
      "check RUN|history.jsonl|history.bin|events.csv [--json]\nJudges the stored history "
      "of a run again.\n\ncheck HISTORY.edn|HISTORY.jsonl|LOG.csv --model NAME "
      "[options]\nSearches for an order of another tool's operations that a model "
      "allows."));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.size() != 1) return BadInput("name exactly one run folder or history file");
  if (line.values.contains("model")) {
    if (line.values.contains("claims"))
      return BadInput("--claims: cannot be combined with --model, which judges no run");
    return CheckAgainstModel(line);
  }
  for (const char* of_models : {"format", "map", "lenient", "partition-by", "release-failed-means",
                                "permits", "initial", "lease-grace", "most-configurations"}) {
    if (line.values.contains(of_models)) {
      return BadInput(fmt::format("--{}: needs --model NAME (doublehold list models)", of_models));
    }
  }
  const RunVerdict verdict = TRY(JudgeRun(line));
  if (line.values.contains("json")) {
    fmt::print("{}\n", ToJson(verdict).dump(2));
  } else {
    fmt::print("{}", line.values.contains("verbose") ? ToText(verdict) : ToShortText(verdict));
  }
  return verdict.exit_code;
}

}  // namespace doublehold
