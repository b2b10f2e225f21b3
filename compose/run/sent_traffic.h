// Records the commands that clients send to lock nodes. For the claim idle-traffic, records only
// commands of idle clients (checker/claims/library/idle_traffic.h). For a limit on commands,
// records every command (checker/claims/limits). Counts commands and bytes in every run that uses
// the proxy (checker/measures/load.h).
#ifndef DOUBLEHOLD_COMPOSE_RUN_SENT_TRAFFIC_H_
#define DOUBLEHOLD_COMPOSE_RUN_SENT_TRAFFIC_H_

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "faults/link.h"
#include "faults/proxy/proxy.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Thread rule: runs on the proxy's thread. The proxy must outlive it.
class SentTraffic {
 public:
  // If only idle traffic counts, keeps at most so many last commands of each link.
  static constexpr size_t kMostIdle = 64;
  // If all traffic counts, keeps at most so many first commands.
  static constexpr size_t kMostOfAll = 1'000'000;

  explicit SentTraffic(Proxy& proxy) : proxy_(proxy) {}
  ~SentTraffic() { Stop(); }
  SentTraffic(const SentTraffic&) = delete;
  SentTraffic& operator=(const SentTraffic&) = delete;

  // Starts to record the links of all clients of the plan to lock nodes. Records single commands
  // only if the plan has a claim about traffic. Does nothing if clients connect directly. Requires
  // that the links have been added.
  void Watch(const Plan& plan);
  // Ends the recording, and keeps the counts of each link. Call before the proxy is closed.
  void Stop();
  // Returns the recorded commands and the counts of each link as `traffic` events in the order of
  // time. Times count from `start`. If not all traffic counts, returns only the commands that a
  // client sent while it was idle.
  [[nodiscard]] std::vector<Event> Among(const std::vector<Event>& events, MonoTime start) const;

 private:
  void Keep(LinkId link, std::string_view command);

  Proxy& proxy_;
  std::vector<RuleId> rules_;
  // Before the clients begin, they connect and load scripts.
  std::map<LinkId, LinkTraffic> carried_before_, carried_;
  MonoTime stopped_{};
  bool keeps_all_ = false;
  size_t kept_ = 0;
  std::optional<MonoTime> full_;  // when the limit kMostOfAll was reached
  std::map<LinkId, std::deque<MonoTime>> sent_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_SENT_TRAFFIC_H_
