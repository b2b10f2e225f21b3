#include "checker/measures/idle_watchdog.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/verdict/margin.h"

namespace doublehold {

std::vector<std::string> WatchdogWarnings(const Evidence& evidence) {
  const RunFacts& facts = evidence.facts();
  if (!facts.library || evidence.holds().all.empty()) return {};
  if (std::ranges::find(facts.library->can, "watchdog") == facts.library->can.end()) return {};
  int64_t longest_ns = 0;
  for (const Hold& hold : evidence.holds().all) {
    const int64_t stopped_ns =
        BlockedTimeNs(evidence.disturbances(), hold.client, Side::kWatchdog, hold.core);
    longest_ns = std::max(longest_ns, hold.core.to_ns - hold.core.from_ns - stopped_ns);
  }
  if (longest_ns > ToNs(facts.lease) / 3) return {};
  return {fmt::format(
      "the library's watchdog was never exercised: no section lasted longer than a third of its "
      "lease (the longest: {} of {}); use --workload long-hold",
      ShortTime(longest_ns), ShortTime(ToNs(facts.lease)))};
}

}  // namespace doublehold
