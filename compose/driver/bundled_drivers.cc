#include "compose/driver/bundled_drivers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "compose/os/kept_programs.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/plan/settings.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLauncher = "kept.py";
// The text of Suggestion() contains this if a known word is similar.
constexpr const char* kNearest = "did you mean";

// The file in a driver's folder that describes it; drivers/kept.py reads it too.
constexpr const char* kDescription = "driver.toml";

// The package clients for which kept.py can take a library from a folder.
constexpr std::array<std::string_view, 3> kTakeFolders{"go", "npm", "pip"};

// Returns nothing for a folder without a description that can be read.
std::optional<KeptDriver> ReadKeptDriver(const fs::path& folder) {
  Result<Settings> read = Settings::ReadToml(folder / kDescription);
  if (!read) return std::nullopt;
  const auto word = [](Settings& of, const std::string& name) {
    return of.TakeWord(name).value_or(std::nullopt).value_or("");
  };
  KeptDriver driver{.name = folder.filename().string(),
                    .install = word(*read, "install"),
                    .summary = word(*read, "summary")};
  for (const auto& [table, rows] :
       {std::pair("options", &driver.options), std::pair("copies", &driver.copies)}) {
    Settings named = read->TakeBelow(table);
    for (const std::string& name : named.Names()) rows->emplace_back(name, word(named, name));
  }
  return driver;
}

std::vector<KeptDriver> ReadKeptDrivers() {
  std::vector<KeptDriver> drivers;
  const auto launcher = FindInDrivers(kLauncher);
  if (!launcher) return drivers;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(launcher->parent_path(), code)) {
    if (std::optional<KeptDriver> driver = ReadKeptDriver(entry.path()))
      drivers.push_back(*std::move(driver));
  }
  std::ranges::sort(drivers, {}, &KeptDriver::name);
  return drivers;
}

struct DriverRequested {
  const KeptDriver* driver = nullptr;
  std::string version;               // empty: the pinned version
  std::optional<fs::path> folder{};  // the library's, in place of a version
};

// Returns nothing if `asked` is a shell command.
std::optional<DriverRequested> ParseDriverRequested(const std::string& asked) {
  const size_t at = asked.find('@');
  const auto driver = std::ranges::find(KeptDrivers(), asked.substr(0, at), &KeptDriver::name);
  if (driver == KeptDrivers().end()) return std::nullopt;
  DriverRequested parsed{.driver = &*driver, .version = ""};
  const std::string rest = asked.substr(driver->name.size());
  if (rest.starts_with(kFromFolder)) {
    parsed.folder = fs::absolute(rest.substr(kFromFolder.size())).lexically_normal();
  } else if (!rest.empty()) {
    parsed.version = rest.substr(1);
  }
  return parsed;
}

// Whether the text is a single word that names no program.
bool IsNoCommand(const std::string& word) {
  if (word.empty() || word.find_first_of(" \t\n/;|&<>()$`'\"\\=") != std::string::npos)
    return false;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code code;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(fs::path(folder) / word, code)) return false;
  }
  return true;
}

// Returns an error message if the text looks like the misspelt name of a bundled driver. Returns an
// empty text if it may be a command.
std::string SuggestDriver(const std::string& asked) {
  if (!IsNoCommand(asked)) return {};
  std::vector<std::string> names;
  for (const KeptDriver& driver : KeptDrivers()) names.push_back(driver.name);
  const std::string name = asked.substr(0, asked.find('@'));
  std::string unknown = UnknownWord("driver", name, names);
  return unknown.find(kNearest) == std::string::npos ? std::string() : unknown;
}

// Allows letters, digits and separators, since the version becomes a word of a shell command and a
// part of a file name. Refuses words such as "latest": the cache would always keep the version of
// the first installation.
bool IsVersion(std::string_view text) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '+' || c == '_';
  };
  return !text.empty() && text.size() <= 40 && text.front() >= '0' && text.front() <= '9' &&
         std::ranges::all_of(text, fits);
}

