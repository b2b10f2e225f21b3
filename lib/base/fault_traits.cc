#include "lib/base/fault_traits.h"

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 19> kNames{"stops",
                                                  "kills",
                                                  "slows",
                                                  "moves-clock",
                                                  "jumps",
                                                  "loses-data",
                                                  "restarts",
                                                  "takes-over",
                                                  "takes-keys",
                                                  "busies",
                                                  "loses-messages",
                                                  "cuts-off",
                                                  "drops",
                                                  "keeps-messages",
                                                  "delays",
                                                  "repeats",
                                                  "cuts-replication",
                                                  "saves",
                                                  "forgets-scripts"};

}  // namespace

std::string_view Name(FaultTrait trait) { return kNames[static_cast<size_t>(trait)]; }

std::vector<std::string> FaultTraits::Names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (Has(static_cast<FaultTrait>(i))) names.emplace_back(kNames[i]);
  }
  return names;
}

std::optional<FaultTraits> FaultTraits::FromNames(const std::vector<std::string>& names) {
  FaultTraits traits;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end()) return std::nullopt;
    traits.bits_ |= Bit(static_cast<FaultTrait>(found - kNames.begin()));
  }
  return traits;
}

}  // namespace doublehold
