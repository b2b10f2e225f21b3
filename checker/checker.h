// What a checker is: a pure function from a history to what became of one claim.
//
// A limit reached, or too little to go by, is kUnknown, never kValid. No I/O; nothing is kept.
#ifndef DOUBLEHOLD_CHECKER_CHECKER_H_
#define DOUBLEHOLD_CHECKER_CHECKER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/margin.h"
#include "checker/percentiles.h"
#include "lib/history/history.h"

namespace doublehold {

enum class Outcome3 : uint8_t { kValid, kUnknown, kViolated };  // in the order of gravity
std::string_view Name(Outcome3 outcome);                        // "valid", "unknown", "violated"

// One of the two holds of a violation, or the one that was harmed. Times in ns since the start of
// the run.
struct HoldRef {
  int32_t client = 0;
  uint64_t hold = 0;
  int64_t from_ns = 0;         // its acquire returned
  int64_t to_ns = 0;           // its release was invoked (or the end of the history)
  int64_t valid_until_ns = 0;  // as its client computed it; INT64_MAX when it never ends
};

enum class Cause : uint8_t;  // cause.h

struct StoryStep {
  int64_t at_ns = 0;
  std::string text;  // a sentence
};

struct Violation {
  std::string key;
  std::optional<HoldRef> first;   // the earlier hold
  std::optional<HoldRef> second;  // the one that overlapped it
  int64_t from_ns = 0;            // where it can be seen: the overlap, or the write
  int64_t to_ns = 0;
  bool stale = false;     // one of the two leases was over
  int64_t count = 1;      // how many of the claim's unit it stands for (orders lost by one write)
  int64_t untold = 0;     // further ones of the same first hold: counted, but not told
  int32_t fault = -1;     // index in RunFacts::faults of the fault active then; -1: none
  bool by_stall = false;  // no fault: the machine itself stalled a holder past its lease
  std::string sentence;   // who, when, what, and why
  Cause cause{};          // this and what follows: filled in by Judge
  std::string because{};  // what the cause was decided by, or why it is not told
  std::vector<StoryStep> steps{};  // in time order
};

// That something was violated.
struct Sighting {
  int64_t at_ns = 0;      // 0: nobody knows when
  bool by_stall = false;  // perhaps only because the machine stalled a process
};

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
  std::string picture{};                 // of the first of them: space_time.h
};

struct Limits {
  // More are counted, not told.
  size_t violations_told = 50;
  int64_t told_of_a_hold = 5;  // of those that one hold overlapped
};

class Evidence;  // a history and what is read off it: checker/evidence.h
using CheckFunction = ClaimVerdict (*)(const Evidence&, const Limits&);

// What a claim is about, and so which locks it can be made of: any, those that are taken, those that give tokens.
enum class About : uint8_t { kData, kLock, kToken };

struct CheckerEntry {
  std::string_view claim;
  std::string_view violated_when;  // for `doublehold list claims`
  About about;
  CheckFunction check;
};

// The registry: one line a claim, in the order in which they are told.
std::span<const CheckerEntry> Checkers();

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CHECKER_H_
