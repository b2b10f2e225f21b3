#include "lib/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace doublehold {

void SortByTime(std::vector<Event>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
}

bool HasKey(Op op) {
  return op != Op::kFault && op != Op::kStall && op != Op::kLost && op != Op::kDied &&
         op != Op::kIdle && op != Op::kTraffic;
}

ValueNames ValueNamesOf(Op op, EventType type) {
  const bool invoke = type == EventType::kInvoke;
  const bool ok = type == EventType::kOk;
  const bool fail = type == EventType::kFail;
  switch (op) {
    case Op::kAcquire:
      if (invoke) return {"lease_ns", "keys?"};
      if (ok) return {"valid_until_ns", "token", "shared?"};
      if (fail) return {"retry_hint_ns"};
      return {};
    case Op::kExtend:
      if (invoke) return {"lease_ns"};
      if (ok) return {"valid_until_ns"};
      return {};
    case Op::kRead:
      if (ok) return {"stock", "", "", "token?"};
      return {};
    case Op::kWrite:
      return {"stock_read", "stock_written", "", "token?"};
    case Op::kOrder:
      return {"stock_read", "stock_written"};
    case Op::kSave:
      return {"task"};
    case Op::kLook:
      if (ok) return {"first", "second"};
      return {};
    case Op::kFinal:
      return {"stock", "orders"};
    case Op::kProbe:
      if (invoke) return {"budget_ns"};
      if (ok || fail) return {"waited_ns"};
      return {};
    case Op::kExpiry:
      return {"pttl_ms", "node?"};
    case Op::kFault:
      return {"fault", invoke ? "asked_ns" : "measured_ns", "client", "node"};
    case Op::kStall:
      return {"length_ns"};
    case Op::kLost:
      return {"records"};
    case Op::kDied:
      return {"status"};
    case Op::kRelease:
      if (ok || fail) return {"unchecked?"};
      return {};
    case Op::kLateReply:
      return {"timeout_ns", "took_ns", "of"};
    case Op::kDriverError:
      return {"took_ns", "of", "definite?"};
    case Op::kLostNotification:
      return {"came_ns"};
    case Op::kTraffic:
      if (type == EventType::kFail) return {};
      if (ok) return {"client", "node", "commands", "bytes"};
      return {"client", "node"};
    case Op::kWait:
      if (invoke) return {"due_ns?"};
      return {};
    case Op::kLeave:
    case Op::kIdle:
      return {};
  }
  return {};
}

std::optional<std::string> WhyInvalid(const Event& event, const RunFacts& facts) {
  if (event.op > kLastOp) return fmt::format("operation {} is unknown", static_cast<int>(event.op));
  if (event.type > EventType::kInfo)
    return fmt::format("type {} is unknown", static_cast<int>(event.type));
  if (event.task > TaskKind::kMeter)
    return fmt::format("task {} is unknown", static_cast<int>(event.task));
  if (event.at_ns < 0) return fmt::format("time {} is negative", event.at_ns);
  const bool of_server =
      event.op == Op::kStall && IsServer(event.client) && event.client > OfServer(kMostServers);
  if (IsServer(event.client) && !of_server) {
    return fmt::format("process \"node {}\" records {}; a node may record only stalls",
                       ServerOf(event.client), Name(event.op));
  }
  if (event.client > facts.clients) {
    return fmt::format("process {} is unknown; the run had {} clients", event.client,
                       facts.clients);
  }
  if (event.key >= facts.keys.size() && (HasKey(event.op) || event.key != 0)) {
    return fmt::format("key {} is unknown; the run had {}", event.key, facts.keys.size());
  }
  if (event.op == Op::kFault &&
      (event.value[0] < 0 || event.value[0] >= static_cast<int64_t>(facts.faults.size()))) {
    return fmt::format("fault {} is unknown; the run had {}", event.value[0], facts.faults.size());
  }
  if (event.at_ns > kMostValue) return fmt::format("time {} is too large", event.at_ns);
  for (size_t i = 0; i < event.value.size(); ++i) {
    const bool never_ends = i == 0 && event.value[i] == std::numeric_limits<int64_t>::max() &&
                            (event.op == Op::kAcquire || event.op == Op::kExtend);
    if (never_ends || (event.value[i] >= -kMostValue && event.value[i] <= kMostValue)) continue;
    return fmt::format("value {} is out of bounds", event.value[i]);
  }
  if (std::ranges::any_of(event.reserved, [](uint8_t byte) { return byte != 0; })) {
    return "the reserved bytes are not zero";
  }
  return std::nullopt;
}

}  // namespace doublehold
