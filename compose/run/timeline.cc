#include "compose/run/timeline.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <string_view>

#include "lib/plan/topology.h"

namespace doublehold {

struct Timeline::Entry {
  Entry(boost::asio::io_context& io, const FaultPlan& fault, int number, uint64_t seed)
      : plan(fault),
        kind(*FindFault(fault.kind)),
        index(number),
        random(seed, "fault", static_cast<uint64_t>(number)),
        start_timer(io),
        end_timer(io) {}

  // Sets the nodes of the next start. Returns false if the fault names the leader, and there is
  // none.
  bool ChooseNodes(Cluster& cluster) {
    if (!NamesLeader(plan)) return true;
    const std::optional<int> leader = cluster.FindLeader();
    started.nodes = leader ? std::vector{*leader} : std::vector<int>{};
    return leader.has_value();
  }

  // Whether this is the moment of the trigger, now that a client has reached a step.
  bool IsAt(const Trigger& trigger, int at_client, Step step) {
    if (trigger.step != step || (trigger.client != 0 && trigger.client != at_client)) return false;
    return ++reached >= trigger.nth;
  }

  const FaultPlan& plan;
  FaultPlan started = plan;  // with the leader's number in place of kLeaderNode
  const FaultEntry& kind;
  int index;
  Prng random;
  boost::asio::steady_timer start_timer;
  boost::asio::steady_timer end_timer;
  int starts = 0;
  int healed = 0;
  bool due = false;  // whether its start time has passed, so that it waits for its step
  bool active = false;
  int reached = 0;     // how often its next step was reached since it waits for that step
  uint64_t epoch = 0;  // number of the current start; a callback of an earlier start is ignored
  int client = 0;      // the client of the active start
  Healer healer;
  const Entry* during = nullptr;       // begins only while that fault is active
  const Entry* until_fault = nullptr;  // ends when that fault begins or ends
};

Timeline::Timeline(boost::asio::io_context& io, Cluster& cluster, const Plan& plan, Hooks hooks)
    : io_(io), cluster_(cluster), plan_(plan), hooks_(std::move(hooks)) {
  int number = 0;
  for (const FaultPlan& fault : plan.faults) {
    entries_.push_back(std::make_unique<Entry>(io, fault, number++, plan.seed));
  }
  std::map<std::string_view, const Entry*> named;
  for (const auto& entry : entries_) named.emplace(entry->plan.name, entry.get());
  for (const auto& entry : entries_) {
    if (!entry->plan.during.empty()) entry->during = named.at(entry->plan.during);
    if (!entry->plan.until_fault) continue;
    entry->until_fault = named.at(entry->plan.until_fault->fault);
    with_moments_.push_back(entry.get());
  }
}

Timeline::~Timeline() = default;

void Timeline::Begin() {
  begun_ = cluster_.Now();
  for (const auto& entry : entries_) ScheduleNext(*entry);
  Rearm();
}

// Schedules the next start of a fault. Start k is at from + k * every, but not before the fault of
// start k - 1 has ended.
void Timeline::ScheduleNext(Entry& entry) {
  if (ended_ || entry.starts >= entry.plan.times) return;
  const MonoTime due = begun_ + entry.plan.from + entry.plan.every * entry.starts;
  const auto come = [this, &entry] {
    if (IsOver()) return;
    entry.due = true;
    live_.emplace(entry.index, &entry);
    if (!entry.plan.on) StartFault(entry, entry.plan.client.value_or(0));
    Rearm();  // arms the step at which the fault begins or ends
  };
  if (due <= cluster_.Now()) {
    if (entry.plan.on) {
      entry.due = true;
      live_.emplace(entry.index, &entry);
    } else {
      come();
    }
    return;
  }
  entry.start_timer.expires_at(std::chrono::steady_clock::time_point(due.time_since_epoch()));
  entry.start_timer.async_wait([this, come](const boost::system::error_code& error) {
    if (!error && !ended_) come();
  });
}

// Whether it is too late for a fault to begin. If the supervisor stalls, a timer may fire after the
// end of the run.
bool Timeline::IsOver() const { return ended_ || cluster_.Now() - begun_ >= plan_.duration; }

bool Timeline::IsWaiting(const Entry& entry) const {
  if (ended_ || !entry.due || entry.active || entry.starts >= entry.plan.times) return false;
  return entry.during == nullptr || entry.during->active;
}

void Timeline::Rearm() {
  std::vector<uint32_t> steps(static_cast<size_t>(plan_.clients) + 1, 0);
  const auto add = [&](const Trigger& trigger) {
    for (int client = 1; client <= plan_.clients; ++client) {
      if (trigger.client != 0 && trigger.client != client) continue;
      steps[static_cast<size_t>(client)] |= 1U << static_cast<unsigned>(trigger.step);
    }
  };
  for (const auto& [index, entry] : live_) {
    // Arms a fault with `during` before the other fault begins, so that it can begin at the next
    // step.
    const bool may_start =
        !ended_ && entry->due && !entry->active && entry->starts < entry->plan.times;
    if (may_start && entry->plan.on) add(*entry->plan.on);
    if (entry->active && entry->plan.until) add(*entry->plan.until);
  }
  for (int client = 1; client <= plan_.clients; ++client) {
    hooks_.arm(client, steps[static_cast<size_t>(client)]);
  }
}

void Timeline::OnStep(int client, Step step) {
  // Starts faults in the order of the plan, before it heals any fault: another fault may end when a
  // fault begins at this step. Iterates over a copy, since a fault that ends at once is removed
  // from live_.
  const std::map<int, Entry*> live = live_;
  for (const auto& [index, entry] : live) {
    if (entry->plan.on && IsWaiting(*entry) && entry->IsAt(*entry->plan.on, client, step)) {
      StartFault(*entry, client);
    }
  }
  for (const auto& [index, entry] : live) {
    if (entry->active && entry->plan.until && entry->IsAt(*entry->plan.until, client, step)) {
      Heal(*entry);
    }
  }
  Rearm();
}

void Timeline::StartFault(Entry& entry, int client) {
  entry.active = true;
  entry.reached = 0;
  live_.emplace(entry.index, &entry);
  entry.client = entry.plan.client.value_or(client);
  const uint64_t epoch = ++entry.epoch;
  ++entry.starts;
  const bool has_nodes = entry.ChooseNodes(cluster_);
  hooks_.record(FaultEvent(entry, EventType::kInvoke, entry.kind.asked_ns(entry.plan)));
  const auto still = [&entry, epoch] { return entry.active && entry.epoch == epoch; };
  const FaultStart start{.plan = entry.started,
                         .client = entry.client,
                         .clients = plan_.clients,
                         .nodes = ClientLinksOf(plan_),
                         .on_limit_reached = [this, &entry, still] {
                           // Posted, because healing removes the link rule that makes this call.
                           boost::asio::post(io_, [this, &entry, still] {
                             if (still()) Heal(entry);
                           });
                         }};
  if (has_nodes) {
    entry.healer = entry.kind.start(cluster_, start, entry.random);
  } else {
    start.on_limit_reached();  // it acts on nothing
  }
  HealAtMoments();
  if (entry.kind.length_is_of_frames || entry.kind.ends_itself) return;
  if (entry.plan.length <= Duration::zero()) return;
  entry.end_timer.expires_after(entry.plan.length);
  entry.end_timer.async_wait([this, &entry, still](const boost::system::error_code& error) {
    if (!error && still()) Heal(entry);
  });
}

// Heals the faults whose end is the start or end of another fault that has happened. Posted, so
// that it does not run inside the start of the other fault.
void Timeline::HealAtMoments() {
  if (with_moments_.empty()) return;
  boost::asio::post(io_, [this] {
    for (Entry* entry : with_moments_) {
      if (!entry->active) continue;
      const Entry& other = *entry->until_fault;
      if ((entry->plan.until_fault->ended ? other.healed : other.starts) > 0) Heal(*entry);
    }
  });
}

void Timeline::Heal(Entry& entry) {
  entry.active = false;
  entry.reached = 0;
  entry.due = false;
  live_.erase(entry.index);
  entry.end_timer.cancel();
  const int64_t measured_ns = entry.healer.Heal();
  ++entry.healed;
  const bool acted = measured_ns != kDidNotAct;
  hooks_.record(FaultEvent(entry, acted ? EventType::kOk : EventType::kFail, measured_ns));
  HealAtMoments();
  ScheduleNext(entry);
  Rearm();
}

void Timeline::End() {
  ended_ = true;
  for (const auto& entry : entries_) {
    entry->start_timer.cancel();
    if (entry->active) Heal(*entry);
  }
  Rearm();
}

Event Timeline::FaultEvent(const Entry& entry, EventType type, int64_t value_ns) const {
  const std::vector<int>& nodes = entry.started.nodes;
  const int node = nodes.empty() ? -1 : nodes.front();
  // A fault on nodes does not act on the client whose step started it.
  const bool to_nodes =
      !entry.plan.nodes.empty() &&
      (!entry.kind.needs_network || entry.kind.needs_replicas || CutsServers(entry.plan)) &&
      !entry.plan.client;
  const int client = to_nodes || entry.client == 0 ? -1 : entry.client;
  return {.client = kSupervisor,
          .op = Op::kFault,
          .type = type,
          .value = {entry.index, value_ns, client, node}};
}

}  // namespace doublehold
