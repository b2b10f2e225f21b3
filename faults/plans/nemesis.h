// Random faults for long runs. They are drawn from the run's seed when the plan is made, so equal
// seeds give equal plans.
//
//   0   1 L        + every       + 2 every                             duration - 2 L      duration
//   |----|--?--====--|----?===-----|--?=======- ... ------?====-----------|------calm---------|
//
// Each interval of length `every` has one fault. Its start (in the first half of the interval),
// length, kind and target are drawn. Faults may overlap. No fault lasts into the calm, the last two
// leases of the run. Each requested member occurs if there are enough intervals.
#ifndef DOUBLEHOLD_FAULTS_PLANS_NEMESIS_H_
#define DOUBLEHOLD_FAULTS_PLANS_NEMESIS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/prng.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// A group of faults that a nemesis may draw from.
struct NemesisMember {
  std::string_view name;
  std::string_view summary;
  bool needs_network = false;
  // Draws the kind, target and keys of a fault of about `length`. May reduce the length to zero.
  FaultPlan (*draw)(const Plan&, Duration length, Prng&) = nullptr;
};

// The registry: one line a member.
std::span<const NemesisMember> NemesisMembers();

struct Nemesis {
  std::vector<std::string> members;  // of NemesisMembers(), at least one
  Duration every{};                  // above 0
  Duration shortest{};               // length of a fault
  Duration longest{};
  Duration kept_out{};  // minimum time that a restarted node is down
};

constexpr int kCalmLeases = 2;            // at the end of the run, without a fault of the nemesis
constexpr int kMostDrawnFaults = 20'000;  // in one run

// Returns the faults in the order of their starts. `plan` has everything but its faults. Returns
// bad input if the run is too short for any fault, or if there would be too many faults.
Result<std::vector<FaultPlan>> DrawNemesis(const Plan& plan, const Nemesis& nemesis);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_NEMESIS_H_
