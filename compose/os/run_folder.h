// The folder of a run: its name and its files.
#ifndef DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_
#define DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

// Turns any name into the name of a single folder.
std::string FolderName(const std::string& name);

// Makes the folder that --into names. Returns bad input if the folder has files already.
Result<void> MakeEmptyFolder(const std::filesystem::path& folder);

enum class Existing : uint8_t { kRefuse, kReplace };
// Makes the folder that --into names for a run. The folder may have plan.json and run.log, which a
// suite writes before it starts a run. kReplace: removes the files of an earlier run and its
// report, and keeps all other files. A folder of many runs, such as a suite, is always bad input.
Result<void> MakeFolderForRun(const std::filesystem::path& folder, Existing existing);

enum class LatestLink : uint8_t { kMove, kKeep };
// Makes the folder OUT/<experiment>/<UTC time>-<seed>. kMove: also points the link
// OUT/<experiment>/latest to it. Returns bad input if the folder cannot be written.
Result<std::filesystem::path> MakeRunFolder(const std::filesystem::path& out,
                                            const std::string& experiment, uint64_t seed,
                                            LatestLink latest = LatestLink::kMove);

// Returns the history file in a run folder. If the path is a file, returns the path. Returns bad
// input if there is no readable history file.
Result<std::filesystem::path> FindHistoryFile(const std::filesystem::path& path);
// Reads the history of a run folder, or of a .jsonl, .csv or .bin file.
Result<History> ReadHistory(const std::filesystem::path& path);

enum class HistoryFiles : uint8_t { kBoth, kBinary };
// Writes history.bin into a run folder. With kBoth, also writes history.jsonl.
Result<void> WriteHistory(const History& history, const std::filesystem::path& folder,
                          HistoryFiles files = HistoryFiles::kBoth);
// Makes a folder and its parent folders.
Result<void> MakeFolder(const std::filesystem::path& folder);

// Waits until nobody else has locked the folder of a run, and locks it. Returns a descriptor. The
// lock ends when this process and those that inherited the descriptor have closed it. Returns -1 if
// the folder cannot be opened.
int LockRunFolder(const std::filesystem::path& folder);

// Returns the content of a file. Returns null if it cannot be read or is not JSON.
nlohmann::json ReadJsonFile(const std::filesystem::path& file);

// Replaces a regular file by renaming a temporary one, so that a reader never sees half a file, and
// a signal that ends the program leaves none.
// Opens any other path, such as a device, a FIFO or a symbolic link, and writes into it. Returns an
// environment error if the disk is full, and bad input if the path cannot be written, or is a FIFO
// that nobody reads.
Result<void> WriteWhole(const std::filesystem::path& file, const std::string& content);
// The same for a content that `write` writes piece by piece. Returns the error of `write`, if any.
Result<void> WriteWhole(const std::filesystem::path& file,
                        const std::function<Result<void>(std::ostream&)>& write);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_RUN_FOLDER_H_
