// When the servers carried out the calls of a simulated execution.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_EFFECT_TIMES_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_EFFECT_TIMES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "lib/base/event.h"
#include "lib/history/frame.h"

namespace doublehold {

class EffectTimes {
 public:
  // Requires the frames of a simulated execution, which name the tasks that sent them.
  explicit EffectTimes(const std::vector<Frame>& frames);

  // Returns when the call that `asked` begins took effect: when most of the servers that it asked
  // had carried out its last request to them. The call sent its requests before `until_ns`. Returns
  // nothing if it sent none, or if too few were carried out.
  [[nodiscard]] std::optional<int64_t> Find(const Event& asked, int64_t until_ns) const;

 private:
  using Sender = std::tuple<int32_t, TaskKind, uint8_t>;
  std::map<Sender, std::vector<Frame>> requests_;  // in order of time
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_EFFECT_TIMES_H_
