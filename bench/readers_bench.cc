// Measures the speed and memory of reading histories: other tools' files to operations, and
// Doublehold's history.jsonl. Each reader is compared with a bare pass of simdjson, which parses
// the lines and keeps nothing. The memory of the operations themselves does not count. Also
// measures the time and memory of judging all claims of a history. Prints JSON.
#include <fmt/format.h>
#include <malloc.h>
#include <simdjson.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "checker/judge.h"
#include "checker/linear/from_log.h"
#include "lib/base/check.h"
#include "lib/base/time.h"
#include "lib/history/foreign/edn.h"
#include "lib/history/jsonl.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int kSections = 150'000;        // four events each; in our format eight
constexpr int kJudgedSections = 250'000;  // four operations each
constexpr int kRounds = 7;

// Writes the history of a run, as JSON lines or in the format of `doublehold export`.
void WriteHistory(const std::filesystem::path& file, LogFormat format) {
  std::ofstream out(file);
  int64_t index = 0;
  int64_t time_ns = 0;
  for (int64_t hold = 1; hold <= kSections; ++hold) {
    const json values[] = {
        {{"lease_ns", 500000000}},
        {{"hold", hold}, {"valid_until_ns", time_ns + 500000000}, {"token", hold}},
        {{"hold", hold}},
        {{"hold", hold}}};
    for (int i = 0; i < 4; ++i) {
      time_ns += 12'345 + hold % 77;
      const nlohmann::ordered_json event{{"index", ++index},
                                         {"time", time_ns},
                                         {"process", hold * 7 % 8 + 1},
                                         {"type", i % 2 == 0 ? "invoke" : "ok"},
                                         {"f", i < 2 ? "acquire" : "release"},
                                         {"key", "dh:item:0"},
                                         {"value", values[i]}};
      out << (format == LogFormat::kEdn ? EdnOfEvent(json(event)) : event.dump()) << '\n';
    }
  }
}

// Returns the value of a line of /proc/self/status, in kB.
int64_t StatusKb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1));
  }
  CHECK(false);
}

// Returns free memory to the kernel, and resets the peak of earlier measurements.
int64_t ResetPeakKb() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
  return StatusKb("VmRSS");
}

double SecondsNow() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Returns the speed of simdjson alone for the lines of a file.
double BareMbPerS(const std::filesystem::path& file) {
  simdjson::dom::parser parser;
  const double begun = SecondsNow();
  const auto text = simdjson::padded_string::load(file.string()).value();
  int64_t lines = 0;
  for (const auto line : parser.parse_many(text)) {
    CHECK(line.error() == simdjson::SUCCESS);
    ++lines;
  }
  CHECK(lines >= 4 * kSections);
  return static_cast<double>(text.size()) / 1e6 / (SecondsNow() - begun);
}

json Measure(const std::filesystem::path& file, LogFormat format) {
  json result{{"file_mb", static_cast<double>(std::filesystem::file_size(file)) / 1e6}};
  const int64_t before_kb = ResetPeakKb();
  {
    TextSource source = std::move(*TextSource::Open(file));
    Skips skips(source.name(), false);
    const auto drop = [](const LogEvent&, const OpLogFacts&) { return Result<void>(); };
    CHECK(ReadOpLog(source, format, skips, drop).has_value());
  }
  result["memory_mb"] = static_cast<double>(StatusKb("VmHWM") - before_kb) / 1024;
  for (int round = 0; round < kRounds; ++round) {
    TextSource source = std::move(*TextSource::Open(file));
    const std::clock_t begun = std::clock();  // CPU time, because the machine may be busy
    const auto history = ReadObjects(source, format, *FindModel("owner-mutex"), {});
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    CHECK(history && history->objects.front().operations.size() == 2 * kSections);
    result["mb_per_s"].push_back(result["file_mb"].get<double>() / seconds);
    if (format == LogFormat::kJsonLines) result["bare_mb_per_s"].push_back(BareMbPerS(file));
  }
  return result;
}

