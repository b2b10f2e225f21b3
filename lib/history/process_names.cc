#include "lib/history/process_names.h"

#include <fmt/format.h>

#include <charconv>

#include "lib/base/event.h"

namespace doublehold {
namespace {

constexpr std::string_view kReferees = "referee";
constexpr std::string_view kSupervisors = "supervisor";
constexpr std::string_view kServers = "node ";

}  // namespace

std::string NameOfProcess(int32_t process) {
  if (IsServer(process)) return fmt::format("{}{}", kServers, ServerOf(process));
  return std::string(process == kReferee ? kReferees : kSupervisors);
}

std::optional<int32_t> ProcessNamed(std::string_view name) {
  if (name == kReferees) return kReferee;
  if (name == kSupervisors) return kSupervisor;
  if (!name.starts_with(kServers)) return std::nullopt;
  name.remove_prefix(kServers.size());
  int32_t node = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), node);
  const bool whole = read.ec == std::errc() && read.ptr == name.data() + name.size();
  return whole && node >= 0 && node < kMostServers ? std::optional(OfServer(node)) : std::nullopt;
}

}  // namespace doublehold
