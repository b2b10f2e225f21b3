// For tests: extracts from a history the calls of each session, and the times in which the session
// held the lock. Shares no code with the checkers.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_RECORDED_CALLS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_RECORDED_CALLS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "checker/testing/oracle/orders.h"
#include "lib/history/history.h"

namespace doublehold::brute {

struct RecordedCall {
  Op op = Op::kAcquire;
  SessionId session;
  uint64_t hold = 0;
  int64_t from = 0;
  int64_t to = kUnbounded;               // kUnbounded if not answered
  EventType outcome = EventType::kInfo;  // kInfo if not answered, or of unknown outcome
  std::array<int64_t, 4> asked{}, answer{};
  int before = -1;  // index of the session's previous call in the same list, or -1
  size_t invoked_at = 0, answered_at = 0;  // indices into History::events

  [[nodiscard]] bool Ok() const { return outcome == EventType::kOk; }
  [[nodiscard]] bool Failed() const { return outcome == EventType::kFail; }
  [[nodiscard]] bool IsUnknown() const { return outcome == EventType::kInfo; }
  // A call of unknown outcome may take effect at any time from its invocation on, or never.
  [[nodiscard]] Step AsStep() const {
    return {.from = from,
            .to = IsUnknown() ? kUnbounded : to,
            .optional = IsUnknown(),
            .after = before};
  }
};

std::vector<Step> MakeSteps(const std::vector<RecordedCall>& calls);

// Lists the clients' calls of these operations, in the order of their invocations.
std::vector<RecordedCall> ListRecordedCalls(const History& history, const std::vector<Op>& ops);

struct HoldSpan {
  RecordedCall grant;
  bool shared = false;
  // When its session invoked the release, or left without a release. If it did neither, the time of
  // the session's last event before its next acquire.
  int64_t end = 0;
  size_t end_event = SIZE_MAX;    // index of the release or leave, or SIZE_MAX
  int64_t freed_by = kUnbounded;  // when the release was answered, or kUnbounded
  // The time until which its lease counts. If the hold was released, this is `end`. Otherwise it is
  // the first of these:
  // - the session's next acquire;
  // - the session's release of an acquire of unknown outcome;
  // - an extension after the session left.
  int64_t kept_until = kUnbounded;
};
// Lists the holds, in the order of their acquires.
std::vector<HoldSpan> ExtractHoldSpans(const History& history);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_RECORDED_CALLS_H_
