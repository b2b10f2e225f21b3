// Judges a history in a file: in one pass if that decides, else with the history in memory.
#ifndef DOUBLEHOLD_CHECKER_JUDGE_FILE_H_
#define DOUBLEHOLD_CHECKER_JUDGE_FILE_H_

#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/base/result.h"
#include "lib/history/mapped.h"

namespace doublehold {

// Restricts a run to these claims: no other is judged, and no other expectation is compared.
void RestrictTo(const std::vector<std::string>& claims, RunFacts& facts);

// Judges the named claims, and compares them with their expectations. If only `exclusion` is named,
// exclusion_scan.h decides if it can. Then the verdict has no latencies, no counts except grants,
// and no names beside a margin. Fails if the file has an event that the run cannot have had.
// `judged` as of Judge.
Result<RunVerdict> JudgeFile(const MappedHistory& file, const std::vector<std::string>& claims,
                             const ClaimJudged& judged = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_JUDGE_FILE_H_
