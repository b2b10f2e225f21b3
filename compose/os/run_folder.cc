#include "compose/os/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

#include "compose/os/end_signals.h"
#include "lib/base/file_kind.h"
#include "lib/base/words.h"
#include "lib/history/binary.h"
#include "lib/history/csv.h"
#include "lib/history/jsonl.h"

namespace doublehold {
namespace {

constexpr int kMostRunsASecond = 1000;

// The files that a suite writes into a run's folder before it starts the run.
constexpr std::array kPrepared{"plan.json", "run.log"};
constexpr std::array kMarkersOfARun{"plan.json", "verdict.json", "history.bin", "history.jsonl"};
constexpr std::array kMarkersOfManyRuns{"suite.json", "sweep.json", "explore.json"};
constexpr const char* kReport = "report.html";
// The files and folders of a run that --replace removes. plan.json is overwritten in any case.
constexpr std::array kOtherRunFiles{"verdict.json", "history.bin", "history.jsonl", "frames.jsonl",
                                    "trace.json",   "run.log",     "nodes",         "clients"};

// Returns an environment error for a failure of the machine, such as a full disk. Returns bad input
// for a wrong path.
tl::unexpected<Error> FileError(std::string message, const std::error_code& code) {
  constexpr std::array kOfTheMachine{ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM};
  const bool is_machine = std::ranges::find(kOfTheMachine, code.value()) != kOfTheMachine.end();
  return is_machine ? EnvironmentFailed(std::move(message)) : BadInput(std::move(message));
}

constexpr std::array kHistories{"history.bin", "history.jsonl"};

template <typename Names>
bool HasAnyOf(const std::filesystem::path& folder, const Names& names) {
  return std::ranges::any_of(names, [&](const char* name) {
    std::error_code code;
    return std::filesystem::exists(folder / name, code);
  });
}

// Refuses control characters, because the path is printed to a terminal on one line.
Result<void> CheckPath(const char* option, const std::filesystem::path& path) {
  if (OnOneLine(path.string()) == path.string()) return {};
  return BadInput(fmt::format("--{} {}: must not have control characters", option, path.string()));
}

// Whether the folder has no files except those that a suite writes before a run.
Result<bool> IsPrepared(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::directory_iterator entries(folder, code);
  for (; !code && entries != std::filesystem::directory_iterator(); entries.increment(code)) {
    const std::string name = entries->path().filename().string();
    if (std::ranges::find(kPrepared, name) == kPrepared.end()) return false;
  }
  if (code) return FileError(fmt::format("--into {}: {}", folder.string(), code.message()), code);
  return true;
}

// Removes an earlier run and its report. If the folder has no run, removes only the report: other
// files may belong to the user.
Result<void> RemoveRun(const std::filesystem::path& folder) {
  std::error_code code;
  if (HasAnyOf(folder, kMarkersOfARun)) {
    for (const char* name : kOtherRunFiles) {
      if (!code) std::filesystem::remove_all(folder / name, code);
    }
  }
  if (!code) std::filesystem::remove(folder / kReport, code);
  if (!code) return {};
  return BadInput(fmt::format("--into {}: --replace cannot remove the earlier run: {}",
                              folder.string(), code.message()));
}

std::vector<std::filesystem::path> ListSorted(const std::filesystem::path& folder) {
  std::error_code code;
  std::vector<std::filesystem::path> paths;
  std::filesystem::directory_iterator entries(folder, code);
  for (; !code && entries != std::filesystem::directory_iterator(); entries.increment(code))
    paths.push_back(entries->path());
  std::ranges::sort(paths);
  return paths;
}

// Returns the first run folder with a history in the folder of a suite or a sweep, or "".
std::string FindRunBelow(const std::filesystem::path& folder) {
  if (!HasAnyOf(folder, kMarkersOfManyRuns)) return "";
  for (const std::filesystem::path& cell : ListSorted(folder / "cells")) {
    for (const std::filesystem::path& run : ListSorted(cell)) {
      if (HasAnyOf(run, kHistories)) return run.string();
    }
  }
  return "";
}

void LinkLatest(const std::filesystem::path& folder) {
  const std::filesystem::path link = folder.parent_path() / "latest";
  const std::filesystem::path fresh =
      folder.parent_path() / (".latest-" + folder.filename().string());
  std::error_code code;  // ignored: the link is a convenience, and the run works without it
  std::filesystem::create_symlink(folder.filename(), fresh, code);
  if (!code) std::filesystem::rename(fresh, link, code);
}

Result<void> CheckWritten(const std::filesystem::path& file, int error) {
  if (error == 0) return {};
  const std::error_code code(error, std::generic_category());
  return FileError(fmt::format("{}: cannot be written: {}", file.string(), code.message()), code);
}

// Whether a rename replaces only the content. A device, a FIFO or a symbolic link would be lost.
bool IsReplaceable(const std::filesystem::path& file) {
  struct stat at {};
  return lstat(file.c_str(), &at) != 0 || S_ISREG(at.st_mode);
}

// Waits for a reader of the FIFO for two seconds. Without one, open() would block for ever.
int OpenFifo(const std::filesystem::path& file) {
  constexpr std::chrono::seconds kPatience{2};
  constexpr std::chrono::milliseconds kPause{20};
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int fd = -1;
  while ((fd = open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kPause);
  if (fd >= 0) fcntl(fd, F_SETFL, O_WRONLY);
  return fd;
}

// Opens the file that the path leads to. If it is the program's stdout or stderr, as /dev/stdout
// is, returns a copy of that descriptor: the program's later output follows the content.
int OpenInPlace(const std::filesystem::path& file) {
  struct stat at {};
  const bool exists = stat(file.c_str(), &at) == 0;
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat of_fd {};
    if (exists && fstat(fd, &of_fd) == 0 && at.st_dev == of_fd.st_dev && at.st_ino == of_fd.st_ino)
      return fcntl(fd, F_DUPFD_CLOEXEC, 0);
  }
  if (exists && S_ISFIFO(at.st_mode)) return OpenFifo(file);
  return open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

Result<void> WriteInPlace(const std::filesystem::path& file, std::string_view content) {
  std::fflush(stdout);
  const int fd = OpenInPlace(file);
  int error = fd < 0 ? errno : 0;
  while (error == 0 && !content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno != EINTR) error = errno;
    content.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  if (fd >= 0 && close(fd) != 0 && error == 0) error = errno;
  if (error == ENXIO && std::filesystem::is_fifo(file))
    return BadInput(file.string() + ": cannot be written: nobody reads this FIFO");
  return CheckWritten(file, error);
}

}  // namespace

std::string FolderName(const std::string& name) {
  std::string folder = name.empty() ? "run" : name;
  std::ranges::replace_if(
      folder, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_' && c != '.'; },
      '-');
  if (folder.front() == '.') folder.front() = '-';
  return folder;
}

Result<std::filesystem::path> MakeRunFolder(const std::filesystem::path& out,
                                            const std::string& experiment, uint64_t seed,
                                            LatestLink latest) {
  TRY(CheckPath("out", out));
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::error_code code;
  const std::filesystem::path parent = out / FolderName(experiment);
  std::filesystem::create_directories(parent, code);
  const std::string stem = fmt::format("{:%Y%m%dT%H%M%S}Z-{}", fmt::gmtime(now), seed);
  std::filesystem::path folder = parent / stem;
  // If several runs have the same second and seed, a number is appended.
  bool made = !code && std::filesystem::create_directory(folder, code);
  for (int number = 2; !made && !code && number < kMostRunsASecond; ++number) {
    folder = parent / fmt::format("{}-{}", stem, number);
    made = std::filesystem::create_directory(folder, code);
  }
  if (!made) {
    return FileError(fmt::format("--out {}: the folder cannot be written: {}", out.string(),
                                 code ? code.message() : "too many runs in it"),
                     code);
  }
  if (latest == LatestLink::kMove) LinkLatest(folder);
  return folder;
}

Result<void> MakeEmptyFolder(const std::filesystem::path& folder) {
  TRY(CheckPath("into", folder));
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code && std::filesystem::is_empty(folder, code) && !code) return {};
  return FileError(fmt::format("--into {}: {}: use a new or an empty folder", folder.string(),
                               code ? code.message() : "not empty"),
                   code);
}

Result<void> MakeFolderForRun(const std::filesystem::path& folder, Existing existing) {
  TRY(CheckPath("into", folder));
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return FileError(fmt::format("--into {}: {}", folder.string(), code.message()), code);
  if (TRY(IsPrepared(folder))) return {};
  const bool is_of_many = HasAnyOf(folder, kMarkersOfManyRuns);
  if (existing == Existing::kReplace && !is_of_many) return RemoveRun(folder);
  return BadInput(fmt::format("--into {}: {}: use a new or an empty folder{}", folder.string(),
                              is_of_many ? "has many runs, of a suite or a search"
                              : HasAnyOf(folder, kMarkersOfARun) ? "has a run already"
                                                                 : "not empty",
                              is_of_many ? "" : ", or --replace"));
}

Result<void> MakeFolder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code) return {};
  return FileError(fmt::format("{}: {}", folder.string(), code.message()), code);
}

