#include "compose/driver/lock_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "compose/driver/bundled_drivers.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

using LockOptions = std::map<std::string, std::string>;

// Removes the options in brackets at the end of the text. A text that ends with other brackets has
// none: it may be a shell command.
LockOptions TakeOptions(std::string& text) {
  const size_t open = text.rfind('[');
  if (open == std::string::npos || !text.ends_with(']')) return {};
  LockOptions options;
  for (const std::string& part : SplitAtCommas(text.substr(open + 1, text.size() - open - 2))) {
    const size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    });
    if (equals == std::string::npos || !is_name) return {};
    if (!options.emplace(name, part.substr(equals + 1)).second) return {};
  }
  text.resize(open);
  return options;
}

const KeptDriver* FindKeptDriver(std::string_view name) {
  const auto found = std::ranges::find(KeptDrivers(), name, &KeptDriver::name);
  return found == KeptDrivers().end() ? nullptr : &*found;
}

// Returns an option that only the library of this name has, and not the built-in lock.
std::optional<std::string> FindOptionOfLibrary(const LockName& lock) {
  const KeptDriver* const library = FindKeptDriver(lock.name);
  if (library == nullptr) return std::nullopt;
  for (const auto& [name, value] : lock.options) {
    const auto is_its = [&](const auto& option) { return option.first == name; };
    const auto& own = FindLock(lock.name)->options;
    if (std::ranges::any_of(library->options, is_its) &&
        std::ranges::find(own, name, &OptionSpec::name) == own.end())
      return name;
  }
  return std::nullopt;
}

}  // namespace

Result<LockName> ReadLockName(std::string text) {
  const std::string whole = text;
  LockName lock{.name = "", .driver = "", .options = TakeOptions(text)};
  if (text.starts_with(kDriverPrefix)) {
    lock.driver = WithAbsoluteFolder(text.substr(kDriverPrefix.size()));
    return lock;
  }
  if (FindLock(text) != nullptr) {
    lock.name = text;
    if (const auto option = FindOptionOfLibrary(lock))
      return BadInput(fmt::format(
          "lock '{}' is Doublehold's own copy, without the library's option '{}'; the library is "
          "{}{}",
          text, *option, kDriverPrefix, whole));
    return lock;
  }
  if (FindKeptDriver(text.substr(0, text.find('@'))) != nullptr) {
    lock.driver = WithAbsoluteFolder(text);
    return lock;
  }
  std::vector<std::string> known = ListNames(Locks());
  for (const std::string& library : ListNames(KeptDrivers())) {
    if (FindLock(library) == nullptr) known.push_back(library);
  }
  return BadInput(UnknownWord("lock", text, known));
}

std::vector<std::string> SplitLockNames(std::string_view list) {
  std::vector<std::string> names;
  for (std::string& part : SplitAtCommas(list)) {
    const bool is_open = !names.empty() && names.back().rfind('[') != std::string::npos &&
                         names.back().find(']', names.back().rfind('[')) == std::string::npos;
    if (is_open) {
      names.back() += "," + part;
    } else {
      names.push_back(std::move(part));
    }
  }
  return names;
}

Result<void> ResolveLockName(Settings& settings) {
  const bool is_driver = settings.Has("lock.driver");
  const std::string setting = is_driver ? "lock.driver" : "lock.name";
  const std::optional<Setting> given = Settings(settings).Take(setting);
  if (!given || given->is_list) return {};
  const std::string where = settings.Where(setting);
  const Result<LockName> lock =
      ReadLockName((is_driver ? std::string(kDriverPrefix) : "") + given->words.front());
  if (!lock) return BadInput(fmt::format("{}: {}", where, lock.error().message));
  const bool is_built_in = !lock->name.empty();
  if (!is_driver)
    settings.Set("lock.name", is_built_in ? lock->name : std::string(kDriverLock), given->where);
  if (!is_built_in) settings.Set("lock.driver", lock->driver, given->where);
  for (const auto& [name, value] : lock->options) {
    const std::string option = (is_built_in ? "lock." : "lock.options.") + name;
    if (settings.Has(option))
      return BadInput(
          fmt::format("{}: option '{}' is set by {} too", where, name, settings.Where(option)));
    settings.Set(option, value, given->where);
  }
  return {};
}

std::string OwnCopyLine(std::string_view lock) {
  for (const KeptDriver& driver : KeptDrivers()) {
    for (const auto& [name, copied] : driver.copies) {
      if (name != lock) continue;
      const size_t options = std::min(copied.find('['), copied.size());
      return fmt::format("{}: Doublehold's own copy of {}; the library is {}{}{}\n", lock,
                         copied.substr(0, options), kDriverPrefix, driver.name,
                         copied.substr(options));
    }
  }
  return {};
}

}  // namespace doublehold
