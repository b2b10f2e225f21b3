#include "checker/measures/load.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/client_commands.h"
#include "checker/evidence/holds.h"
#include "checker/verdict/checker.h"

namespace doublehold {
namespace {

Percentiles MeasureResponse(const Calls& calls) {
  std::vector<int64_t> times_ns;
  for (const Call& call : calls.all) {
    const bool has_end = call.outcome == EventType::kOk || call.outcome == EventType::kFail;
    if (call.op == Op::kWait && has_end && call.asked[0] > 0)
      times_ns.push_back(call.to_ns - call.asked[0]);
  }
  return PercentilesOf(std::move(times_ns));
}

Percentiles MeasureHandover(const History& history) {
  std::map<uint16_t, std::set<SessionId>> waiting;
  std::map<uint16_t, int64_t> freed_ns;  // while others wait
  std::vector<int64_t> times_ns;
  for (const Event& event : history.events) {
    if (event.client <= kReferee || event.task != TaskKind::kSession) continue;
    if (event.op == Op::kWait) {
      std::set<SessionId>& sessions = waiting[event.key];
      if (event.type == EventType::kInvoke)
        sessions.insert(SessionOf(event));
      else
        sessions.erase(SessionOf(event));
      if (sessions.empty()) freed_ns.erase(event.key);  // the last one gave up
    } else if (event.op == Op::kRelease && event.type == EventType::kInvoke && event.hold != 0) {
      if (!waiting[event.key].empty()) freed_ns[event.key] = event.at_ns;
    } else if (event.op == Op::kAcquire && event.type == EventType::kOk) {
      const auto freed = freed_ns.find(event.key);
      if (freed == freed_ns.end()) continue;
      times_ns.push_back(event.at_ns - freed->second);
      freed_ns.erase(freed);
    }
  }
  return PercentilesOf(std::move(times_ns));
}

std::optional<double> JainIndex(const Calls& calls) {
  std::map<SessionId, double> grants;
  for (const Call& call : calls.all) {
    if (call.op != Op::kAcquire) continue;
    grants[call.session] += call.Ok() ? 1 : 0;
  }
  double sum = 0, squares = 0;
  for (const auto& [session, count] : grants) {
    sum += count;
    squares += count * count;
  }
  if (grants.size() < 2 || sum == 0) return std::nullopt;
  return sum * sum / (static_cast<double>(grants.size()) * squares);
}

std::optional<Load::Sent> CountSent(const History& history) {
  std::optional<Load::Sent> sent;
  for (const Event& event : history.events) {
    if (event.op != Op::kTraffic || event.type != EventType::kOk) continue;
    if (!sent) sent.emplace();
    sent->commands += event.value[2];
    sent->bytes += event.value[3];
  }
  return sent;
}

// A run records the time of each command only if a limit on commands is set.
bool RecordsCommands(const RunFacts& facts) {
  return std::ranges::any_of(facts.limits, [](const auto& limit) {
    const CheckerEntry* entry = FindChecker(limit.first);
    return entry != nullptr && entry->by_traffic;
  });
}

std::optional<Load::Renewals> CountRenewals(const Evidence& evidence) {
  if (!RecordsCommands(evidence.facts())) return std::nullopt;
  const ClientCommands& sent = evidence.client_commands();
  if (sent.recorded_until_ns() < kForeverNs) return std::nullopt;
  Load::Renewals renewals;
  for (const Hold& hold : evidence.holds().all) {
    if (hold.client <= kReferee) continue;
    renewals.held_ns += hold.core.to_ns - hold.core.from_ns;
    renewals.commands += sent.Count(hold.client, {hold.core.from_ns, hold.core.to_ns - 1});
  }
  if (renewals.held_ns == 0) return std::nullopt;
  return renewals;
}

}  // namespace

Load MeasureLoad(const Evidence& evidence) {
  return {.latency = {{"response", MeasureResponse(evidence.calls())},
                      {"handover", MeasureHandover(evidence.history())}},
          .jain_index = JainIndex(evidence.calls()),
          .sent = CountSent(evidence.history()),
          .renewals = CountRenewals(evidence)};
}

}  // namespace doublehold
