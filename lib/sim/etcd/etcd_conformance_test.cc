// Compares the modelled etcd with a real server: the same random requests must give the same
// results. Leases end by Revoke only: expiry depends on when the server looks for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "lib/clients/clients.h"
#include "lib/clients/etcd.h"
#include "lib/sim/testing/testing_service.h"
#include "lib/testing/etcd_server.h"
#include "lib/testing/servers.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

using testing::kPatience;
using testing::Observation;
using testing::RandomRequest;

constexpr int64_t kEtcdSequences = 1000;  // in `make test-all`; otherwise see NumTrials
constexpr Duration kLongLease = 4 * kPatience;
constexpr Duration kGlance = 10ms;  // a key that exists gives no news, however long one waits
constexpr int64_t kNoSuchLease = 77;

// Requests on the keys of one prefix, which no other sequence uses.
class EtcdPlay {
 public:
  EtcdPlay(Env& env, std::string prefix)
      : env_(env), etcd_(env.clients().etcd().Dial()), prefix_(std::move(prefix)) {}

  std::vector<Observation> Run(const std::vector<RandomRequest>& requests) {
    for (const RandomRequest& request : requests) {
      const size_t lease = request.pick % leases_.size();
      Do(request.kind, lease, request.pick / leases_.size());
    }
    return std::move(observed_);
  }

  static constexpr int kKinds = 9;

 private:
  [[nodiscard]] Deadline Soon() { return env_.Mono() + kPatience; }
  [[nodiscard]] std::string Prefix() const { return prefix_ + "/"; }

  void Do(int kind, size_t lease, uint64_t pick) {
    const int64_t id = leases_[lease];
    switch (kind) {
      case 0:
        return Grant();
      case 1:
        return Note(fmt::format("keep {} alive", lease), etcd_->KeepAlive(id, Soon()));
      case 2:
        return Note(fmt::format("revoke {}", lease), etcd_->Revoke(id, Soon()));
      case 3:
      case 4:
        return Create(fmt::format("{}{}", Prefix(), pick % 4), lease);
      case 5:
        return FindBefore(pick);
      case 6:
        return Watch(pick);
      case 7:
        return Lock(lease);
      default:
        return Unlock(pick);
    }
  }
  void Grant() {
    const EtcdResult<int64_t> granted = etcd_->GrantLease(kLongLease, Soon());
    if (granted) leases_.push_back(*granted);
    observed_.push_back({"grant", granted ? "" : KindOf(granted.error())});
  }
  void Create(const std::string& key, size_t lease) {
    const std::string request = fmt::format("create {} with {}", key, lease);
    const auto queue = etcd_->Create(key, leases_[lease], Prefix(), Soon());
    if (!queue) return Fail(request, queue.error());
    NoteKey(request, queue->own);
    NoteKey("first", queue->first);
  }
  void FindBefore(uint64_t pick) {
    const int64_t before =
        seen_.empty() || pick % 4 == 0 ? INT64_MAX : seen_[pick % seen_.size()].create_revision;
    const auto found = etcd_->FindBefore(Prefix(), before, Soon());
    if (!found) return Fail("find", found.error());
    if (!*found) return observed_.push_back({"find", "none"});
    NoteKey("find", **found);
  }
  // Whether the key exists decides how long to wait for news of its deletion.
  void Watch(uint64_t pick) {
    if (seen_.empty()) return;
    const EtcdKey key = seen_[pick % seen_.size()];
    const auto found = etcd_->FindBefore(key.name, INT64_MAX, Soon());
    const bool exists = found && *found && (**found).create_revision == key.create_revision;
    const auto watch = etcd_->WatchDeletion(key);
    const bool has_news = watch->Wait(env_.Mono() + (exists ? kGlance : kPatience));
    observed_.push_back({"watch", has_news ? "deleted" : "no news", key.create_revision});
  }
  // Locks a name of its own, so that no other key makes the call wait.
  void Lock(size_t lease) {
    const std::string name = fmt::format("{}-lock{}", prefix_, locks_++);
    const auto locked = etcd_->Lock(name, leases_[lease], Soon());
    if (!locked) return Fail("lock", locked.error());
    EXPECT_EQ(locked->name, fmt::format("{}/{:x}", name, leases_[lease]));
    locked_.push_back(locked->name);
    observed_.push_back({"lock", "", locked->create_revision});
  }
  void Unlock(uint64_t pick) {
    const std::string key = locked_.empty() ? "no key" : locked_[pick % locked_.size()];
    Note("unlock", etcd_->Unlock(key, Soon()));
  }

  void Note(const std::string& request, const EtcdResult<void>& result) {
    observed_.push_back({request, result ? "" : KindOf(result.error())});
  }
  void NoteKey(const std::string& request, const EtcdKey& key) {
    observed_.push_back({request, key.name, key.create_revision});
    seen_.push_back(key);
  }
  void Fail(const std::string& request, const EtcdFailure& failure) {
    observed_.push_back({request, KindOf(failure)});
  }
  static std::string KindOf(const EtcdFailure& failure) {
    return fmt::format("failure {}", static_cast<int>(failure.kind));
  }

  Env& env_;
  std::unique_ptr<EtcdConnection> etcd_;
  std::string prefix_;
  std::vector<int64_t> leases_{kNoSuchLease};
  std::vector<EtcdKey> seen_;
  std::vector<std::string> locked_;
  int locks_ = 0;
  std::vector<Observation> observed_;
};

TEST(EtcdConformance, TheModelAndARealServerReplyAlike) {
  if (const std::string why = testing::WhyNoEtcd(); !why.empty()) GTEST_SKIP() << why;
  const testing::EtcdServer server;
  for (int64_t i = 0; i < NumTrials(kEtcdSequences); ++i) {
    SCOPED_TRACE(i);
    Prng prng(1, "etcd conformance", static_cast<uint64_t>(i));
    const auto requests = testing::RandomRequests(prng, EtcdPlay::kKinds, 1);
    testing::ExpectTheSame("etcd", server.address(), [&](Env& env) {
      return EtcdPlay(env, fmt::format("s{}", i)).Run(requests);
    });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace doublehold
