#include "compose/client/service_keys.h"

#include <memory>
#include <optional>
#include <vector>

#include "lib/clients/clients.h"
#include "lib/clients/etcd.h"
#include "lib/clients/sql.h"
#include "lib/clients/zookeeper.h"
#include "lib/locks/registry.h"
#include "lib/redis/find_keys.h"

namespace doublehold {
namespace {

std::string FolderOfName(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

// A key lasts for at most its lease, if it has one.
AskKeys AskForEtcdFolders(Env& env, const std::string& lock, Lease lease) {
  const std::shared_ptr<EtcdConnection> etcd = env.clients().etcd().Dial();
  return [etcd, lock, lease](NodeId, Deadline deadline) -> std::optional<KeysLeft> {
    const EtcdResult<std::vector<std::string>> names = etcd->Keys(deadline);
    if (!names) return std::nullopt;
    KeysLeft keys;
    for (const std::string& name : *names) {
      if (IsNameOfLock(lock, name)) keys.emplace(FolderOfName(name), ToMs(lease));
    }
    return keys;
  };
}

// Adds the nodes below `path` that have no children. Returns whether ZooKeeper answered.
bool AddLeaves(ZooKeeperSession& session, const std::string& path, Deadline deadline,
               std::vector<std::string>& leaves) {
  const ZooResult<std::vector<std::string>> names =
      session.Children(path.empty() ? "/" : path, deadline);
  if (!names) return names.error().kind == ZooFailure::Kind::kNoNode;
  if (names->empty()) leaves.push_back(path);
  for (const std::string& name : *names) {
    if (!AddLeaves(session, path + "/" + name, deadline, leaves)) return false;
  }
  return true;
}

// A node of a lock ends with its session. The folders of locks stay.
AskKeys AskForZooKeeperFolders(Env& env, const std::string& lock, Lease lease) {
  const std::shared_ptr<ZooKeeperSession> session = env.clients().zookeeper().Open(lease);
  return [session, lock, lease](NodeId, Deadline deadline) -> std::optional<KeysLeft> {
    std::vector<std::string> leaves;
    if (!AddLeaves(*session, "", deadline, leaves)) return std::nullopt;
    KeysLeft keys;
    for (const std::string& leaf : leaves) {
      if (IsNameOfLock(lock, leaf)) keys.emplace(FolderOfName(leaf), ToMs(lease));
    }
    return keys;
  };
}

// An advisory lock has a number, so any may belong to the lock. It lasts as long as its connection.
AskKeys AskForAdvisoryLocks(Env& env) {
  const auto session = std::make_shared<std::unique_ptr<SqlSession>>();
  return [&env, session](NodeId, Deadline deadline) -> std::optional<KeysLeft> {
    if (*session == nullptr || (*session)->HasEnded())
      *session = env.clients().sql().OpenSession(NodeId{1});
    const SqlResult locks = (*session)->Execute(
        "SELECT classid || ' ' || objid || ' ' || objsubid FROM pg_locks "
        "WHERE locktype = 'advisory' AND granted",
        {}, deadline);
    if (!locks) return std::nullopt;
    KeysLeft keys;
    for (const std::vector<std::string>& row : *locks) keys.emplace(row.front(), kLeftForEver);
    return keys;
  };
}

}  // namespace

AskKeys AskForKeys(Env& env, std::string_view service, const std::string& lock, Lease lease) {
  if (service == kEtcdService) return AskForEtcdFolders(env, lock, lease);
  if (service == kZooKeeperService) return AskForZooKeeperFolders(env, lock, lease);
  if (service == kPostgresService) return AskForAdvisoryLocks(env);
  return AskForRedisKeys(env, lock);
}

}  // namespace doublehold
