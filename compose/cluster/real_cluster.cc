#include "compose/cluster/real_cluster.h"

#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "compose/os/process_tree.h"
#include "lib/base/check.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

// Timeout of TIME. A stopped node does not answer.
constexpr Duration kTimeQueryTimeout = 20ms;
// Timeout of an operator's command. The server may execute the command later.
constexpr Duration kOperatorTimeout = 2s;
// Maximum age of the clock reading that a client publishes: three of the client's ticks.
constexpr Duration kPublishedWithin = 30ms;

std::optional<Duration> AskForSkew(const Service& service, const NodeAddress& server) {
  std::optional<Duration> ahead;
  const auto question = service.AskTime([&ahead](Duration since_epoch) {
    ahead = since_epoch - ReadMachineClocks().wall.time_since_epoch();
  });
  if (question) AskNow(server, *question, kTimeQueryTimeout);
  return ahead;
}

}  // namespace

void RealCluster::AddClient(int client, int clock_page, bool own_clock) {
  Process& added = processes_[{ProcessRef::Kind::kClient, client}];
  added.clock = std::make_unique<ClockPage>(shared_.ClockPage(clock_page));
  added.own_clock = own_clock;
}

void RealCluster::AddNode(int node, int clock_page, Revival::Place place) {
  Process& added = processes_[{ProcessRef::Kind::kNode, node}];
  added.clock = std::make_unique<ClockPage>(shared_.ClockPage(clock_page));
  added.address = place.address;
  revival_.Add(node, std::move(place));
}

void RealCluster::SetPid(ProcessRef process, pid_t pid) {
  Process& started = Find(process);
  started.pid = pid;
  started.killed = false;
  started.stopped = false;
}

// Commits all pending cuts before the time is taken.
MonoTime RealCluster::Now() {
  if (packets_ != nullptr) packets_->Commit();
  return RealMono();
}

void RealCluster::WatchLeader() {
  if (leader_watch_ != nullptr || !locks_->AskWhetherLeader()) return;
  leader_watch_ =
      std::make_unique<LeaderWatch>(io_, [this] { return *locks_->AskWhetherLeader(); });
  for (const auto& [ref, process] : processes_) {
    if (ref.kind == ProcessRef::Kind::kNode && ref.number != kStoreNode)
      leader_watch_->Watch(ref.number, process.address);
  }
  leader_watch_->Begin();
}

std::optional<int> RealCluster::FindLeader() {
  if (leader_watch_ != nullptr) return leader_watch_->leader();
  for (const auto& [ref, process] : processes_) {
    if (ref.kind != ProcessRef::Kind::kNode || ref.number == kStoreNode) continue;
    if (locks_->IsLeader(ref.number)) return ref.number;
  }
  return std::nullopt;
}

RuleId RealCluster::SetLink(LinkId link, LinkRule rule) {
  if (packets_ == nullptr || !PacketCuts::IsCut(rule)) {
    return proxy_.SetLink(link, std::move(rule));
  }
  CommitSoon();
  return packets_->Cut(link, rule.direction);
}

RuleReport RealCluster::ClearLink(RuleId rule) {
  if (packets_ == nullptr || !packets_->Has(rule)) return proxy_.ClearLink(rule);
  CommitSoon();
  return packets_->Mend(rule);
}

// Commits all cuts of one turn of the event loop, such as the cuts of one fault, at once.
void RealCluster::CommitSoon() {
  boost::asio::post(io_, [this] { packets_->Commit(); });
}

void RealCluster::DropStragglers() {
  if (packets_ == nullptr) return;
  for (const auto& [link, port] : packets_->links()) {
    if (link.client != 0) proxy_.ResetConnections(link);
  }
}

void RealCluster::OnStopped(pid_t pid) {
  for (auto& [ref, process] : processes_) {
    if (process.pid != pid || process.pauses == 0) continue;
    process.stopped = true;
    if (ref.kind == ProcessRef::Kind::kClient) changed_(ref.number);
  }
}

bool RealCluster::MayAnswer(int client) const {
  const Process& process = processes_.at({ProcessRef::Kind::kClient, client});
  return !process.killed && process.detained == 0 && (process.pauses == 0 || process.stopped);
}

