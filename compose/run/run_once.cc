#include "compose/run_once.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "compose/orphans.h"
#include "compose/plan_builder.h"
#include "lib/history/binary.h"
#include "lib/history/jsonl.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

constexpr int kMostRunsASecond = 1000;

nlohmann::json EnvironmentFacts(const ServerProgram& server, const SupervisorUse& use) {
  utsname kernel{};
  uname(&kernel);
  return {{"redis", server.version},
          {"cores", std::thread::hardware_concurrency()},
          {"kernel", kernel.release},
          {"doublehold", DOUBLEHOLD_VERSION},
          {"supervisor", ToJson(use)}};
}

void LinkLatest(const std::filesystem::path& folder) {
  const std::filesystem::path link = folder.parent_path() / "latest";
  const std::filesystem::path fresh =
      folder.parent_path() / (".latest-" + folder.filename().string());
  std::error_code code;  // the link is a convenience: without it the run is as good
  std::filesystem::create_symlink(folder.filename(), fresh, code);
  if (!code) std::filesystem::rename(fresh, link, code);
}

std::string TellOfOrphans(const std::vector<std::string>& ran_on) {
  const bool one = ran_on.size() == 1;
  return fmt::format(
      "{} {} that drivers had started ran on when these had ended, and {} killed: {}",
      ran_on.size(), one ? "process" : "processes", one ? "was" : "were",
      fmt::join(std::set<std::string>(ran_on.begin(), ran_on.end()), ", "));
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
                                            const std::string& experiment, uint64_t seed) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::error_code code;
  const std::filesystem::path parent = out / FolderName(experiment);
  std::filesystem::create_directories(parent, code);
  const std::string stem = fmt::format("{:%Y%m%dT%H%M%S}Z-{}", fmt::gmtime(now), seed);
  std::filesystem::path folder = parent / stem;
  // Several runs of one second and seed tell themselves apart by a number.
  bool made = !code && std::filesystem::create_directory(folder, code);
  for (int number = 2; !made && !code && number < kMostRunsASecond; ++number) {
    folder = parent / fmt::format("{}-{}", stem, number);
    made = std::filesystem::create_directory(folder, code);
  }
  if (!made) {
    return BadInput(fmt::format("--out {}: the folder cannot be written: {}", out.string(),
                                code ? code.message() : "too many runs in it"));
  }
  LinkLatest(folder);
  return folder;
}

Result<void> WriteWhole(const std::filesystem::path& file, const std::string& content) {
  const std::filesystem::path part = file.string() + ".part";
  std::ofstream out(part, std::ios::binary);
  out << content;
  out.close();
  std::error_code code;
  if (out) std::filesystem::rename(part, file, code);
  if (out && !code) return {};
  std::filesystem::remove(part, code);
  return BadInput(fmt::format("{}: cannot be written", file.string()));
}

Result<RunVerdict> RunOnce(const RunRequest& request) {
  if (auto ok = WriteWhole(request.folder / "plan.json", ToJson(request.plan).dump(2) + "\n");
      !ok) {
    return tl::unexpected(ok.error());
  }
  const OwnUse before = ReadOwnUse();
  Orphans orphans;
  Result<Supervised> supervised = Supervise({.plan = request.plan,
                                             .facts = FactsOf(request.plan),
                                             .folder = request.folder,
                                             .server = request.server,
                                             .progress = request.progress,
                                             .watch_frames = request.frames != nullptr});
  const std::vector<std::string> ran_on = orphans.End();
  if (!supervised) return tl::unexpected(supervised.error());
  // It has closed and ended all it had; what is there beyond what was before is a leak.
  supervised->use.before = before;
  supervised->use.after = ReadOwnUse();
  supervised->use.children_left = HasChildren();
  const History& history = supervised->history;
  std::ostringstream lines;
  WriteJsonl(history, lines);
  if (auto ok = WriteWhole(request.folder / "history.jsonl", lines.str()); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = WriteBinaryFile(history, request.folder / "history.bin"); !ok) {
    return tl::unexpected(ok.error());
  }
  if (request.frames != nullptr) {
    *request.frames = std::move(supervised->frames);
    if (auto ok = WriteFrames(*request.frames, request.folder / "frames.jsonl"); !ok)
      return tl::unexpected(ok.error());
  }
  RunVerdict verdict = Judge(history);
  if (!ran_on.empty()) verdict.warnings.push_back(TellOfOrphans(ran_on));
  nlohmann::json json = ToJson(verdict);
  json["environment"] = EnvironmentFacts(request.server, supervised->use);
  if (auto ok = WriteWhole(request.folder / "verdict.json", json.dump(2) + "\n"); !ok) {
    return tl::unexpected(ok.error());
  }
  return verdict;
}

Result<std::filesystem::path> HistoryFileOf(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(path, code)) {
    file = path / "history.bin";
    if (!std::filesystem::exists(file, code)) file = path / "history.jsonl";
    if (!std::filesystem::exists(file, code)) {
      return BadInput(
          fmt::format("{}: no history.bin or history.jsonl in this folder", path.string()));
    }
  }
  if (!std::filesystem::is_regular_file(file, code)) {
    return BadInput(fmt::format("{}: no such file", file.string()));
  }
  return file;
}

Result<History> ReadHistory(const std::filesystem::path& path) {
  const Result<std::filesystem::path> file = HistoryFileOf(path);
  if (!file) return tl::unexpected(file.error());
  return file->extension() == ".bin" ? ReadBinaryFile(*file) : ReadJsonlFile(*file);
}

}  // namespace doublehold