Result<void> WriteHistory(const History& history, const std::filesystem::path& folder,
                          HistoryFiles files) {
  // Writes the smaller file first, because it may still fit on a disk that is nearly full.
  Result<void> written = WriteBinaryFile(history, folder / "history.bin");
  if (files == HistoryFiles::kBinary) return written;
  std::ostringstream lines;
  WriteJsonl(history, lines);
  Result<void> lines_written = WriteWhole(folder / "history.jsonl", lines.str());
  return written ? lines_written : written;
}

Result<void> WriteWhole(const std::filesystem::path& file, const std::string& content) {
  return WriteWhole(file, [&](std::ostream& out) -> Result<void> {
    out << content;
    return {};
  });
}

Result<void> WriteWhole(const std::filesystem::path& file,
                        const std::function<Result<void>(std::ostream&)>& write) {
  if (!IsReplaceable(file)) {
    std::ostringstream content;
    TRY(write(content));
    return WriteInPlace(file, content.view());
  }
  const EndSignalsBlocked until_renamed;
  const std::filesystem::path part = file.string() + ".part";
  errno = 0;
  std::ofstream out(part, std::ios::binary);
  const Result<void> written = out ? write(out) : Result<void>();
  out.close();
  std::error_code code;
  if (!out) code.assign(errno == 0 ? EIO : errno, std::generic_category());
  if (written && !code) std::filesystem::rename(part, file, code);
  if (written && !code) return {};
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  return written ? CheckWritten(file, code.value()) : written;
}

