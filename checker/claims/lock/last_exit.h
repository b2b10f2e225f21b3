// Finds refusals of a key that was certainly free: one half of the claim `reentry`.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// A refusal of an acquire while the key was free.
struct Refusal {
  const Call* refused = nullptr;
  const Call* last_exit = nullptr;  // the release that left the key free
  // What else may explain the refusal: "another session was ahead in a queue". If it is not empty,
  // the refusal is listed because the gap lasted for a lease or longer, because all sessions that
  // wait were refused in the gap, or because only a server with older data explains it.
  std::string_view doubt{};
};

// Returns at most one refusal per gap (reentry.h), sorted by time. Requires a lock on one node, and
// a complete record.
std::vector<Refusal> FindRefusalsOfFreeKey(const Evidence& evidence, uint16_t key);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
