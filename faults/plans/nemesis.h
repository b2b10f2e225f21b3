// Random faults for long runs, drawn from the run's seed when its plan is made: equal seed, equal
// plan.
//
//   0   1 L        + every       + 2 every                             duration - 2 L      duration
//   |----|--?--====--|----?===-----|--?=======- ... ------?====-----------|------calm---------|
//
// Each stretch of `every` has one fault. Where in its first half it begins, how long it lasts, of
// which kind it is and whom it hits is drawn. Faults may overlap; none is drawn that would last
// into the calm. Of each kind that was asked for there is one, where there are stretches enough.
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
  // Kind, target and what the kind needs, of a fault of about `length`; it may shorten it to
  // nothing.
  FaultPlan (*draw)(const Plan&, Duration length, Prng&) = nullptr;
};

// The registry: one line a member.
std::span<const NemesisMember> NemesisMembers();

struct Nemesis {
  std::vector<std::string> members;  // of NemesisMembers(), at least one
  Duration every{};                  // above 0
  Duration shortest{};               // of a fault
  Duration longest{};
  Duration kept_out{};  // a node that is restarted stays away so long at least
};

constexpr int kCalmLeases = 2;            // before the end, without a fault of the nemesis
constexpr int kMostDrawnFaults = 20'000;  // of a run

// The faults, in the order of their begin. `plan` has everything but its faults. Bad input when
// there is no room for any, or for too many.
Result<std::vector<FaultPlan>> DrawNemesis(const Plan& plan, const Nemesis& nemesis);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_NEMESIS_H_
