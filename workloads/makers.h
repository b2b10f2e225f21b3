// The makers that registry.cc lists; for that file and the workloads' own.
#ifndef DOUBLEHOLD_WORKLOADS_MAKERS_H_
#define DOUBLEHOLD_WORKLOADS_MAKERS_H_

#include <memory>

#include "workloads/workload.h"

namespace doublehold {

std::unique_ptr<Workload> MakeCycle(const Options& options);
std::unique_ptr<Workload> MakeInventory(const Options& options);

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_MAKERS_H_
