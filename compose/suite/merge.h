// Merges the folders of parts of one suite (`suite --shard`) into the folder of the whole suite.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_MERGE_H_
#define DOUBLEHOLD_COMPOSE_SUITE_MERGE_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compose/suite/suite.h"
#include "lib/base/result.h"

namespace doublehold {

struct MergedSuite {
  Suite suite;
  int repeat = 1;
  std::optional<Until> until{};
  SuiteResult result{};
  std::vector<std::string> missing{};  // cells without a run
  // By folder of a run, relative to the suite's folder: the folder that has it now.
  std::map<std::filesystem::path, std::filesystem::path> sources{};
};

// Reads the parts. Returns bad input if they are not parts of one suite: same name, seed,
// experiments, repetitions, condition and version. A run that several parts have counts once; they
// must have the same result. `result.not_begun` counts the runs that no part has.
Result<MergedSuite> ReadParts(const std::vector<std::filesystem::path>& parts);

// Links the files of the runs into `folder`, or copies them if they cannot be linked.
Result<void> LinkRuns(const MergedSuite& merged, const std::filesystem::path& folder);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_MERGE_H_
