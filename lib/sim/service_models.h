// The lock services that the simulated world can have.
#ifndef DOUBLEHOLD_LIB_SIM_SERVICE_MODELS_H_
#define DOUBLEHOLD_LIB_SIM_SERVICE_MODELS_H_

#include <string_view>

#include "lib/sim/service/service_model.h"

namespace doublehold::sim {

struct ServiceModelEntry {
  std::string_view service;    // as in LockEntry::service
  MakeService make = nullptr;  // null for Redis, which the world models by itself
};

// Returns null if the world does not model this service.
const ServiceModelEntry* FindServiceModel(std::string_view service);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_SERVICE_MODELS_H_
