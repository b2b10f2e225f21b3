// A Galera cluster: MariaDB servers that all accept writes and replicate their data to each other.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_MARIADB_GALERA_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_MARIADB_GALERA_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "compose/os/reserved_ports.h"
#include "lib/base/result.h"
#include "lib/os/spawn.h"

namespace doublehold {

// Each start of a member begins with a copy of the same template. The other members send what was
// committed since the template, so that no tool needs to copy data between members.
class Galera {
 public:
  // Reserves ports for `members` servers, and creates the template in `folder`, which must exist.
  // For the template, it runs a server to its end, about a second. The error says what to install.
  static Result<Galera> Create(const std::filesystem::path& mariadb,
                               const std::filesystem::path& folder, int members);

  // Returns how to start a member, counted from 1. The start replaces the folder `data` by a copy
  // of the template. The first start of member 1 founds the cluster; all other starts join it.
  SpawnRequest StartOf(int member, const std::filesystem::path& data,
                       const std::filesystem::path& socket);

 private:
  Galera() = default;
  Result<void> CreateTemplate();
  Result<void> WriteTransferScript() const;
  [[nodiscard]] std::vector<std::string> CommandOf(int member, const std::filesystem::path& data,
                                                   const std::filesystem::path& socket,
                                                   const std::string& cluster) const;
  [[nodiscard]] std::filesystem::path Template() const { return folder_ / "template"; }
  [[nodiscard]] uint16_t PeerPort(int member) const { return ports_.At(2 * Index(member)); }
  [[nodiscard]] uint16_t TransferPort(int member) const { return ports_.At(2 * Index(member) + 1); }
  static size_t Index(int member) { return static_cast<size_t>(member - 1); }

  std::filesystem::path mariadb_;
  std::filesystem::path folder_;
  int members_ = 0;
  HeldPorts ports_;  // member by member
  bool is_founded_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_MARIADB_GALERA_H_