int LockRunFolder(const std::filesystem::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  return fd;
}

nlohmann::json ReadJsonFile(const std::filesystem::path& file) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) return nullptr;
  std::ifstream in(file, std::ios::binary);
  nlohmann::json json = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? nlohmann::json() : json;
}

Result<std::filesystem::path> FindHistoryFile(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(path, code)) {
    const std::string run = FindRunBelow(path);
    if (!run.empty())
      return BadInput(
          fmt::format("{}: has many runs; name one of them, such as {}", path.string(), run));
    file = path / kHistories[0];
    if (!std::filesystem::exists(file, code)) file = path / kHistories[1];
    if (!std::filesystem::exists(file, code)) {
      return BadInput(
          fmt::format("{}: no history.bin or history.jsonl in this folder", path.string()));
    }
  }
  if (const std::string why = WhyNotReadable(file); !why.empty())
    return BadInput(fmt::format("{}: {}", file.string(), why));
  return file;
}

Result<History> ReadHistory(const std::filesystem::path& path) {
  const std::filesystem::path file = TRY(FindHistoryFile(path));
  if (file.extension() == ".bin") return ReadBinaryFile(file);
  if (file.extension() != ".csv") return ReadJsonlFile(file);
  TextSource source = TRY(TextSource::Open(file));
  if (IsOwnCsv(source)) return ReadCsv(source);
  return BadInput(
      fmt::format("{}:1: lacks the columns of `doublehold export --format csv`; another tool's log "
                  "needs a model: doublehold check --model NAME (doublehold list models)",
                  file.string()));
}

}  // namespace doublehold
