// What a checker is: a pure function from a history to what became of one claim.
//
// A limit reached, or too little to go by, is kUnknown, never kValid. No I/O; nothing is kept.
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

enum class Outcome3 : uint8_t { kValid, kUnknown, kViolated };  // in the order of gravity
std::string_view Name(Outcome3 outcome);                        // "valid", "unknown", "violated"

struct ClaimVerdict {
  std::string claim;
  Outcome3 outcome = Outcome3::kUnknown;
  std::string reason;         // one sentence; for kUnknown: what kept it from being decided
  int64_t count = 0;          // violations seen
  int64_t opportunities = 0;  // of how many `unit`
  std::string unit;           // "holds", "orders", "keys"
  std::vector<Margin> margins;
  std::vector<Violation> violations;     // as many of them as Limits allows
  std::vector<Sighting> seen{};          // when each came about, told or not
  std::optional<Percentiles> overlap{};  // how long those lasted that have a length
  std::vector<Outcome3> trials{};        // what became of it in each: trials.h. Filled by Judge
  std::string picture{};                 // of the first of them: ascii_timeline.h
};

struct Limits {
  // More are counted, not told. 0: the outcome alone is asked for, and no margins are looked for
  // either.
  size_t violations_told = 50;
  int64_t told_of_a_hold = 5;  // of those that one hold overlapped
};

class Evidence;  // a history and what is read off it: checker/evidence/evidence.h
using CheckFunction = ClaimVerdict (*)(const Evidence&, const Limits&);

// What a claim is about, and so which locks it can be made of: any, those that are taken, those
// that give tokens.
enum class About : uint8_t { kData, kLock, kToken };

// A claim that is a limit of the user's: of a time, or of a number.
enum class LimitKind : uint8_t { kNone, kTime, kCount };

// A claim in tables of many runs.
struct ClaimLetter {
  char letter;               // of no other claim
  std::string_view meaning;  // of its violation: "held twice, both leases valid"
  // What a lock is for: its place among these, from 1 on; where it is not known, nothing is. 0: it
  // is something else.
  int vital = 0;
};

struct CheckerEntry {
  std::string_view claim;
  ClaimLetter letter;
  std::string_view violated_when;  // for `doublehold list claims`
  About about;
  CheckFunction check;
  LimitKind limit = LimitKind::kNone;  // the claim is judged only where one is set: limit.h
  bool by_traffic = false;             // by the commands that clients send
};

// The registry: one line a claim, in the order in which they are told.
std::span<const CheckerEntry> Checkers();
// Null when there is none of that name.
const CheckerEntry* FindChecker(std::string_view claim);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_CHECKER_H_
