#include "lib/sim/service_models.h"

#include <algorithm>
#include <array>

#include "lib/sim/etcd/etcd_model.h"
#include "lib/sim/sql/postgres_model.h"
#include "lib/sim/zookeeper/zookeeper_model.h"

namespace doublehold::sim {
namespace {

template <typename Model>
std::unique_ptr<ServiceModel> MakeModel() {
  return std::make_unique<Model>();
}

constexpr std::array kServiceModels{ServiceModelEntry{"redis"},
                                    ServiceModelEntry{"postgres", MakeModel<PostgresModel>},
                                    ServiceModelEntry{"zookeeper", MakeModel<ZooKeeperModel>},
                                    ServiceModelEntry{"etcd", MakeModel<EtcdModel>}};

}  // namespace

const ServiceModelEntry* FindServiceModel(std::string_view service) {
  const auto* found = std::ranges::find(kServiceModels, service, &ServiceModelEntry::service);
  return found == kServiceModels.end() ? nullptr : found;
}

}  // namespace doublehold::sim
