// A replay string: one execution of the simulator, in a line that can be mailed.
//
//   v1/lock.name=set-nx-px;workload.clients=2/1/pause,hold-request/17:1
//      what was asked for                 cycles  faults          choices
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_REPLAY_STRING_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_REPLAY_STRING_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/fault_forms.h"
#include "lib/base/result.h"
#include "lib/plan/settings.h"
#include "lib/sim/choices/choice.h"

namespace doublehold {

struct ReplayString {
  Settings settings;
  int cycles = 1;
  std::vector<FaultForm> faults;  // that could strike
  bool reorders = false;
  sim::Deviations choices;
};

std::string ToText(const ReplayString& replay);
Result<ReplayString> ParseReplayString(std::string_view text);

// "pause,kill" or "pause:1,kill:2": faults and, where it is said, how many of each at most.
struct FaultsAsked {
  std::vector<FaultForm> faults;
  std::vector<int> most;  // of each; 0: not said
};
Result<FaultsAsked> ParseFaults(std::string_view text, std::string_view where);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_REPLAY_STRING_H_
