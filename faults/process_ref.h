// A process on which a fault acts.
#ifndef DOUBLEHOLD_FAULTS_PROCESS_REF_H_
#define DOUBLEHOLD_FAULTS_PROCESS_REF_H_

#include <compare>
#include <cstdint>

namespace doublehold {

// A client, a node (node 0: the store) or a sentinel. Clients and nodes run under the clock shim.
struct ProcessRef {
  enum class Kind : uint8_t { kClient, kNode, kSentinel };
  Kind kind = Kind::kClient;
  int number = 0;
  auto operator<=>(const ProcessRef&) const =
      default;  // NOLINT(modernize-use-nullptr): no null here
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROCESS_REF_H_
