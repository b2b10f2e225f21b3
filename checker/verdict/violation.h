// A violation of a claim: who, when, which key, and why.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_
#define DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace doublehold {

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
  // All leases were valid: the sentence up to the faults, which the cause may tell better.
  std::optional<std::string> before_faults{};
  Cause cause{};                      // this and what follows: filled in by Judge
  std::string because{};              // what the cause was decided by, or why it is not told
  std::vector<Cause> perhaps{};       // not told, since each of these explains it
  std::vector<StoryStep> steps{};     // in time order
};

// That something was violated.
struct Sighting {
  int64_t at_ns = 0;      // 0: nobody knows when
  bool by_stall = false;  // perhaps only because the machine stalled a process
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_
