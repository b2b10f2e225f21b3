// A replay string: one simulated execution on one line, short enough for an e-mail.
//
//   v1/lock.name=set-nx-px;workload.clients=2/1/pause,hold-request/17:1
//      settings                               cycles  faults       choices
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
  std::vector<FaultForm> faults;  // the faults that could begin
  bool reorders = false;
  sim::Deviations choices;
};

std::string ToText(const ReplayString& replay);
Result<ReplayString> ParseReplayString(std::string_view text);

// Faults with optional limits: "pause,kill" or "pause:1,kill:2".
struct FaultsAsked {
  std::vector<FaultForm> faults;
  std::vector<int> most;  // the maximum of each fault; 0: no limit was given
};
Result<FaultsAsked> ParseFaults(std::string_view text, std::string_view where);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_REPLAY_STRING_H_
