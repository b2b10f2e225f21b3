// Refuses plans that the lock's service cannot carry out.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_SERVICE_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_SERVICE_RULES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/time.h"
#include "lib/plan/plan.h"
#include "lib/plan/topology.h"

namespace doublehold {

// The facts of a lock service on which the rules for plans depend.
struct ServiceFacts {
  std::string_view name;   // as in LockEntry::service
  std::string_view title;  // as its makers write it: "ZooKeeper"
  // The usual program of a server. An option of the same name chooses another one. Empty: the user
  // cannot choose.
  std::string_view program{};
  std::vector<std::string_view> topologies{};
  Lease shortest_lease = std::chrono::milliseconds(1);
  std::string_view why_shortest{};  // follows "must be at least 400ms"
  // A lease must be a multiple of it: a server that cuts a fraction off could grant the lock again
  // while the client's lease is still valid.
  Lease lease_unit = std::chrono::milliseconds(1);
  bool keeps_alive = false;       // whether clients keep the sessions or leases of its locks alive
  bool is_static = false;         // a static program: no clock shim can be loaded into it
  bool tells_time = false;        // whether anybody can see that a fault moved a node's clock
  bool members_tell_time = true;  // whether each server of an ensemble tells its own time
  bool repeats = true;            // whether a request can be sent twice on one connection
  int most_replicas = 4;          // of a node in a topology with replicas
  bool hands_over = true;         // whether a failover can be planned: how = "planned"
  bool elects = false;            // whether the servers of an ensemble elect a leader
  bool joins_namespaces = false;  // whether its servers support `net = "namespaces"`
  std::vector<std::string_view> data{};  // what a restarted node may keep: values of `data`
  std::vector<std::string_view> data_in_ensemble{};  // the same in an ensemble; empty: as `data`
};

// The servers' programs that the user chose: a path for the name of a service. Any other service
// runs its usual program.
using ChosenPrograms = std::map<std::string, std::string, std::less<>>;

// Returns the facts of a service; the registry is compose/cluster/services.cc. Requires that a
// service has this name.
const ServiceFacts& FactsOfService(std::string_view name);
std::vector<std::string> NamesOfServices();
// Returns the service in which the plan's lock keeps its keys. Empty: its driver was not asked yet.
std::string_view ServiceOf(const Plan& plan);
// Returns the service of the store.
std::string_view StoreServiceOf(const Plan& plan);
// Completes a plan of an earlier version, in which every store was a Redis.
void AddStore(Plan& plan);
// Returns the facts of the lock's service. Without one: facts that fit every plan.
const ServiceFacts& FactsOfServiceOf(const Plan& plan);

// Says why the service cannot keep the plan's lease. Returns an empty text if it can.
std::string ExplainLease(const Plan& plan);
// Says why the plan cannot have its store. Returns an empty text if it can.
std::string ExplainStore(const Plan& plan);
// Says why the time of the lock's service cannot run fast. Returns an empty text if it can, or need
// not.
std::string ExplainSpeed(const Plan& plan);
// Says why the service cannot have this topology or network.
Incompatibility FindServiceIncompatibility(const Plan& plan);
// Refuses a fault that cannot act on the servers of their service.
Result<void> CheckService(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_SERVICE_RULES_H_
