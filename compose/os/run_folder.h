// The folder of a run: its name and its files.
#ifndef DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_
#define DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

// Turns any name into the name of a single folder.
std::string FolderName(const std::string& name);

// Makes the folder that --into names. Bad input if it has files already.
Result<void> MakeEmptyFolder(const std::filesystem::path& folder);
// The same for a run. Bad input if the folder has a finished run: the two must not mix.
Result<void> MakeFolderForRun(const std::filesystem::path& folder);

// Makes the folder OUT/<experiment>/<UTC time>-<seed> and the link `latest` beside it. Bad input if
// the folder cannot be written.
Result<std::filesystem::path> MakeRunFolder(const std::filesystem::path& out,
                                            const std::string& experiment, uint64_t seed);

// The history file in a run folder; for a file, the file itself. Bad input if there is none.
Result<std::filesystem::path> HistoryFileOf(const std::filesystem::path& path);
// Reads the history of a run folder, or of a .jsonl or .bin file.
Result<History> ReadHistory(const std::filesystem::path& path);

// Writes history.jsonl and history.bin into a run folder.
Result<void> WriteHistory(const History& history, const std::filesystem::path& folder);
// Makes a folder and those above it.
Result<void> MakeFolder(const std::filesystem::path& folder);

// Writes another file and renames it, so that a reader never sees half a file.
Result<void> WriteWhole(const std::filesystem::path& file, const std::string& content);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_
