#include "compose/cluster/kept_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compose/os/kept_programs.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/service_rules.h"
#include "lib/base/words.h"
#include "lib/plan/settings.h"

namespace doublehold {
namespace {

constexpr std::string_view kAnyVersion = "VERSION";

std::vector<KeptServer> ReadKeptServers() {
  std::vector<KeptServer> servers;
  const auto file = FindInDrivers("servers.toml");
  if (!file) return servers;
  Result<Settings> read = Settings::ReadToml(*file);
  if (!read) return servers;
  for (int i = 0; i < read->CountTables("server"); ++i) {
    const auto word = [&](const char* name) {
      const auto taken = read->TakeWord(fmt::format("server.{}.{}", i, name));
      return taken.value_or(std::nullopt).value_or("");
    };
    servers.push_back(
        {.name = word("name"), .service = word("service"), .summary = word("summary")});
  }
  return servers;
}

bool IsOfDigitsAndDots(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isdigit(c) != 0 || c == '.';
  });
}

bool Names(const KeptServer& server, std::string_view asked) {
  if (server.name == asked) return true;
  const std::string_view name = server.name;
  if (!name.ends_with(kAnyVersion)) return false;
  const std::string_view any = name.substr(0, name.size() - kAnyVersion.size());
  return asked.starts_with(any) && IsOfDigitsAndDots(asked.substr(any.size()));
}

}  // namespace

const std::vector<KeptServer>& KeptServers() {
  static const std::vector<KeptServer> kServers = ReadKeptServers();
  return kServers;
}

bool IsServerName(std::string_view text) {
  return text.find('@') != std::string_view::npos && text.find('/') == std::string_view::npos;
}

Result<void> CheckServer(const std::string& name, std::string_view service) {
  const auto found = std::ranges::find_if(
      KeptServers(), [&](const KeptServer& server) { return Names(server, name); });
  if (found == KeptServers().end())
    return BadInput(UnknownWord("server", name, ListNames(KeptServers())));
  if (service.empty() || service == found->service) return {};
  return BadInput(fmt::format("'{}' is a server of {}, and not of {}", name,
                              FactsOfService(found->service).title, FactsOfService(service).title));
}

Result<void> CheckServer(const Plan& plan) {
  if (plan.server.empty()) return {};
  Result<void> known = CheckServer(plan.server, ServiceOf(plan));
  if (known) return {};
  return BadInput("topology.server: " + known.error().message);
}

Result<std::string> InstallServer(const std::string& name) {
  return RunInDrivers("kept_servers.py", {name});
}

}  // namespace doublehold
