// A checker is a pure function from a history to the verdict of one claim.
//
// A reached limit, or too little evidence, is kUnknown, never kValid. No I/O, no state.
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
  std::string reason;         // one sentence; for kUnknown: why it is undecided
  int64_t count = 0;          // violations seen
  int64_t opportunities = 0;  // out of how many `unit`
  std::string unit;           // "holds", "orders", "keys"
  std::vector<Margin> margins;
  std::vector<Violation> violations;     // as many as Limits allows
  std::vector<Sighting> seen{};          // the time of each violation, described or not
  std::optional<Percentiles> overlap{};  // lengths of the violations that have one
  std::vector<Outcome> trials{};         // the outcome in each trial (trials.h); filled in by Judge
  std::string picture{};                 // the first violation: ascii_timeline.h
};

struct Limits {
  // Further violations are only counted. 0: only the outcome is needed; margins are not computed
  // either.
  size_t violations_told = 50;
  int64_t told_of_a_hold = 5;  // violations of one first hold that are described
};

class Evidence;  // a history and the evidence extracted from it
using CheckFunction = ClaimVerdict (*)(const Evidence&, const Limits&);

// What a claim is about: the data, any lock, or only locks that issue tokens.
enum class About : uint8_t { kData, kLock, kToken };

// A claim that is a limit set by the user: a time, or a number.
enum class LimitKind : uint8_t { kNone, kTime, kCount };

// The letter of a claim in tables of many runs.
struct ClaimLetter {
  char letter;               // unique
  std::string_view meaning;  // its violation: "held twice, both leases valid"
  // Rank among the claims that a lock exists for, from 1 on; if one of these is unknown, so is the
  // cell. 0: another claim.
  int vital = 0;
};

struct CheckerEntry {
  std::string_view claim;
  std::string_view title;  // its violation, in a word or two: "held twice"
  ClaimLetter letter;
  std::string_view violated_when;  // its violation, in a sentence
  About about;
  CheckFunction check;
  LimitKind limit = LimitKind::kNone;  // if not kNone: judged only if the limit is set (limit.h)
  bool by_traffic = false;             // decided by the commands that clients send
};

// The registry: one entry for each claim, in the order of the output.
std::span<const CheckerEntry> Checkers();
// Null if there is no such claim.
const CheckerEntry* FindChecker(std::string_view claim);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_CHECKER_H_
