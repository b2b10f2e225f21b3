// Draws the logs of testdata/models/. Each line is one operation, from its invocation to its
// completion. One event or one ns is two columns wide.
//
//   0 acquire           |-|          a completion: | ok, x fail, ? info, . none
//   1 release               |-x
//
// The last word of a name is the outcome of `doublehold check FILE --model M`: ok (valid), bad
// (violated) or unknown. An unknown log has a failed release on which the outcome depends, or
// exceeds the limit of configurations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/linear/judge_log.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

struct GoldenLog {
  std::string_view name;
  std::string_view model;
  ModelParameters parameters;
  int64_t most = 0;  // limit of configurations; 0: the default
  std::string_view why;
  std::string_view picture;
};

// clang-format off
const std::vector<GoldenLog> kLogs{
    {"mutex-freed-by-another-ok", "mutex", {}, 0,
     "any process may release", R"(
0 acquire           |-|
1 release               |-|
1 acquire                   |-|)"},
    {"mutex-taken-twice-bad", "mutex", {}, 0,
     "no process released the lock in between", R"(
0 acquire           |-|
1 acquire               |-|)"},
    {"mutex-failed-release-unknown", "mutex", {}, 0,
     "1 can acquire only if the failed release freed the lock", R"(
0 acquire           |-|
0 release               |-x
1 acquire                   |-|)"},
    {"owner-mutex-in-turn-ok", "owner-mutex", {}, 0,
     "each process releases its own hold", R"(
0 acquire           |-|
0 release               |-|
1 acquire                   |-|
1 release                       |-|)"},
    {"owner-mutex-freed-by-another-bad", "owner-mutex", {}, 0,
     "1 releases the hold of 0", R"(
0 acquire           |-|
1 release               |-|)"},
    {"owner-mutex-failed-release-unknown", "owner-mutex", {}, 0,
     "1 can acquire only if the failed release freed the lock", R"(
0 acquire           |-|
0 release               |-x
1 acquire                   |-|)"},
    {"reentrant-mutex-nested-ok", "reentrant-mutex", {}, 0,
     "the lock is free after as many releases as acquires", R"(
0 acquire           |-|
0 acquire               |-|
0 release                   |-|
0 release                       |-|
1 acquire                           |-|)"},
    {"reentrant-mutex-freed-by-an-inner-exit-bad", "reentrant-mutex", {}, 0,
     "0 has one acquire that is not released", R"(
0 acquire           |-|
0 acquire               |-|
0 release                   |-|
1 acquire                       |-|)"},
    {"reentrant-mutex-failed-last-exit-unknown", "reentrant-mutex", {}, 0,
     "1 can acquire only if the failed last release counted", R"(
0 acquire           |-|
0 acquire               |-|
0 release                   |-|
0 release                       |-x
1 acquire                           |-|)"},
    {"fenced-mutex-tokens-rise-ok", "fenced-mutex", {}, 0,
     "token 5 is above token 3", R"(
0 acquire -> 3      |-|
0 release               |-|
1 acquire -> 5              |-|)"},
    {"fenced-mutex-token-again-bad", "fenced-mutex", {}, 0,
     "token 3 was issued before", R"(
0 acquire -> 3      |-|
0 release               |-|
1 acquire -> 3              |-|)"},
    {"fenced-mutex-failed-release-unknown", "fenced-mutex", {}, 0,
     "1 can acquire only if the failed release freed the lock", R"(
0 acquire -> 3      |-|
0 release               |-x
1 acquire -> 4              |-|)"},
    {"reentrant-fenced-mutex-its-own-again-ok", "reentrant-fenced-mutex", {}, 0,
     "the owner acquires again and gets its own token", R"(
0 acquire -> 3      |-|
0 acquire -> 3          |-|
0 release                   |-|
0 release                       |-|
1 acquire -> 4                      |-|)"},
    {"reentrant-fenced-mutex-another-token-inside-bad", "reentrant-fenced-mutex", {}, 0,
     "the owner acquires again and gets another token", R"(
0 acquire -> 3      |-|
0 acquire -> 4          |-|)"},
    {"reentrant-fenced-mutex-failed-release-unknown", "reentrant-fenced-mutex", {}, 0,
     "a new token is allowed only if the failed release freed the lock", R"(
0 acquire -> 3      |-|
0 release               |-x
0 acquire -> 4              |-|)"},
    {"semaphore-freed-by-another-ok", "semaphore", {.permits = 2}, 0,
     "two permits; 1 releases a permit of 0", R"(
0 acquire 2         |-|
1 release 1             |-|
1 acquire 1                 |-|)"},
    {"semaphore-three-of-two-bad", "semaphore", {.permits = 2}, 0,
     "two permits, but three processes hold one each", R"(
0 acquire           |-|
1 acquire               |-|
2 acquire                   |-|)"},
    {"semaphore-failed-release-unknown", "semaphore", {.permits = 2}, 0,
     "2 can acquire only if the failed release freed a permit", R"(
0 acquire           |-|
1 acquire               |-|
1 release                   |-x
2 acquire                       |-|)"},
    {"owner-semaphore-each-its-own-ok", "owner-semaphore", {.permits = 2}, 0,
     "two permits, each released by its owner", R"(
0 acquire           |-|
1 acquire               |-|
0 release                   |-|
2 acquire                       |-|)"},
    {"owner-semaphore-freed-by-another-bad", "owner-semaphore", {.permits = 2}, 0,
     "1 holds no permit", R"(
0 acquire           |-|
1 release               |-|)"},
    {"owner-semaphore-failed-release-unknown", "owner-semaphore", {.permits = 2}, 0,
     "2 can acquire only if the failed release freed a permit", R"(
0 acquire           |-|
1 acquire               |-|
1 release                   |-x
2 acquire                       |-|)"},
    {"read-write-lock-readers-together-ok", "read-write-lock", {}, 0,
     "two readers, then a writer alone", R"(
0 read-acquire      |-|
1 read-acquire          |-|
0 read-release              |-|
1 read-release                  |-|
2 write-acquire                     |-|
2 write-release                         |-|)"},
    {"read-write-lock-written-while-read-bad", "read-write-lock", {}, 0,
     "0 still holds the lock for reading", R"(
0 read-acquire      |-|
2 write-acquire         |-|)"},
    {"read-write-lock-failed-release-unknown", "read-write-lock", {}, 0,
     "2 can acquire only if the failed release ended the read", R"(
0 read-acquire      |-|
0 read-release          |-x
2 write-acquire             |-|)"},
    {"lease-mutex-lease-over-ok", "lease-mutex", {}, 0,
     "the lease of 0 can start at 0 and end at 10", R"(
0 acquire 10        |-----------|
1 acquire 10                    |-------|)"},
    {"lease-mutex-lease-runs-bad", "lease-mutex", {}, 0,
     "the lease of 0 ends at 10 or later", R"(
0 acquire 10        |-----------|
1 acquire 10                    |-----|)"},
    {"lease-mutex-failed-release-unknown", "lease-mutex", {}, 0,
     "the lease of 0 still runs: 1 can acquire only if the failed release freed the lock", R"(
0 acquire 40        |---|
0 release                 |-x
1 acquire 40                  |---|)"},
    {"register-either-of-two-ok", "register", {}, 0,
     "a read concurrent with a write may return the new value; later reads must", R"(
0 write 1           |-----|
1 read -> 1           |-|
1 read -> 1                 |-|)"},
    {"register-stale-read-bad", "register", {}, 0,
     "1 was overwritten before the read began", R"(
0 write 1           |-|
1 write 2               |-|
2 read -> 1                 |-|)"},
    {"register-budget-ended-unknown", "register", {}, 2,
     "four concurrent writes: more configurations than the limit", R"(
0 write 1           |-------|
1 write 2             |-------|
2 write 3               |-------|
3 write 4                 |-------|
4 read -> 3                         |-|)"},
    {"cas-register-chain-ok", "cas-register", {}, 0,
     "each cas finds the value that the previous cas wrote", R"(
0 write 1           |-|
1 cas [1 2]             |-|
2 cas [2 3]                 |-|
0 read -> 3                     |-|)"},
    {"cas-register-two-from-one-bad", "cas-register", {}, 0,
     "both cas found 1, but the first replaced it", R"(
0 write 1           |-|
1 cas [1 2]             |-|
2 cas [1 3]                 |-|)"},
    {"cas-register-budget-ended-unknown", "cas-register", {.initial = 1}, 2,
     "four concurrent operations: more configurations than the limit", R"(
0 cas [1 2]         |-------|
1 cas [2 3]           |-------|
2 cas [3 1]             |-------|
3 cas [1 4]               |-------|
4 read -> 4                         |-|)"},
    {"set-all-that-were-added-ok", "set", {}, 0,
     "a read returns each element once, in any order", R"(
0 add 1             |-|
1 add 2                 |-|
2 read -> [2 1]             |-|)"},
    {"set-element-lost-bad", "set", {}, 0,
     "element 1 was added, but the read lacks it", R"(
0 add 1             |-|
1 add 2                 |-|
2 read -> [2]               |-|)"},
    {"set-budget-ended-unknown", "set", {}, 2,
     "four concurrent operations: more configurations than the limit", R"(
0 add 1             |-----------|
1 add 2               |-----------|
2 add 3                 |-----------|
3 add 4                   |-----------|
4 read -> [4 2]             |-|)"},
    {"inventory-sold-out-ok", "inventory", {.initial = 2}, 0,
     "two in stock, two sold, one put back", R"(
0 sell 1            |-|
1 sell 1                |-|
2 read -> 0                 |-|
2 put 1                         |-|)"},
    {"inventory-oversold-bad", "inventory", {.initial = 2}, 0,
     "two in stock, three sold", R"(
0 sell 1            |-|
1 sell 1                |-|
2 sell 1                    |-|)"},
    {"inventory-budget-ended-unknown", "inventory", {.initial = 2}, 2,
     "four concurrent operations: more configurations than the limit", R"(
0 sell 1            |-------|
1 put 2               |-------|
2 sell 2                |-------|
3 sell 1                  |-------|
4 read -> 0                         |-|)"},
    {"key-value-appended-ok", "key-value", {}, 0,
     "the get returns the texts in the order of the appends", R"(
0 put "a"           |-|
1 append "b"            |-|
2 get -> "ab"               |-|)"},
    {"key-value-append-lost-bad", "key-value", {}, 0,
     "b was appended, but the get lacks it", R"(
0 put "a"           |-|
1 append "b"            |-|
2 get -> "a"                |-|)"},
    {"key-value-budget-ended-unknown", "key-value", {}, 2,
     "four concurrent operations: more configurations than the limit", R"(
0 append "a"        |-------|
1 append "b"          |-------|
2 append "c"            |-------|
3 append "d"              |-------|
4 get -> "dbca"                     |-|)"},
};
// clang-format on

