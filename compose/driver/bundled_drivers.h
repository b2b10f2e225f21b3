// The drivers in drivers/, which are included by name: "redis-py", "redis-py@4.5.5", or
// "redis-py@path:../fix", whose library is in that folder.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

// What the file driver.toml in a driver's folder says of it.
struct KeptDriver {
  std::string name;     // also its folder in drivers/
  std::string install;  // the kind of package client that installs its library: "pip"
  std::string summary;
  std::vector<std::pair<std::string, std::string>> options;  // names, each with its description
  // Built-in locks, each with the lock of this library that it copies: "RLock[kind=lock]".
  std::vector<std::pair<std::string, std::string>> copies;
};
// Returns the drivers by name, read once from the folders in drivers/ that have a driver.toml.
// Returns none if these files are missing. Safe to call from any thread.
const std::vector<KeptDriver>& KeptDrivers();

// Returns the shell command for `asked`. If `asked` names a bundled driver, returns the command
// that starts it in this version, else `asked` itself. Returns bad input for an invalid version or
// folder, and for a word that names no program but resembles a bundled driver.
Result<std::string> FindDriverCommand(const std::string& asked);

// Returns the name of the bundled driver in `asked`, or `asked` itself if it is a command.
std::string LibraryIn(const std::string& asked);
// Replaces a relative folder in `asked` by an absolute one, because a plan may run in any
// folder.
std::string WithAbsoluteFolder(const std::string& asked);
// Returns the version in `asked`, or an empty text if it has none.
std::string RequestedVersion(const std::string& asked);
// Whether the versions are equal except for trailing zeros: "1.2" equals "1.2.0".
bool IsRequestedVersion(std::string_view asked, std::string_view version);

// Installs the library of a bundled driver, unless this version is installed. Prints progress on a
// terminal: "installing redisson 4.7.0 (30 s, once)". Does nothing for other drivers. Its duration
// depends on the network. An environment error names in one line the missing program or package.
Result<void> InstallDriver(const std::string& asked);

// Quotes a word for a shell, unless it needs no quotes.
std::string ShellQuoted(const std::string& word);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_
