// One experiment from plan to verdict, with all its files.
#ifndef DOUBLEHOLD_COMPOSE_RUN_ONCE_H_
#define DOUBLEHOLD_COMPOSE_RUN_ONCE_H_

#include <filesystem>
#include <functional>
#include <string>

#include "checker/judge.h"
#include "compose/supervisor.h"
#include "lib/plan/plan.h"

namespace doublehold {

struct RunRequest {
  Plan plan;
  std::filesystem::path folder;  // of this run, made by MakeRunFolder
  ServerProgram server;
  std::function<void(const Progress&, const std::function<History()>& snapshot)> progress;
  std::vector<Frame>* frames =
      nullptr;  // where to put what was said on the wire, which is written to frames.jsonl too
};

// What a name is called as a folder: one folder, whatever the name.
std::string FolderName(const std::string& name);

// A new folder OUT/<experiment>/<UTC time>-<seed>, with the link `latest` beside it. Bad input when
// it cannot be written.
Result<std::filesystem::path> MakeRunFolder(const std::filesystem::path& out,
                                            const std::string& experiment, uint64_t seed);

// Runs it; writes plan.json, history.bin, history.jsonl and verdict.json into the folder.
Result<RunVerdict> RunOnce(const RunRequest& request);

// Where the history of a run folder lies; of a file: that file. Bad input where there is none.
Result<std::filesystem::path> HistoryFileOf(const std::filesystem::path& path);
// A run folder's history, or the history in a .jsonl or .bin file.
Result<History> ReadHistory(const std::filesystem::path& path);

// Writes beside and renames, so that a reader never sees half a file.
Result<void> WriteWhole(const std::filesystem::path& file, const std::string& content);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_ONCE_H_
