// A history and the evidence extracted from it. Each part is computed once, on first use, because
// several claims need the same holds.
//
// The history must outlive the Evidence, which does not change the history. Not thread-safe.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_EVIDENCE_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_EVIDENCE_H_

#include <optional>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/entries.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/stall_propagation.h"
#include "lib/history/history.h"

namespace doublehold {

class Evidence {
 public:
  Evidence(const History& history) : history_(history) {}  // NOLINT(google-explicit-constructor)
  Evidence(const Evidence&) = delete;                      // checkers keep references to its parts
  Evidence& operator=(const Evidence&) = delete;

  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] const RunFacts& facts() const { return history_.facts; }
  [[nodiscard]] const Holds& holds() const {
    if (!holds_) {
      holds_ = ExtractHolds(history_);
      MarkEntries(history_, *holds_);
      MarkTaintedHolds(disturbances(), *holds_);
    }
    return *holds_;
  }
  [[nodiscard]] const Calls& calls() const {
    if (!calls_) calls_ = ExtractCalls(history_);
    return *calls_;
  }
  [[nodiscard]] const Disturbances& disturbances() const {
    if (!disturbances_) disturbances_.emplace(Observe(history_));
    return *disturbances_;
  }

 private:
  const History& history_;
  mutable std::optional<Holds> holds_;
  mutable std::optional<Calls> calls_;
  mutable std::optional<Disturbances> disturbances_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_EVIDENCE_H_
