// The folder of a run: its name, and the files in it.
#ifndef DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_
#define DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

// What a name is called as a folder: one folder, whatever the name.
std::string FolderName(const std::string& name);

// A new folder OUT/<experiment>/<UTC time>-<seed>, with the link `latest` beside it. Bad input when
// it cannot be written.
Result<std::filesystem::path> MakeRunFolder(const std::filesystem::path& out,
                                            const std::string& experiment, uint64_t seed);

// Where the history of a run folder lies; of a file: that file. Bad input where there is none.
Result<std::filesystem::path> HistoryFileOf(const std::filesystem::path& path);
// A run folder's history, or the history in a .jsonl or .bin file.
Result<History> ReadHistory(const std::filesystem::path& path);

// Writes beside and renames, so that a reader never sees half a file.
Result<void> WriteWhole(const std::filesystem::path& file, const std::string& content);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_