Containers* RealCluster::ContainersOf(ProcessRef process) {
  return process.kind == ProcessRef::Kind::kNode ? ServiceOf(process.number).InContainers()
                                                 : nullptr;
}

void RealCluster::Pause(ProcessRef process) {
  Process& victim = Find(process);
  ++victim.pauses;
  // Sends SIGSTOP at each Pause, even if the process was stopped before: it may have been restarted
  // since.
  if (!IsAlive(process)) return;
  if (Containers* containers = ContainersOf(process)) return containers->Pause(process.number);
  SignalTree(victim.pid, SIGSTOP);
}

void RealCluster::Resume(ProcessRef process) {
  Process& victim = Find(process);
  CHECK(victim.pauses > 0);
  if (--victim.pauses > 0) return;
  victim.stopped = false;
  if (!IsAlive(process)) return;
  if (Containers* containers = ContainersOf(process)) return containers->Resume(process.number);
  SignalTree(victim.pid, SIGCONT);
  if (process.kind == ProcessRef::Kind::kClient) changed_(process.number);
}

// Asks the kernel, since the supervisor may not have reaped an ended child yet. After the child was
// reaped, its pid may belong to another process.
bool RealCluster::IsAlive(ProcessRef process) {
  const Process& asked = Find(process);
  if (ContainersOf(process) != nullptr) return !asked.killed;
  siginfo_t ended{};
  const auto pid = static_cast<id_t>(asked.pid);
  return !asked.killed && waitid(P_PID, pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

void RealCluster::Kill(ProcessRef process) {
  Process& victim = Find(process);
  if (Containers* containers = ContainersOf(process)) {
    containers->Kill(process.number);
  } else if (IsAlive(process)) {
    SignalTree(victim.pid, SIGKILL);
  }
  victim.killed = true;
  if (process.kind == ProcessRef::Kind::kNode) revival_.Died(process.number, RealMono());
}

void RealCluster::Restart(int node, NodeRestart how) {
  const ProcessRef ref{ProcessRef::Kind::kNode, node};
  if (!Find(ref).killed) Kill(ref);
  revival_.Revive(node, std::move(how));
}

void RealCluster::Operate(int node, std::vector<std::string> command,
                          std::function<void(CallResult)> answer) {
  ++unanswered_;
  ServiceOf(node).Operate(node, command, kOperatorTimeout,
                          [this, answer = std::move(answer)](CallResult result) {
                            --unanswered_;
                            answer(std::move(result));
                          });
}

SkewId RealCluster::Skew(ProcessRef process, const ClockSkew& skew) {
  Process& moved = Find(process);
  const SkewId id = ++last_skew_;
  skewed_.emplace(id, process);
  moved.skews.Add(id, skew, RealMono());
  SetClock(moved);
  if (process.kind == ProcessRef::Kind::kClient) {
    if (!std::exchange(looking_, true)) ObserveClientClocks();
    return id;
  }
  if (moved.node_clock == nullptr) {
    const auto seen = [&moved](MonoTime at, Duration ahead) { moved.skews.Saw(at, ahead); };
    const auto ask = [&service = ServiceOf(process.number)](Service::TellTime tell) {
      std::optional<Question> question = service.AskTime(std::move(tell));
      CHECK(question.has_value());  // the plan moves no clock that nobody can see
      return std::move(*question);
    };
    moved.node_clock = std::make_unique<NodeClock>(io_, moved.address, ask, seen);
  }
  moved.node_clock->Start();
  return id;
}

void RealCluster::SetClock(Process& process) {
  const ClockSkew sum = process.skews.At(RealMono());
  process.clock->Set(sum.offset, sum.rate, {.swing = sum.swing, .period = sum.period});
}

std::optional<Duration> RealCluster::ObservedSkew(SkewId skew) {
  const ProcessRef ref = skewed_.at(skew);
  Process& process = Find(ref);
  const MonoTime now = RealMono();
  const bool runs = process.pauses == 0 && IsAlive(ref);
  if (ref.kind == ProcessRef::Kind::kClient) {
    // If the skew is young, the last published reading may be older than the skew. Such a reading
    // does not prove that the clock was not moved.
    const bool young = now - process.skews.SinceOf(skew) < kPublishedWithin;
    if (runs) process.skews.Saw(now, AheadOfClient(ref.number));
    if (runs && young) return process.skews.SeenOf(skew, now);
  } else if (runs && !process.skews.SeenOf(skew, now)) {
    if (const std::optional<Duration> ahead = AskForSkew(ServiceOf(ref.number), process.address)) {
      process.skews.Saw(now, *ahead);
    }
  }
  if (process.skews.WasNotMoved(skew)) return std::nullopt;
  return process.skews.SeenOf(skew, now);
}

void RealCluster::Unskew(SkewId skew) {
  Process& process = Find(skewed_.at(skew));
  skewed_.erase(skew);
  process.skews.Remove(skew);
  SetClock(process);
  if (process.node_clock != nullptr && process.skews.empty()) process.node_clock->Stop();
}

// Reads the clocks that the clients publish every few milliseconds. Skips stopped clients, whose
// reading is old.
void RealCluster::ObserveClientClocks() {
  bool any = false;
  const MonoTime now = RealMono();
  for (auto& [ref, process] : processes_) {
    if (ref.kind != ProcessRef::Kind::kClient || process.skews.empty()) continue;
    any = true;
    // The reading is at most kPublishedWithin old, so it counts only for skews that are older. The
    // last reading of an ended client does not count.
    if (process.pauses == 0 && IsAlive(ref))
      process.skews.Saw(now - kPublishedWithin, AheadOfClient(ref.number));
  }
  looking_ = any;
  if (!any) return;
  client_tick_.expires_after(kPublishedWithin);
  client_tick_.async_wait([this](const boost::system::error_code& error) {
    if (!error) ObserveClientClocks();
  });
}

Duration RealCluster::AheadOfClient(int client) const {
  if (processes_.at({ProcessRef::Kind::kClient, client}).own_clock) return {};
  const Duration ahead_of_mono(
      shared_.Control(client).wall_ahead_ns.load(std::memory_order_relaxed));
  const ClockReading machine = ReadMachineClocks();
  return ahead_of_mono - (machine.wall.time_since_epoch() - machine.mono.time_since_epoch());
}

void RealCluster::CutReplication(int node) {
  std::vector<RuleId> rules;
  const std::string command(locks_->PeerFrames());
  for (const LinkId& link : locks_->PeerLinks()) {
    if (link.node != node && link.peer != node) continue;
    for (const Direction direction : {Direction::kRequest, Direction::kReply}) {
      rules.push_back(SetLink(
          link, {.direction = direction, .action = LinkRule::Action::kDrop, .command = command}));
    }
  }
  cuts_.emplace(node, std::move(rules));
}

int64_t RealCluster::MendReplication(int node) {
  const auto cut = cuts_.find(node);
  CHECK(cut != cuts_.end());
  int64_t lost = 0;
  for (const RuleId rule : cut->second) lost += ClearLink(rule).frames;
  cuts_.erase(cut);
  if (lost == 0) return 0;
  // The replication stream has a gap, so the replica must reconnect.
  for (const LinkId& link : locks_->PeerLinks()) {
    if (link.node == node || link.peer == node) proxy_.ResetConnections(link);
  }
  return lost;
}

void RealCluster::Promote(int node, Promotion how, std::function<void(bool)> done) {
  if (locks_->IsLeader(node)) {
    // The promotion has no effect. Posted, so that `done` is not called from inside this call.
    return boost::asio::post(io_, [on_done = std::move(done)] { on_done(false); });
  }
  locks_->Promote(node, how, std::move(done));
}

void RealCluster::Detain(int client) { ++Find({ProcessRef::Kind::kClient, client}).detained; }

void RealCluster::LetGo(int client) {
  Process& process = Find({ProcessRef::Kind::kClient, client});
  CHECK(process.detained > 0);
  if (--process.detained == 0) changed_(client);
}

}  // namespace doublehold
