// A history and the evidence extracted from it. Each part is computed once, on first use, because
// several claims need the same holds.
//
// The history must outlive the Evidence, which does not change the history. Not thread-safe.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_EVIDENCE_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_EVIDENCE_H_

#include <cstdint>
#include <map>
#include <optional>

#include "checker/evidence/calls.h"
#include "checker/evidence/client_commands.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/disturbed.h"
#include "checker/evidence/entries.h"
#include "checker/evidence/grants.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/lease_ends.h"
#include "checker/evidence/must_have.h"
#include "checker/evidence/possession.h"
#include "checker/evidence/renewals.h"
#include "checker/evidence/second_copies.h"
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
  [[nodiscard]] const ClientCommands& client_commands() const {
    if (!client_commands_) client_commands_.emplace(history_);
    return *client_commands_;
  }
  [[nodiscard]] const Disturbances& disturbances() const {
    if (!disturbances_) disturbances_.emplace(Observe(history_));
    return *disturbances_;
  }
  [[nodiscard]] const Disturbed& disturbed() const {
    if (!disturbed_) disturbed_.emplace(*this);
    return *disturbed_;
  }
  [[nodiscard]] const std::map<uint16_t, KeyGrants>& grants() const {
    if (!grants_) grants_ = FindGrants(calls());
    return *grants_;
  }
  [[nodiscard]] const LeaseEnds& lease_ends() const {
    if (!lease_ends_) lease_ends_.emplace(*this);
    return *lease_ends_;
  }
  [[nodiscard]] const Renewals& renewals() const {
    if (!renewals_) renewals_.emplace(*this);
    return *renewals_;
  }
  [[nodiscard]] const Possessions& possessions() const {
    if (!possessions_) possessions_ = FindPossessions(*this);
    return *possessions_;
  }
  [[nodiscard]] const MustHave& must_have() const {
    if (!must_have_) must_have_.emplace(*this);
    return *must_have_;
  }
  [[nodiscard]] const Possessions& waits() const {
    if (!waits_) waits_ = FindWaits(*this);
    return *waits_;
  }
  [[nodiscard]] const Possessions& second_copies() const {
    if (!second_copies_) second_copies_ = FindSecondCopies(*this, CopyQueue::kAnyOrder);
    return *second_copies_;
  }
  [[nodiscard]] const Possessions& imposed_copies() const {
    if (!imposed_copies_)
      imposed_copies_ = FindSecondCopies(*this, CopyQueue::kAnyOrder, Copies::kImposed);
    return *imposed_copies_;
  }
  // When the referee first asked for the key; kNeverNs if it did not.
  [[nodiscard]] int64_t ProbedNs(uint16_t key) const {
    if (!probed_ns_) {
      probed_ns_.emplace();
      for (const Event& event : history_.events) {
        if (event.op == Op::kProbe) probed_ns_->try_emplace(event.key, event.at_ns);
      }
    }
    const auto probe = probed_ns_->find(key);
    return probe == probed_ns_->end() ? kNeverNs : probe->second;
  }

 private:
  const History& history_;
  mutable std::optional<Holds> holds_;
  mutable std::optional<Calls> calls_;
  mutable std::optional<ClientCommands> client_commands_;
  mutable std::optional<Disturbances> disturbances_;
  mutable std::optional<Disturbed> disturbed_;
  mutable std::optional<std::map<uint16_t, KeyGrants>> grants_;
  mutable std::optional<LeaseEnds> lease_ends_;
  mutable std::optional<Renewals> renewals_;
  mutable std::optional<MustHave> must_have_;
  mutable std::optional<Possessions> possessions_, waits_, second_copies_, imposed_copies_;
  mutable std::optional<std::map<uint16_t, int64_t>> probed_ns_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_EVIDENCE_H_
