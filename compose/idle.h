// What clients send when they are through with their work: nothing, one should think (checker/quiet.h).
#ifndef DOUBLEHOLD_COMPOSE_IDLE_H_
#define DOUBLEHOLD_COMPOSE_IDLE_H_

#include <deque>
#include <map>
#include <string_view>
#include <vector>

#include "faults/link.h"
#include "faults/proxy/proxy.h"
#include "lib/base/env.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Whether clients are to stay for a while when they are through, and to be watched.
[[nodiscard]] bool JudgesIdle(const Plan& plan);

// Does nothing for a lease, or until it is stopped, and records that.
void StayIdle(Env& env, Lease lease);

// Thread rule: the proxy's, which outlives it.
class IdleTraffic {
 public:
  static constexpr size_t kMostKept = 64;  // of a link: the last

  explicit IdleTraffic(Proxy& proxy) : proxy_(proxy) {}
  ~IdleTraffic() { Stop(); }
  IdleTraffic(const IdleTraffic&) = delete;
  IdleTraffic& operator=(const IdleTraffic&) = delete;

  // From now on, on the links of all clients of the plan to servers of locks, which have been added.
  void Watch(const Plan& plan);
  void Stop();
  // What clients sent while a session of theirs was idle, in the order of time, as `traffic`; times count from `start`.
  [[nodiscard]] std::vector<Event> Within(const std::vector<Event>& events, MonoTime start) const;

 private:
  void Keep(LinkId link, std::string_view command);

  Proxy& proxy_;
  std::vector<RuleId> rules_;
  std::map<LinkId, std::deque<MonoTime>> sent_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_IDLE_H_
