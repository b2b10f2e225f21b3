// A checker is a pure function from a history to the verdict of one claim.
//
// If the checker reaches a limit, or has too little evidence, the outcome is kUnknown, never
// kValid. A checker has no I/O and no state.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_CHECKER_H_
#define DOUBLEHOLD_CHECKER_VERDICT_CHECKER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict/margin.h"
#include "checker/verdict/percentiles.h"
#include "checker/verdict/violation.h"
#include "lib/history/history.h"

namespace doublehold {

enum class Outcome : uint8_t { kValid, kUnknown, kViolated };  // by severity
std::string_view Name(Outcome outcome);                        // "valid", "unknown", "violated"

struct ClaimVerdict {
  std::string claim;
  Outcome outcome = Outcome::kUnknown;
  std::string reason;         // one sentence: the result, or why the claim is undecided
  int64_t count = 0;          // number of violations
  int64_t opportunities = 0;  // cases that were judged, in `unit`
  std::string unit;           // "holds", "orders", "keys"
  std::vector<Margin> margins;
  std::vector<Violation> violations;     // the described violations; Limits bounds their number
  std::vector<Sighting> seen{};          // the time of each violation, described or not
  std::optional<Percentiles> overlap{};  // lengths of all overlaps, for claims about overlaps
  std::vector<Outcome> trials{};         // the outcome in each trial (trials.h); Judge fills it in
};

struct Limits {
  // How many violations are described. Further violations are only counted. If this is 0, only the
  // outcome is needed, so no margins are computed.
  size_t violations_told = 50;
  // Whether the history has no stalls of the machine. Then no violation need be described to know
  // the outcome.
  bool no_stalls = false;
  int64_t told_of_a_hold = 5;  // how many violations with the same first hold are described
};

class Evidence;  // a history and the evidence extracted from it
using CheckFunction = ClaimVerdict (*)(const Evidence&, const Limits&);

// The subject of a claim: the data, any lock, or only locks that issue tokens or admit re-entry.
// kAnyLock: any lock, under each workload that judges `release`, but only on demand.
enum class About : uint8_t { kData, kLock, kAnyLock, kToken, kReentry };

// The limit that the user sets for a claim: none, a time, or a number.
enum class LimitKind : uint8_t { kNone, kTime, kCount };

// Whether a fault may decide a claim's outcome when it is past: when it is over before the first
// probe, or began before it and lasts to the end. Without stalls of the machine, the outcome must
// be the same without the records of past faults that do not matter; the text may name them.
using PastFaultMatters = bool (*)(const RunFacts& facts, const FaultFact& fault, bool on_servers);

// The letter of a claim in tables of many runs.
struct ClaimLetter {
  char letter;               // unique
  std::string_view meaning;  // the violation: "held twice, both leases valid"
  // Rank among the vital claims, from 1 on, or 0 if the claim is not vital. A lock exists to keep
  // its vital claims. If a vital claim is unknown and no claim is violated, the table cell is
  // unknown.
  int vital = 0;
};

struct CheckerEntry {
  std::string_view claim;
  std::string_view title;  // the violation in a word or two: "held twice"
  ClaimLetter letter;
  std::string_view violated_when;  // the violation in a sentence
  About about;
  CheckFunction check;
  PastFaultMatters past_fault_matters = nullptr;  // null: all matter
  // If this is not kNone, the claim is judged only if the user sets this limit (limit.h).
  LimitKind limit = LimitKind::kNone;
  bool by_traffic = false;  // decided by the commands that clients send
};

// The registry: one entry for each claim, in the order of the output.
std::span<const CheckerEntry> Checkers();
// Returns null if there is no such claim.
const CheckerEntry* FindChecker(std::string_view claim);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_CHECKER_H_
