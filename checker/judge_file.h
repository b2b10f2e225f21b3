// The verdict of a history that lies in a file: in one pass over it where that decides, else with
// all of it in memory.
#ifndef DOUBLEHOLD_CHECKER_JUDGE_FILE_H_
#define DOUBLEHOLD_CHECKER_JUDGE_FILE_H_

#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/base/result.h"
#include "lib/history/mapped.h"

namespace doublehold {

// Only these claims are judged, and what was expected of others is not asked.
void RestrictTo(const std::vector<std::string>& claims, RunFacts& facts);

// Judges the claims named, and what was expected of those. `exclusion` alone is decided by
// exclusion_scan.h when it can be: the verdict then has no latencies, no counts but that of the
// grants, and names nobody beside a margin. Fails when the file holds an event that the run cannot
// have had.
Result<RunVerdict> JudgeFile(const MappedHistory& file, const std::vector<std::string>& claims);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_JUDGE_FILE_H_
