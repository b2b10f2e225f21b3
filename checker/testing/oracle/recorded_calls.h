// For tests: what each session called, and when it held the lock, read off a history without the
// checkers' help.
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
  int64_t to = kEver;                    // kEver: not answered
  EventType outcome = EventType::kInfo;  // likewise
  std::array<int64_t, 4> asked{}, answer{};
  int before = -1;                         // the session's call before it, of those that are listed
  size_t invoked_at = 0, answered_at = 0;  // index of the event

  [[nodiscard]] bool Ok() const { return outcome == EventType::kOk; }
  [[nodiscard]] bool Failed() const { return outcome == EventType::kFail; }
  [[nodiscard]] bool IsUnknown() const { return outcome == EventType::kInfo; }
  // When it took effect, if it did.
  [[nodiscard]] Step AsStep() const {
    return {.from = from, .to = IsUnknown() ? kEver : to, .perhaps = IsUnknown(), .after = before};
  }
};

std::vector<Step> StepsOf(const std::vector<RecordedCall>& calls);

// The calls of these operations, in the order of their invocations.
std::vector<RecordedCall> CallsIn(const History& history, const std::vector<Op>& ops);

struct HoldSpan {
  RecordedCall grant;
  bool shared = false;
  // When its session invoked the release, or left. Of one never released: the last event of its
  // session before that acquired again.
  int64_t end = 0;
  size_t end_event = SIZE_MAX;  // index of that invocation
  int64_t gone = kEver;         // the release was answered
  // Until when nothing released it: `end`; or, never released, until its session acquired again.
  int64_t kept = kEver;
};
std::vector<HoldSpan> HoldsIn(const History& history);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_RECORDED_CALLS_H_
