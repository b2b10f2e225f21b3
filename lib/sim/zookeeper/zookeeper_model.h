// A modelled ZooKeeper server: sessions, ephemeral sequential nodes and watches.
// zookeeper_conformance_test.cc compares it with a real server.
#ifndef DOUBLEHOLD_LIB_SIM_ZOOKEEPER_ZOOKEEPER_MODEL_H_
#define DOUBLEHOLD_LIB_SIM_ZOOKEEPER_ZOOKEEPER_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/sim/service/service_model.h"

namespace doublehold::sim {

// The server's errors, by the texts of its client library.
constexpr std::string_view kZooNoNode = "no node";
constexpr std::string_view kZooNodeExists = "node exists";
constexpr std::string_view kZooSessionExpired = "session expired";

// One server by itself; ensembles are not modelled. Requests, by their words:
//
//   CONNECT session timeout-ns new|again   begins or resumes a session; the client chooses its name
//   CREATE session path                    a persistent node
//   CREATE session path ephemeral          an ephemeral sequential node; both reply [path, czxid]
//   GETDATA session path [watch]           replies the czxid
//   GETCHILDREN session path [watch]       replies the names
//   DELETE session path
//   PING session, CLOSE session
//
// Every request prolongs its session. The server does not reply to requests of a session that has
// ended. News of a session's watches goes to the channel that has the session's name. Differences
// from a real server:
// - A session expires exactly at its timeout, not at the next tick.
// - News of several watches from one transaction is one message.
class ZooKeeperModel final : public ServiceModel {
 public:
  ZooKeeperModel() { nodes_["/"]; }

  [[nodiscard]] std::optional<CallResult> Execute(Argv request, const ServiceCall& call) override;
  [[nodiscard]] MonoTime NextExpiry() const override;
  void Expire(MonoTime now) override;
  void Restart(MonoTime back) override;

 private:
  struct Session {
    std::string name;
    Duration timeout{};
    MonoTime expiry{};
  };
  struct Node {
    int64_t czxid = 0;
    std::string owner{};        // the session of an ephemeral node; empty for a persistent one
    int64_t children_ever = 0;  // number of children created so far
  };
  struct Watch {
    std::string session, path;
    bool of_children = false;
    bool operator==(const Watch&) const = default;
  };

  void MixData(StateDigest& digest) const override;
  Session* FindSession(std::string_view name);
  CallResult Connect(Argv request, MonoTime now);
  CallResult Create(Argv request);
  CallResult Read(Argv request);
  CallResult Delete(std::string_view path);
  [[nodiscard]] std::vector<std::string> ChildrenOf(std::string_view path) const;
  void Remove(std::string_view path);
  void EndSession(const std::string& name);
  void Trigger(std::string_view path, bool of_children);

  int64_t zxid_ = 0;  // of the last transaction
  std::map<std::string, Node, std::less<>> nodes_;
  std::vector<Session> sessions_;
  std::vector<Watch> watches_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_ZOOKEEPER_ZOOKEEPER_MODEL_H_
