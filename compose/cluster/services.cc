#include <algorithm>
#include <array>

#include "compose/cluster/kept_servers.h"
#include "compose/cluster/service.h"
#include "lib/base/check.h"

// The registry: one line for each service. Each row is a function in the service's own folder.
#define DOUBLEHOLD_SERVICES(ROW) \
  ROW(RedisEntry)                \
  ROW(ZooKeeperEntry)            \
  ROW(EtcdEntry)                 \
  ROW(PostgresEntry)             \
  ROW(MariaDbEntry)

namespace doublehold {

#define DOUBLEHOLD_DECLARE(row) ServiceEntry row();
DOUBLEHOLD_SERVICES(DOUBLEHOLD_DECLARE)
#undef DOUBLEHOLD_DECLARE

std::span<const ServiceEntry> Services() {
#define DOUBLEHOLD_CALL(row) row(),
  static const std::array entries{DOUBLEHOLD_SERVICES(DOUBLEHOLD_CALL)};
#undef DOUBLEHOLD_CALL
  return entries;
}

const ServiceEntry& FindService(std::string_view name) {
  const auto found = std::ranges::find_if(
      Services(), [&](const ServiceEntry& entry) { return entry.facts.name == name; });
  CHECK(found != Services().end());
  return *found;
}

Result<ServerProgram> FindProgram(const ChosenPrograms& chosen, std::string_view service) {
  const auto found = chosen.find(service);
  std::string path = found == chosen.end() ? "" : found->second;
  if (IsServerName(path)) {
    TRY(CheckServer(path, service));
    path = TRY(InstallServer(path));
  }
  return FindService(service).find(path);
}

Result<ServerPrograms> FindPrograms(const ChosenPrograms& chosen, const Plan& plan) {
  TRY(CheckServer(plan));
  ChosenPrograms programs = chosen;
  const std::string service(ServiceOf(plan));
  if (!plan.server.empty()) programs.emplace(service, plan.server);
  return ServerPrograms{.store = TRY(FindProgram(programs, StoreServiceOf(plan))),
                        .locks = TRY(FindProgram(programs, service))};
}

const ServiceFacts& FactsOfService(std::string_view name) { return FindService(name).facts; }

std::vector<std::string> NamesOfServices() {
  std::vector<std::string> names;
  for (const ServiceEntry& entry : Services()) names.emplace_back(entry.facts.name);
  return names;
}

std::filesystem::path Service::FolderOf(int node) const {
  return parts_.folder / (std::to_string(node) + ".data");
}

}  // namespace doublehold
