#include "compose/os/supervisor_resources.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace doublehold {
namespace {

constexpr int kSamples = 60;
constexpr Duration kLeastApart = 250ms;
constexpr size_t kMostSamples = 2 * kSamples;  // limit for a run that takes longer than planned

nlohmann::json Course(const std::vector<OwnUse>& uses, int64_t OwnUse::*what) {
  nlohmann::json each = nlohmann::json::array();
  int64_t peak = 0;
  for (const OwnUse& use : uses) {
    each.push_back(use.*what);
    peak = std::max(peak, use.*what);
  }
  if (uses.empty()) return {};
  return {
      {"first", uses.front().*what}, {"last", uses.back().*what}, {"peak", peak}, {"each", each}};
}

}  // namespace

OwnUse ReadOwnUse() {
  OwnUse use;
  int64_t size = 0;
  int64_t resident = 0;
  int64_t shared = 0;
  if (std::ifstream("/proc/self/statm") >> size >> resident >> shared) {
    use.memory_kb = (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
  }
  std::error_code code;
  const std::filesystem::directory_iterator open("/proc/self/fd", code);
  // The descriptor of the iteration itself does not count.
  if (!code) use.descriptors = std::distance(begin(open), end(open)) - 1;
  return use;
}

bool HasChildren() {
  siginfo_t ignored{};
  return waitid(P_ALL, 0, &ignored, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

nlohmann::json ToJson(const SupervisorUse& use) {
  nlohmann::json descriptors = Course(use.during, &OwnUse::descriptors);
  descriptors["before"] = use.before.descriptors;
  descriptors["after"] = use.after.descriptors;
  return {{"memory_kb", Course(use.during, &OwnUse::memory_kb)},
          {"descriptors", std::move(descriptors)},
          {"every_ms", use.every / std::chrono::milliseconds(1)},
          {"children_left", use.children_left},
          {"rules_left", use.rules_left}};
}

UseMeter::UseMeter(boost::asio::io_context& io, Duration run_length)
    : use_{.every = std::max(kLeastApart, run_length / kSamples)}, timer_(io) {}

void UseMeter::Begin() {
  use_.during.reserve(kMostSamples + 1);
  Take();
}

SupervisorUse UseMeter::End() {
  timer_.cancel();
  use_.during.push_back(ReadOwnUse());
  return std::move(use_);
}

void UseMeter::Take() {
  if (use_.during.size() == kMostSamples) return;
  use_.during.push_back(ReadOwnUse());
  timer_.expires_after(use_.every);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Take();
  });
}

}  // namespace doublehold
