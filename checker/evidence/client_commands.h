// The commands that clients sent to lock servers, as far as the run recorded each of them.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_CLIENT_COMMANDS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_CLIENT_COMMANDS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "checker/evidence/holds.h"
#include "lib/history/history.h"

namespace doublehold {

struct ClientCommand {
  int64_t at_ns = 0;
  int64_t node = 0;
};

class ClientCommands {
 public:
  explicit ClientCommands(const History& history);

  // Returns the commands of a client in the order of time.
  [[nodiscard]] const std::vector<ClientCommand>& Of(int32_t client) const;
  // Returns how many of them were sent after the start of `when`, and no later than its end.
  [[nodiscard]] int64_t Count(int32_t client, const Span& when) const;
  // No command was recorded from this time on; kForeverNs if all were.
  [[nodiscard]] int64_t recorded_until_ns() const { return recorded_until_ns_; }

 private:
  std::map<int32_t, std::vector<ClientCommand>> by_client_;
  int64_t recorded_until_ns_ = kForeverNs;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_CLIENT_COMMANDS_H_