std::filesystem::path ModelsFolder() {
  return std::filesystem::path(SourceDir()) / "checker" / "testdata" / "models";
}

Outcome ParseOutcome(std::string_view name) {
  if (name.ends_with("-ok")) return Outcome::kValid;
  return name.ends_with("-bad") ? Outcome::kViolated : Outcome::kUnknown;
}

// Formats a value. For a map, formats only its last value: the token or the lease.
std::string FormatForm(FormView value) {
  if (value.WholeNumber()) return fmt::format("{}", *value.WholeNumber());
  if (value.Text()) return fmt::format("\"{}\"", *value.Text());
  std::vector<std::string> parts;
  for (const FormView part : value) parts.push_back(FormatForm(part));
  if (value.IsMap()) return parts.back();
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return "[" + text + "]";
}

struct DrawnOperation {
  int32_t process = 0;
  std::string label;
  std::string value;
  int64_t begin = 0, end = -1;
  char mark = '.';
};

void AddAnswer(DrawnOperation& bar, const LogEvent& event, int64_t at) {
  bar.end = at;
  bar.mark = event.type == EventType::kOk ? '|' : event.type == EventType::kFail ? 'x' : '?';
  if (event.value.IsNil() || FormatForm(event.value) == bar.value) return;
  bar.label += " -> " + FormatForm(event.value);
}

