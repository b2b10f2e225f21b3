// The drivers in drivers/, which are included by name: "redis-py", or "redis-py@4.5.5".
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_

#include <span>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace doublehold {

struct KeptDriver {
  std::string_view name;  // also its folder in drivers/
  std::string_view summary;
};
std::span<const KeptDriver> KeptDrivers();

// The shell command for `asked`: the command of a bundled driver in this version, else `asked`
// itself. Returns bad input for an invalid version, and for a word that names no program but
// resembles a bundled driver.
Result<std::string> DriverCommandOf(const std::string& asked);

// The version in `asked`; empty if there is none. "1.2" also matches 1.2.0.
std::string VersionAsked(const std::string& asked);
bool IsVersionAsked(std::string_view asked, std::string_view version);

// Makes a bundled driver install its library, unless that version is installed, and says so on
// a terminal: "installing redisson 4.7.0 (30 s, once)". Does nothing for other drivers. Takes as
// long as the network does. An environment error says in one line what is missing.
Result<void> InstallDriver(const std::string& asked);

// Quotes a word for a shell.
std::string ShellQuoted(const std::string& word);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_
