#include "compose/options/option_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "lib/locks/registry.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

struct SharedOption {
  OptionSpec spec;
  std::vector<std::string_view> parts;
};

template <typename Entries>
std::vector<OptionRow> MakeOptionRows(std::string_view table, const Entries& entries) {
  std::vector<SharedOption> all;
  for (const auto& entry : entries) {
    for (const OptionSpec& spec : entry.options) {
      auto told = std::ranges::find(all, spec, &SharedOption::spec);
      if (told == all.end()) told = all.insert(all.end(), SharedOption{.spec = spec, .parts = {}});
      told->parts.push_back(entry.name);
    }
  }
  std::ranges::stable_sort(all, {}, [](const SharedOption& one) { return one.spec.name; });
  std::vector<OptionRow> rows;
  for (const SharedOption& one : all) {
    rows.push_back({fmt::format("{}.{}", table, one.spec.name),
                    fmt::format("{}: {}; default: {} ({})", DescribeValues(one.spec), one.spec.help,
                                one.spec.fallback, fmt::join(one.parts, ", "))});
  }
  return rows;
}

}  // namespace

std::string DescribeValues(const OptionSpec& spec) {
  const auto range = [&](std::string_view what) {
    return spec.most == INT64_MAX ? fmt::format("{} from {} on", what, spec.least)
                                  : fmt::format("{}, {} to {}", what, spec.least, spec.most);
  };
  switch (spec.kind) {
    case OptionSpec::Kind::kFlag:
      return "true or false";
    case OptionSpec::Kind::kDuration:
      return "a duration";
    case OptionSpec::Kind::kInteger:
      return range("a whole number");
    case OptionSpec::Kind::kNumber:
      return range("a number");
    case OptionSpec::Kind::kChoice:
      return fmt::format("`{}`", fmt::join(spec.choices, "`, `"));
  }
  return "";
}

std::vector<OptionRow> LockOptionRows() { return MakeOptionRows("lock", Locks()); }
std::vector<OptionRow> WorkloadOptionRows() { return MakeOptionRows("workload", Workloads()); }

}  // namespace doublehold
