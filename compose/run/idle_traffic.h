// What clients send to servers of locks: when they are through with their work, nothing, one should
// think (checker/claims/library/idle_traffic.h); and where that has a limit, all of it
// (checker/claims/limits/commands_per_hold.h).
#ifndef DOUBLEHOLD_COMPOSE_RUN_IDLE_TRAFFIC_H_
#define DOUBLEHOLD_COMPOSE_RUN_IDLE_TRAFFIC_H_

#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "faults/link.h"
#include "faults/proxy/proxy.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Thread rule: the proxy's, which outlives it.
class SentTraffic {
 public:
  static constexpr size_t kMostIdle = 64;  // of a link, where only idle ones count: the last
  static constexpr size_t kMostOfAll = 1'000'000;  // else: the first

  explicit SentTraffic(Proxy& proxy) : proxy_(proxy) {}
  ~SentTraffic() { Stop(); }
  SentTraffic(const SentTraffic&) = delete;
  SentTraffic& operator=(const SentTraffic&) = delete;

  // From now on, on the links of all clients of the plan to servers of locks, which have been
  // added; where a claim of the plan is about what they send.
  void Watch(const Plan& plan);
  void Stop();
  // What clients sent, in the order of time, as `traffic`; times count from `start`. Where not all
  // is to be recorded, while a session of theirs was idle.
  [[nodiscard]] std::vector<Event> Among(const std::vector<Event>& events, MonoTime start) const;

 private:
  void Keep(LinkId link, std::string_view command);

  Proxy& proxy_;
  std::vector<RuleId> rules_;
  bool keeps_all_ = false;
  size_t kept_ = 0;
  std::optional<MonoTime> full_;  // when it was, of those that keep all
  std::map<LinkId, std::deque<MonoTime>> sent_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_IDLE_TRAFFIC_H_
