// The drivers that are kept in drivers/, by their names: "redis-py", or "redis-py@4.5.5".
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_

#include <span>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace doublehold {

struct KeptDriver {
  std::string_view name;  // and its folder in drivers/
  std::string_view summary;
};
std::span<const KeptDriver> KeptDrivers();

// What the shell is to run for `asked`: the command of a kept driver, of that version; anything
// else is a command itself. Bad input: a version that is none, and a word that names no program but
// nearly a kept driver.
Result<std::string> DriverCommandOf(const std::string& asked);

// The version that `asked` is of; empty where it does not say. "1.2" asks for 1.2.0 as well.
std::string VersionAsked(const std::string& asked);
bool IsVersionAsked(std::string_view asked, std::string_view version);

// Lets a kept driver install the library, if that version is not there yet; of any other there is
// nothing to do. Takes as long as the network does. An error of the environment says what is
// missing, in one line.
Result<void> InstallDriver(const std::string& asked);

// A word, as a shell reads it back.
std::string ShellQuoted(const std::string& word);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_BUNDLED_DRIVERS_H_
