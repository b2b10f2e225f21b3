// Finds the files that the program needs at run time, relative to its own executable.
//
//            in a build folder              installed
//   program  BUILD/doublehold               PREFIX/bin/doublehold
//   library  BUILD/libNAME.so               PREFIX/lib/doublehold/libNAME.so
//   data     BUILD/.. or the source folder  PREFIX/share/doublehold
//
// Data has the same names in all places, such as reports/report.py and compose/suites/npc.toml.
#ifndef DOUBLEHOLD_COMPOSE_OS_PROGRAM_FILES_H_
#define DOUBLEHOLD_COMPOSE_OS_PROGRAM_FILES_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace doublehold {

// Returns the path of this program, with all links resolved.
std::filesystem::path OwnProgram();

// Return the places of a file, in the order in which they are searched. `program` is the
// executable.
std::vector<std::filesystem::path> PlacesOfData(const std::filesystem::path& program,
                                                const std::string& name);
std::vector<std::filesystem::path> PlacesOfLibrary(const std::filesystem::path& program,
                                                   const std::string& name);
// Returns the first place that exists, or nothing.
std::optional<std::filesystem::path> FirstThatExists(
    const std::vector<std::filesystem::path>& places);

// Returns the names of the suites that come with the program, in order.
std::vector<std::string> ListSuites();
// Returns the suite file that a word names: a file with this path, or a suite of the program with
// this name, with or without .toml. Returns the word unchanged if there is no such file.
std::filesystem::path FindSuiteFile(const std::string& word);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_PROGRAM_FILES_H_
