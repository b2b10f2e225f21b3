#include "compose/plan/nemesis_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <utility>

#include "compose/plan/plan_builder.h"
#include "compose/plan/restart_rules.h"
#include "faults/plans/nemesis.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

std::vector<std::string> ReadMembers(SettingReader& reader, const Plan& plan) {
  std::vector<std::string> members;
  for (const std::string& word : reader.Words("nemesis.faults")) {
    const std::string name = boost::algorithm::trim_copy(word);
    const auto known = NemesisMembers();
    const auto found = std::ranges::find(known, name, &NemesisMember::name);
    if (found == known.end()) {
      reader.Fail("nemesis.faults", UnknownWord("nemesis fault", name, ListNames(known)));
    } else if (found->needs_network && plan.direct) {
      reader.Fail("nemesis.faults",
                  fmt::format("'{}' needs the proxy, which 'direct' bypasses", name));
    }
    members.push_back(name);
  }
  return members;
}

}  // namespace

std::vector<FaultPlan> ReadNemesis(SettingReader& reader, const Plan& plan) {
  if (!reader.settings().Has("nemesis.faults")) {
    for (const char* name : {"nemesis.every", "nemesis.shortest", "nemesis.longest"}) {
      if (reader.settings().Has(name)) {
        reader.Fail(name, fmt::format("needs nemesis.faults (--nemesis): any of {}",
                                      fmt::join(ListNames(NemesisMembers()), ", ")));
      }
      reader.Word(name);
    }
    reader.Word("nemesis.faults");
    return {};
  }
  Nemesis nemesis{.members = ReadMembers(reader, plan),
                  .every = reader.Span("nemesis.every", "1 lease"),
                  .shortest = reader.Span("nemesis.shortest", "0.2 lease"),
                  .longest = reader.Span("nemesis.longest", "2 lease")};
  if (reader.error()) return {};
  if (std::ranges::find(nemesis.members, "restart") != nemesis.members.end())
    nemesis.kept_out = ReadRestartDelay(plan);
  if (nemesis.members.empty()) {
    reader.Fail("nemesis.faults", fmt::format("is empty; name any of {}",
                                              fmt::join(ListNames(NemesisMembers()), ", ")));
  }
  if (nemesis.every <= Duration{}) reader.Fail("nemesis.every", "must be above 0");
  if (nemesis.shortest <= Duration{} || nemesis.shortest > nemesis.longest) {
    reader.Fail("nemesis.shortest",
                fmt::format("{} is not above 0 and at most nemesis.longest, {}",
                            FormatDuration(nemesis.shortest), FormatDuration(nemesis.longest)));
  }
  if (reader.error()) return {};
  Result<std::vector<FaultPlan>> faults = DrawNemesis(plan, nemesis);
  if (faults) return std::move(*faults);
  reader.Fail("nemesis.faults", faults.error().message);
  return {};
}

}  // namespace doublehold