History OurHistory(int64_t sections) {
  History history{.facts = {.experiment = "bench",
                            .lock = "fenced",
                            .workload = "inventory",
                            .write = "fenced",
                            .seed = 1,
                            .lease = 500ms,
                            .clients = 8,
                            .nodes = 1,
                            .initial_stock = sections,
                            .keys = {"dh:item:0"},
                            .claims = {"exclusion"}},
                  .events = {}};
  int64_t at_ns = 0;
  for (int64_t hold = 1; hold <= sections; ++hold) {
    const int64_t stock_left = sections - hold;
    const auto add = [&](Op op, EventType type, std::array<int64_t, 4> value) {
      at_ns += 12'345 + hold % 77;
      history.events.push_back({.at_ns = at_ns,
                                .hold = static_cast<uint64_t>(hold),
                                .client = static_cast<int32_t>(hold * 7 % 8 + 1),
                                .op = op,
                                .type = type,
                                .value = value});
    };
    add(Op::kAcquire, EventType::kInvoke, {500'000'000});
    add(Op::kAcquire, EventType::kOk, {at_ns + 500'000'000, hold});
    for (const Op op : {Op::kWrite, Op::kOrder}) {
      add(op, EventType::kInvoke, {stock_left + 1, stock_left, 0, hold});
      add(op, EventType::kOk, {stock_left + 1, stock_left, 0, hold});
    }
    add(Op::kRelease, EventType::kInvoke, {});
    add(Op::kRelease, EventType::kOk, {});
  }
  return history;
}

json MeasureOurs(const std::filesystem::path& file) {
  const History written = OurHistory(kSections);
  std::ofstream out(file);
  WriteJsonl(written, out);
  out.close();
  json result{{"file_mb", static_cast<double>(std::filesystem::file_size(file)) / 1e6}};
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t begun = std::clock();
    const Result<History> history = ReadJsonlFile(file);
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    CHECK(history && history->events == written.events);
    result["mb_per_s"].push_back(result["file_mb"].get<double>() / seconds);
    result["bare_mb_per_s"].push_back(BareMbPerS(file));
  }
  std::filesystem::remove(file);
  return result;
}

json MeasureJudging() {
  History history = OurHistory(kJudgedSections);
  history.events.push_back({.at_ns = history.events.back().at_ns + 1,
                            .client = kReferee,
                            .op = Op::kFinal,
                            .type = EventType::kOk,
                            .value = {0, kJudgedSections}});
  history.facts.claims.clear();
  for (const CheckerEntry& entry : Checkers()) {
    // The claim exactly-once is about tasks, and this workload sells.
    if (entry.limit == LimitKind::kNone && entry.claim != "exactly-once")
      history.facts.claims.emplace_back(entry.claim);
  }
  json result{{"claims", history.facts.claims.size()}, {"operations", 4 * kJudgedSections}};
  for (int round = 0; round < kRounds; ++round) {
    const int64_t before_kb = ResetPeakKb();
    const std::clock_t begun = std::clock();
    const RunVerdict verdict = Judge(history);
    result["seconds"].push_back(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
    result["bytes_per_hold"].push_back((StatusKb("VmHWM") - before_kb) * 1024 / kJudgedSections);
    CHECK(verdict.overall != Outcome::kViolated);
  }
  return result;
}

int Main(const std::filesystem::path& folder) {
  json results{{"judging", MeasureJudging()}, {"ours", MeasureOurs(folder / "readers_bench")}};
  for (const LogFormat format : {LogFormat::kJsonLines, LogFormat::kEdn}) {
    const std::filesystem::path file = folder / "readers_bench";
    WriteHistory(file, format);
    results[std::string(Name(format))] = Measure(file, format);
    std::filesystem::remove(file);
  }
  fmt::print("{}\n", results.dump());
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) { return doublehold::Main(argc > 1 ? argv[1] : "."); }
