#include "compose/explore/replay_string.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr std::string_view kVersion = "v1";
// Written in the list of faults: simultaneous events may be reordered.
constexpr std::string_view kReorders = "order";
constexpr size_t kParts = 5;
constexpr std::string_view kCopyAdvice = "copy the whole string that explore printed";

std::vector<std::string_view> SplitAt(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
    end = text.find(mark);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return parts;
}

Result<int> ParseCount(std::string_view text, std::string_view what) {
  int count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || count < 1)
    return BadInput(fmt::format("{}: '{}' is not a number of at least 1", what, text));
  return count;
}

// Whether a setting is not part of a replay string. A name may contain the separators of a replay
// string. A replayed execution is not compared with expectations.
bool IsNotPartOfReplay(std::string_view setting) {
  return setting == "name" || setting.starts_with("expect.") ||
         setting.starts_with("expect_cause.");
}

}  // namespace

std::string ToText(const ReplayString& replay) {
  std::string settings;
  for (const std::string& name : replay.settings.Names()) {
    if (IsNotPartOfReplay(name)) continue;
    const std::optional<Setting> setting = Settings(replay.settings).Take(name);
    settings +=
        fmt::format("{}{}={}", settings.empty() ? "" : ";", name, fmt::join(setting->words, ","));
  }
  std::vector<std::string_view> faults;
  for (const FaultForm fault : replay.faults) faults.push_back(EntryOf(fault).name);
  if (replay.reorders) faults.push_back(kReorders);
  return fmt::format("{}/{}/{}/{}/{}", kVersion, settings, replay.cycles, fmt::join(faults, ","),
                     sim::ToText(replay.choices));
}

Result<ReplayString> ParseReplayString(std::string_view text) {
  const std::vector<std::string_view> parts = SplitAt(text, '/');
  if (parts.size() != kParts)
    return BadInput(fmt::format(
        "'{}' is not a replay string: it has {} between slashes and needs {}; {}", text,
        parts.size() == 1 ? "1 part" : fmt::format("{} parts", parts.size()), kParts, kCopyAdvice));
  if (parts[0] != kVersion)
    return BadInput(fmt::format("'{}': a replay string of version {}; this program reads {}", text,
                                parts[0], kVersion));
  ReplayString replay;
  for (const std::string_view setting : SplitAt(parts[1], ';')) {
    const size_t equals = setting.find('=');
    if (equals == std::string_view::npos)
      return BadInput(
          fmt::format("'{}' of the replay string is not of the form name=value", setting));
    const std::string name(setting.substr(0, equals));
    if (replay.settings.Has(name))
      return BadInput(fmt::format("the replay string: '{}' is given twice", name));
    replay.settings.Set(name, std::string(setting.substr(equals + 1)), "the replay string");
  }
  replay.cycles = TRY(ParseCount(parts[2], "cycles of the replay string"));
  std::string_view faults = parts[3];
  if (faults.ends_with(kReorders)) {
    replay.reorders = true;
    faults.remove_suffix(std::min(faults.size(), kReorders.size() + 1));
  }
  FaultsAsked asked = TRY(ParseFaults(faults, "the replay string"));
  replay.faults = std::move(asked.faults);
  auto choices = sim::ParseDeviations(parts[4]);
  if (!choices) return BadInput(fmt::format("{}; {}", choices.error().message, kCopyAdvice));
  replay.choices = *std::move(choices);
  return replay;
}

Result<FaultsAsked> ParseFaults(std::string_view text, std::string_view where) {
  FaultsAsked asked;
  if (text.empty()) return asked;
  for (const std::string_view one : SplitAt(text, ',')) {
    const size_t colon = one.find(':');
    const std::string name(one.substr(0, colon));
    const std::optional<FaultForm> fault = ParseFaultForm(name);
    if (!fault)
      return BadInput(
          fmt::format("{}: {}", where, UnknownWord("fault", name, ListNames(kFaultForms))));
    if (std::ranges::find(asked.faults, *fault) != asked.faults.end())
      return BadInput(fmt::format("{}: fault '{}' is named twice", where, name));
    int most = 0;
    if (colon != std::string_view::npos) {
      most = TRY(ParseCount(one.substr(colon + 1), fmt::format("{}: {}", where, name)));
    }
    asked.faults.push_back(*fault);
    asked.most.push_back(most);
  }
  return asked;
}

}  // namespace doublehold
