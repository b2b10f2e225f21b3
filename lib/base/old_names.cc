#include "lib/base/old_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

constexpr std::array<RenamedWord, 6> kRenamedClaims{{{"told", "release-result"},
                                                     {"warned", "lost-lock-notification"},
                                                     {"settled", "call-timeout"},
                                                     {"cleared", "key-leak"},
                                                     {"quiet", "idle-traffic"},
                                                     {"obtained", "availability"}}};

constexpr std::array<RenamedWord, 2> kRenamedEvents{
    {{"settle", "late-reply"}, {"notice", "lost-notification"}}};

constexpr std::array<RenamedWord, 1> kRenamedCauses{{{"not-told", "unexplained"}}};

std::string CurrentName(std::span<const RenamedWord> renamed, std::string_view name) {
  const auto found = std::ranges::find(renamed, name, &RenamedWord::old_name);
  return std::string(found == renamed.end() ? name : found->new_name);
}

}  // namespace

std::span<const RenamedWord> RenamedClaims() { return kRenamedClaims; }
std::span<const RenamedWord> RenamedEvents() { return kRenamedEvents; }
std::span<const RenamedWord> RenamedCauses() { return kRenamedCauses; }

std::string CurrentClaimName(std::string_view name) { return CurrentName(kRenamedClaims, name); }

std::vector<std::string> CurrentClaimNames(std::vector<std::string> names) {
  for (std::string& name : names) name = CurrentClaimName(name);
  return names;
}

std::string CurrentEventName(std::string_view name) { return CurrentName(kRenamedEvents, name); }

std::vector<std::string> CurrentCauseNames(std::vector<std::string> names) {
  for (std::string& name : names) name = CurrentName(kRenamedCauses, name);
  return names;
}

std::string ClaimGivenTwice(std::string_view claim) {
  const auto found = std::ranges::find(kRenamedClaims, claim, &RenamedWord::new_name);
  if (found == kRenamedClaims.end()) return fmt::format("claim '{}' is given twice", claim);
  return fmt::format("'{}' is the old name of '{}', which is given too", found->old_name, claim);
}

}  // namespace doublehold