Result<void> CheckFolder(const std::string& asked, const KeptDriver& driver,
                         const fs::path& folder) {
  if (std::ranges::find(kTakeFolders, driver.install) == kTakeFolders.end()) {
    return BadInput(
        fmt::format("'{}': only libraries of {} can be taken from a folder; {} installs {}", asked,
                    fmt::join(kTakeFolders, ", "), driver.install, driver.name));
  }
  std::error_code code;
  if (fs::is_directory(folder, code)) return {};
  return BadInput(fmt::format("'{}': {}: no such folder", asked, folder.string()));
}

// Returns the arguments of the launcher.
Result<std::vector<std::string>> MakeLauncherArguments(const std::string& asked,
                                                       const DriverRequested& parsed) {
  if (parsed.folder) {
    TRY(CheckFolder(asked, *parsed.driver, *parsed.folder));
    return std::vector<std::string>{parsed.driver->name, "--path", parsed.folder->string()};
  }
  if (asked.find('@') != std::string::npos && !IsVersion(parsed.version)) {
    return BadInput(
        fmt::format("'{}': a version begins with a digit, and has letters, digits, '.', '-', '+' "
                    "and '_' ({}@1.2.3)",
                    asked, parsed.driver->name));
  }
  std::vector<std::string> words{parsed.driver->name};
  if (!parsed.version.empty()) words.insert(words.end(), {"--version", parsed.version});
  return words;
}

}  // namespace

std::string ShellQuoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_-./=:,@%+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') quoted += "'\\'";  // ends the quotes, adds a quote, and opens them again
    quoted.push_back(c);
  }
  quoted.push_back('\'');
  return quoted;
}

const std::vector<KeptDriver>& KeptDrivers() {
  static const std::vector<KeptDriver> kDrivers = ReadKeptDrivers();
  return kDrivers;
}

std::string LibraryIn(const std::string& asked) {
  const std::optional<DriverRequested> parsed = ParseDriverRequested(asked);
  return parsed ? parsed->driver->name : asked;
}

std::string WithAbsoluteFolder(const std::string& asked) {
  const std::optional<DriverRequested> parsed = ParseDriverRequested(asked);
  if (!parsed || !parsed->folder) return asked;
  return parsed->driver->name + std::string(kFromFolder) + parsed->folder->string();
}

std::string RequestedVersion(const std::string& asked) {
  const std::optional<DriverRequested> parsed = ParseDriverRequested(asked);
  return parsed ? parsed->version : "";
}

bool IsRequestedVersion(std::string_view asked, std::string_view version) {
  const auto without_zeros = [](std::string_view text) {
    while (text.ends_with(".0")) text.remove_suffix(2);
    return text;
  };
  return without_zeros(asked) == without_zeros(version);
}

Result<std::string> FindDriverCommand(const std::string& asked) {
  const std::optional<DriverRequested> parsed = ParseDriverRequested(asked);
  if (!parsed) {
    if (std::string misspelt = SuggestDriver(asked); !misspelt.empty())
      return BadInput(std::move(misspelt));
    return asked;
  }
  const auto words = TRY(MakeLauncherArguments(asked, *parsed));
  const fs::path launcher = TRY(FindInDrivers(kLauncher));
  std::string command = "python3 " + ShellQuoted(launcher.string());
  for (const std::string& word : words) command += " " + ShellQuoted(word);
  return command;
}

Result<void> InstallDriver(const std::string& asked) {
  const std::optional<DriverRequested> parsed = ParseDriverRequested(asked);
  if (!parsed) return {};
  auto words = TRY(MakeLauncherArguments(asked, *parsed));
  words.emplace_back("--missing");
  if (isatty(STDERR_FILENO) == 1) {
    const Result<std::string> missing = RunInDrivers(kLauncher, words);
    if (missing && !missing->empty()) fmt::print(stderr, "installing {}\n", *missing);
  }
  words.back() = "--install";
  TRY(RunInDrivers(kLauncher, std::move(words)));
  return {};
}

}  // namespace doublehold