std::string DrawLog(const std::filesystem::path& file) {
  Result<TextSource> source = TextSource::Open(file);
  if (!source) return source.error().message;
  std::vector<DrawnOperation> bars;
  int64_t last = 0;
  Skips skips(file.string(), false);
  const Result<OpLogFacts> read =
      ReadOpLog(*source, LogFormat::kEdn, skips,
                [&](const LogEvent& event, const OpLogFacts& facts) -> Result<void> {
                  last = facts.timed ? event.time_ns : event.at;
                  const auto open = std::ranges::find_if(bars, [&](const DrawnOperation& bar) {
                    return bar.process == event.process && bar.end < 0;
                  });
                  if (event.type != EventType::kInvoke && open != bars.end()) {
                    AddAnswer(*open, event, last);
                    return {};
                  }
                  const std::string value = event.value.IsNil() ? "" : FormatForm(event.value);
                  bars.push_back({.process = event.process,
                                  .label = fmt::format("{} {}{}{}", event.process, event.function,
                                                       value.empty() ? "" : " ", value),
                                  .value = value,
                                  .begin = last});
                  return {};
                });
  if (!read) return read.error().message;
  std::string picture;
  for (const DrawnOperation& bar : bars) {
    const int64_t end = bar.end < 0 ? last + 1 : bar.end;
    picture += fmt::format(
        "\n{:<20}{}|{}{}", bar.label, std::string(static_cast<size_t>(2 * bar.begin), ' '),
        std::string(static_cast<size_t>(2 * (end - bar.begin) - 1), '-'), bar.mark);
  }
  return picture;
}

