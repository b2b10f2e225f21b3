// Compares the modelled ZooKeeper with a real server: the same random requests of two sessions must
// give the same results. Sessions end by CLOSE only: expiry depends on the server's ticks.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "lib/clients/clients.h"
#include "lib/clients/zookeeper.h"
#include "lib/sim/testing/testing_service.h"
#include "lib/testing/servers.h"
#include "lib/testing/trials.h"
#include "lib/testing/zookeeper_server.h"

namespace doublehold {
namespace {

using testing::kPatience;
using testing::Observation;
using testing::RandomRequest;

constexpr int64_t kZooSequences = 1000;  // in `make test-all`; otherwise see NumTrials
constexpr Duration kLongTimeout = 4 * kPatience;

// Requests of two sessions under one node, which no other sequence uses.
class ZooPlay {
 public:
  ZooPlay(Env& env, const std::string& root)
      : env_(env), paths_{root, root + "/a", root + "/b", root + "/a/c", root + "/none/d"} {
    for (Client& client : clients_) client.session = Open();
  }

  std::vector<Observation> Run(const std::vector<RandomRequest>& requests) {
    Create(clients_[0], paths_[0], ZooCreate::kPersistent);
    for (const RandomRequest& request : requests)
      Do(request.kind, clients_.at(static_cast<size_t>(request.client)),
         paths_[request.pick % paths_.size()]);
    return std::move(observed_);
  }

  static constexpr int kKinds = 9;

 private:
  struct Client {
    std::unique_ptr<ZooKeeperSession> session;
    std::vector<std::string> owned{};
  };

  std::unique_ptr<ZooKeeperSession> Open() { return env_.clients().zookeeper().Open(kLongTimeout); }
  [[nodiscard]] Deadline Soon() { return env_.Mono() + kPatience; }

  void Do(int kind, Client& client, const std::string& path) {
    switch (kind) {
      case 0:
        return Create(client, path, ZooCreate::kPersistent);
      case 1:
      case 2:
        return Create(client, path + "/n-", ZooCreate::kEphemeralSequential);
      case 3:
        return NoteNames("children " + path, client.session->Children(path, Soon()));
      case 4:
        return NoteNames("watch children " + path, client.session->WatchChildren(path, Soon()));
      case 5:
        return NoteNode("watch " + path, client.session->Watch(path, Soon()));
      case 6: {
        const ZooResult<void> deleted = client.session->Delete(path, Soon());
        return Note("delete " + path, deleted ? "" : KindOf(deleted.error()));
      }
      case 7:
        return LookForNews(client);
      default:
        return Close(client);
    }
  }
  void Create(Client& client, const std::string& path, ZooCreate how) {
    const ZooResult<ZooNode> created = client.session->Create(path, "", how, Soon());
    NoteNode("create " + path, created);
    if (created && how == ZooCreate::kPersistent) {
      for (Client& each : clients_) std::erase(each.owned, path);  // its node is gone
    }
    if (!created || how == ZooCreate::kPersistent) return;
    client.owned.push_back(created->path);
    paths_.push_back(created->path);
  }
  // The server sends news before the reply to a later request.
  void LookForNews(Client& client) {
    (void)client.session->Find("/", Soon());
    Note("news", client.session->News().Wait(env_.Mono()) ? "yes" : "no");
  }
  // The close takes effect some time later.
  void Close(Client& client) {
    client.session = Open();
    for (const std::string& path : std::exchange(client.owned, {})) {
      const Deadline deadline = Soon();
      while (client.session->Find(path, deadline)) ASSERT_LT(env_.Mono(), deadline);
    }
    Note("close", "");
  }

  void Note(const std::string& request, const std::string& result, int64_t transaction = 0) {
    observed_.push_back({request, result, transaction});
  }
  void NoteNode(const std::string& request, const ZooResult<ZooNode>& node) {
    Note(request, node ? node->path : KindOf(node.error()), node ? node->czxid : 0);
  }
  void NoteNames(const std::string& request, const ZooResult<std::vector<std::string>>& names) {
    std::vector<std::string> sorted = names.value_or(std::vector<std::string>{});
    std::ranges::sort(sorted);
    Note(request, names ? fmt::format("{}", fmt::join(sorted, " ")) : KindOf(names.error()));
  }
  static std::string KindOf(const ZooFailure& failure) {
    return fmt::format("failure {}", static_cast<int>(failure.kind));
  }

  Env& env_;
  std::vector<std::string> paths_;
  std::array<Client, 2> clients_;
  std::vector<Observation> observed_;
};

TEST(ZooKeeperConformance, TheModelAndARealServerReplyAlike) {
  if (const std::string why = testing::WhyNoZooKeeper(); !why.empty()) GTEST_SKIP() << why;
  const testing::ZooKeeperServer server;
  for (int64_t i = 0; i < NumTrials(kZooSequences); ++i) {
    SCOPED_TRACE(i);
    Prng prng(1, "zookeeper conformance", static_cast<uint64_t>(i));
    const auto requests = testing::RandomRequests(prng, ZooPlay::kKinds, 2);
    testing::ExpectTheSame("zookeeper", server.address(), [&](Env& env) {
      return ZooPlay(env, fmt::format("/s{}", i)).Run(requests);
    });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace doublehold
