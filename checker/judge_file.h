// Judges a history file: by one pass over the file if that decides, else by loading the history.
#ifndef DOUBLEHOLD_CHECKER_JUDGE_FILE_H_
#define DOUBLEHOLD_CHECKER_JUDGE_FILE_H_

#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/base/result.h"
#include "lib/history/mapped.h"

namespace doublehold {

// Restricts a run to these claims: no other claim is judged or compared with its expectation.
void RestrictTo(const std::vector<std::string>& claims, RunFacts& facts);

// Judges the named claims, and compares them with their expectations. If only `exclusion` is named,
// the scan of exclusion_scan.h decides if it can. A verdict of the scan has no latencies, no counts
// except grants, and no near misses. Fails if the file has an event that is impossible in its run.
// `judged`: as for Judge.
Result<RunVerdict> JudgeFile(const MappedHistory& file, const std::vector<std::string>& claims,
                             const ClaimJudged& judged = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_JUDGE_FILE_H_
