// A modelled etcd server: leases, keys that end with their lease, watches of deletions, and the
// server's own lock. etcd_conformance_test.cc compares it with a real server.
#ifndef DOUBLEHOLD_LIB_SIM_ETCD_ETCD_MODEL_H_
#define DOUBLEHOLD_LIB_SIM_ETCD_ETCD_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/sim/service/service_model.h"

namespace doublehold::sim {

constexpr std::string_view kEtcdNoLease = "requested lease not found";

// One server by itself; ensembles are not modelled. Requests have the names of the JSON gateway's
// paths, so that faults name them as on real links:
//
//   /V3/LEASE/GRANT ttl-ns           replies the lease
//   /V3/LEASE/KEEPALIVE lease, /V3/LEASE/REVOKE lease
//   /V3/KV/TXN key lease prefix      creates the key unless it exists; replies the create revision
//                                    of the key, then name and create revision of the first key
//   /V3/KV/RANGE prefix revision     replies the last key created before the revision, or nil
//   /V3/WATCH key revision           replies 0 if the key of this create revision exists, else 1;
//                                    its deletion is news of the channel with the key's name
//   /V3/LOCK/LOCK name lease         replies key and revision, when the key is the first
//   /V3/LOCK/UNLOCK key
//
// Differences from a real server:
// - A lease ends exactly at its time, not up to half a second later.
// - A Lock call whose client has left waits on; its key stays until its lease ends.
class EtcdModel final : public ServiceModel {
 public:
  [[nodiscard]] std::optional<CallResult> Execute(Argv request, const ServiceCall& call) override;
  [[nodiscard]] MonoTime NextExpiry() const override;
  void Expire(MonoTime now) override;
  void Restart(MonoTime back) override;

 private:
  struct EtcdLease {
    int64_t id = 0;
    Duration ttl{};
    MonoTime expiry{};
  };
  struct Key {
    int64_t create_revision = 0;
    int64_t lease = 0;
  };
  using Keys = std::map<std::string, Key, std::less<>>;
  struct WaitingLock {
    uint64_t call = 0;
    std::string name, key;
  };

  void MixData(StateDigest& digest) const override;
  CallResult ExecuteOnLease(Argv request, MonoTime now);
  CallResult Create(std::string_view name, int64_t lease);
  [[nodiscard]] Keys::const_iterator FindExtreme(std::string_view prefix, int64_t before,
                                                 bool is_last) const;
  [[nodiscard]] bool IsFirst(const WaitingLock& waiting) const;
  void DeleteKeys(std::vector<std::string> names);
  void EndLease(int64_t id);
  [[nodiscard]] Reply Granted(const WaitingLock& waiting) const;

  int64_t revision_ = 1;
  int64_t granted_ = 0;  // number of leases so far
  Keys keys_;
  std::vector<EtcdLease> leases_;
  std::vector<WaitingLock> waiting_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_ETCD_ETCD_MODEL_H_