void PrintTo(const GoldenLog& log, std::ostream* out) { *out << log.name; }

class GoldenModel : public ::testing::TestWithParam<GoldenLog> {
 protected:
  static std::filesystem::path File() {
    return ModelsFolder() / (std::string(GetParam().name) + ".edn");
  }

  static Outcome Judged(int64_t most) {
    Result<TextSource> source = TextSource::Open(File());
    EXPECT_TRUE(source.has_value());
    LogQuestion question{.model = *FindModel(GetParam().model),
                         .parameters = GetParam().parameters};
    if (most > 0) question.limits.configurations = most;
    const Result<LogVerdict> verdict = JudgeLog(*source, LogFormat::kEdn, question);
    EXPECT_TRUE(verdict.has_value()) << verdict.error().message;
    return verdict ? verdict->outcome : Outcome::kUnknown;
  }
};

TEST_P(GoldenModel, MatchesItsDrawing) { EXPECT_EQ(DrawLog(File()), GetParam().picture); }

TEST_P(GoldenModel, HasTheOutcomeInItsName) {
  EXPECT_EQ(Name(Judged(GetParam().most)), Name(ParseOutcome(GetParam().name))) << GetParam().why;
}

TEST_P(GoldenModel, IsDecidedWithTheDefaultLimitUnlessAReleaseFailed) {
  const bool fails = GetParam().picture.find("-x") != std::string_view::npos;
  EXPECT_EQ(Judged(0) == Outcome::kUnknown, fails) << GetParam().why;
}

INSTANTIATE_TEST_SUITE_P(Testdata, GoldenModel, ::testing::ValuesIn(kLogs), [](const auto& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(GoldenModels, EveryModelHasALogOfEachOutcome) {
  for (const Model& model : Models()) {
    for (const Outcome outcome : {Outcome::kValid, Outcome::kUnknown, Outcome::kViolated}) {
      EXPECT_TRUE(std::ranges::any_of(kLogs,
                                      [&](const GoldenLog& log) {
                                        return log.model == model.name &&
                                               ParseOutcome(log.name) == outcome;
                                      }))
          << model.name << " " << Name(outcome);
    }
  }
}

TEST(GoldenModels, EveryFileIsDrawn) {
  std::set<std::string> files, drawn;
  for (const auto& entry : std::filesystem::directory_iterator(ModelsFolder()))
    files.insert(entry.path().stem());
  for (const GoldenLog& log : kLogs) drawn.emplace(log.name);
  EXPECT_EQ(files, drawn);
}

}  // namespace
}  // namespace doublehold
