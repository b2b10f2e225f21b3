#include "compose/run/supervisor.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "compose/client/client_main.h"
#include "compose/cluster/launcher.h"
#include "compose/cluster/real_cluster.h"
#include "compose/cluster/stall_meter.h"
#include "compose/driver/driver.h"
#include "compose/os/child_processes.h"
#include "compose/os/run_folder.h"
#include "compose/os/shutdown_request.h"
#include "compose/plan/plan_builder.h"
#include "compose/run/merge_segments.h"
#include "compose/run/sent_traffic.h"
#include "compose/run/takeovers.h"
#include "compose/run/timeline.h"
#include "lib/base/check.h"
#include "lib/base/wait_status.h"
#include "lib/clock/time_speed.h"
#include "lib/history/recorder.h"
#include "lib/os/spawn.h"
#include "lib/plan/topology.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

namespace asio = boost::asio;
constexpr ProcessRef::Kind kClientKind = ProcessRef::Kind::kClient;

constexpr Duration kStartTimeout = 15s;  // even a busy machine starts seven servers in less
constexpr Duration kPingInterval = 2ms;
constexpr Duration kProgressInterval = 200ms;
constexpr int kStallsPerLease = 10;  // stalls shorter than lease / kStallsPerLease are not recorded
constexpr Duration kEndGrace = 2s;   // time for a client to end after its last call timed out

class Supervisor {
 public:
  Supervisor(const RunRequest& request, SharedRun& shared, const std::filesystem::path& sockets,
             std::unique_ptr<Namespaces> network)
      : request_(request),
        plan_(request.plan),
        facts_(FactsOf(request.plan)),
        network_(std::move(network)),
        cuts_(network_ ? std::make_unique<PacketCuts>(*network_, Failed()) : nullptr),
        shared_(shared),
        proxy_(io_, Prng(plan_.seed, "proxy"), ProxyHost(network_.get())),
        links_(proxy_, network_.get(), cuts_.get()),
        cluster_(io_, shared_, proxy_, [this](int client) { AnswerIfFree(client); }),
        timeline_(io_, cluster_, plan_,
                  {.record = [this](Event event) { Record(event); },
                   .arm =
                       [this](int client, uint32_t steps) {
                         shared_.Control(client).armed.store(steps, std::memory_order_release);
                       }}),
        launcher_({.plan = plan_,
                   .folder = request.folder,
                   .sockets = sockets,
                   .store = request.programs.store,
                   .locks = request.programs.locks},
                  io_, shared_, cluster_, links_, children_),
        child_signals_(io_, SIGCHLD),
        end_signals_(io_, SIGINT, SIGTERM, SIGHUP),
        stall_meter_(io_, plan_.lease / kStallsPerLease,
                     [this](const Event& stall) { Record(stall); }),
        use_meter_(io_, plan_.duration),
        progress_timer_(io_) {
    cluster_.CutWith(cuts_.get());
    links_.OnTakeover([this](int node) {
      if (!running_) return;
      for (const Event& event : takeovers_.Note(node, facts_)) Record(event);
    });
    cluster_.ReviveBy(launcher_.RevivalHooks(Failed()));
  }
  ~Supervisor() { StopAll(); }

  Result<Supervised> Run() {
    WatchChildren();
    WatchInterrupts();
    for (const char* logs : {"nodes", "clients"}) TRY(MakeFolder(request_.folder / logs));
    TRY(launcher_.StartServers());
    TRY(StartClients());
    TRY(Await([this] { return launcher_.FindUnready(); }));
    TRY(FormTopology());
    TRY(StartClient(0));  // the referee writes the stock
    TRY(AwaitReady(1));
    if (plan_.driver) {  // clients warm their drivers up
      for (int client = 0; client <= plan_.clients; ++client) Answer(client);
      TRY(AwaitReady(2));
    }
    Begin();
    WaitFor([this] { return ClientsHaveEnded(); }, start_ + plan_.duration);
    const Duration worked = std::min(RealMono() - start_, plan_.duration);
    // A run that completed all its sections was not cut short. Its duration is the time it took.
    if (plan_.sections > 0 && !end_request_.once()) worked_ = worked;
    End();
    if (failure_) return tl::unexpected(*failure_);
    if (request_.frames != nullptr) *request_.frames = frame_log_.TakeSince(start_);
    Supervised supervised{Collect(), use_meter_.End(), launcher_.ServiceOf(1).Version(),
                          std::make_shared<EndSignalsBlocked>()};
    if (end_request_.once()) supervised.interrupted = supervised.history.facts.interrupted = worked;
    return supervised;
  }

 private:
  struct Client {
    explicit Client(asio::io_context& io) : channel(io) {}
    asio::posix::stream_descriptor channel;  // the supervisor's end of the step channel
    int ready = 0;                           // how often it reported that it is ready
    bool owed = false;                       // whether the client waits for an answer
  };

  std::function<void(const Error&)> Failed() {
    return [this](const Error& why) { failure_ = failure_.value_or(why); };
  }

  // Polls every kPingInterval until `find_missing` returns an empty text.
  Result<void> Await(const std::function<std::string()>& find_missing) {
    const MonoTime give_up =
        RealMono() + OfRealTime(kStartTimeout + (plan_.driver ? kDriverStart : 0s));
    for (std::string missing = find_missing(); !missing.empty(); missing = find_missing()) {
      if (failure_) return tl::unexpected(*failure_);
      if (end_request_.once())
        return tl::unexpected(Error{ExitCode::kUnknown, "interrupted before the run began", {}});
      if (RealMono() >= give_up) return EnvironmentFailed(missing);
      WaitFor([] { return false; }, RealMono() + kPingInterval);
    }
    return {};
  }

  // Waits until masters and replicas have found each other.
  Result<void> FormTopology() {
    Service& locks = launcher_.ServiceOf(1);
    TRY(locks.Begin());
    return Await([&locks] {
      const std::string missing = locks.FindMissing();
      return missing.empty() ? "" : "the topology is not complete in time: " + missing;
    });
  }

  Result<void> StartClients() {
    while (std::ssize(clients_) <= plan_.clients) clients_.push_back(std::make_unique<Client>(io_));
    for (int client = 1; client <= plan_.clients; ++client) TRY(StartClient(client));
    return {};  // the referee is started later
  }

  Result<void> StartClient(int number) {
    const int channel = TRY(launcher_.StartClient(number));
    clients_[static_cast<size_t>(number)]->channel.assign(channel);
    ListenTo(number);
    return {};
  }

  Result<void> AwaitReady(int times) {
    return Await([this, times]() -> std::string {
      const bool ready =
          std::ranges::all_of(clients_, [&](const auto& one) { return one->ready >= times; });
      return ready ? "" : "the clients did not get ready in time";
    });
  }

  void Begin() {
    if (request_.frames != nullptr) frame_log_.Watch(plan_);
    sent_traffic_.Watch(plan_);
    start_ = RealMono();
    shared_.OwnControl().start_ns.store(ToNs(start_), std::memory_order_release);
    for (int client = 0; client <= plan_.clients; ++client)
      shared_.Control(client).start_ns.store(ToNs(start_), std::memory_order_release);
    running_ = true;
    timeline_.Begin();
    for (int client = 1; client <= plan_.clients; ++client) Answer(client);
    for (int node = 0; node <= ServersOf(plan_); ++node) {
      Service& service = launcher_.ServiceOf(node);
      stall_meter_.Watch(node, service.AddressOf(node), [&service] { return service.Ping(); });
    }
    stall_meter_.Begin();
    use_meter_.Begin();
    if (request_.progress) ShowProgress();
  }

  void End() {
    // The first interrupt lets pending calls end. The second interrupt kills the clients.
    interruptible_ = false;
    timeline_.End();
    const Duration longest = Duration(plan_.call_timeout * 3 + plan_.lease * 6);
    if (!failure_)
      WaitFor([this] { return ClientsHaveEnded(); }, RealMono() + longest + OfRealTime(kEndGrace));
    if (failure_) return StopAll();
    // Records the death of each client that still runs: its last operation and hold have no end.
    for (const Child& child : children_.all()) {
      if (child.ref.kind != kClientKind || child.ref.number == 0 || child.ended) continue;
      RecordDeath(child.ref.number, SIGKILL);
      kill(-child.pid, SIGKILL);
    }
    running_ = !end_request_.twice();
    if (end_request_.twice()) return StopAll();
    killing_ = true;
    WaitFor([this] { return ClientsHaveEnded(); }, RealMono() + OfRealTime(kEndGrace));
    cluster_.DropStragglers();
    // All clients have ended. Nodes that a fault keeps down are restarted before the final probes.
    cluster_.HurryNodes();
    WaitFor([this] { return cluster_.IsSettled(); }, RealMono() + OfRealTime(kStartTimeout));
    if (failure_) return StopAll();
    Answer(0);
    WaitFor([this] { return children_.HaveEnded(kClientKind, 0); },
            RealMono() + plan_.lease * 4 + plan_.grace * 2 + longest + OfRealTime(kEndGrace));
    running_ = false;
    StopAll();
    frame_log_.Stop();
    sent_traffic_.Stop();
    use_meter_.NoteRulesLeft(proxy_.rules());
    proxy_.Close();
  }

  void StopAll() {
    if (const Result<void> stopped = launcher_.StopAll(); !stopped) Failed()(stopped.error());
  }

  void ListenTo(int number) {
    clients_[static_cast<size_t>(number)]->channel.async_wait(
        asio::posix::stream_descriptor::wait_read,
        [this, number](const boost::system::error_code& error) {
          if (!error) OnMessage(number);
        });
  }

  void OnMessage(int number) {
    Client& client = *clients_[static_cast<size_t>(number)];
    uint8_t message = 0;
    if (recv(client.channel.native_handle(), &message, 1, MSG_DONTWAIT) != 1) return;  // ended
    if (message == kReadyByte) {
      ++client.ready;
    } else {
      CHECK(message < kStepNames.size());
      client.owed = true;
      timeline_.OnStep(number, static_cast<Step>(message));
      AnswerIfFree(number);
    }
    ListenTo(number);
  }

  void AnswerIfFree(int number) {
    if (clients_[static_cast<size_t>(number)]->owed && cluster_.MayAnswer(number)) Answer(number);
  }

  void Answer(int number) {
    Client& client = *clients_[static_cast<size_t>(number)];
    client.owed = false;
    (void)send(client.channel.native_handle(), "\1", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  // Runs the event loop until `met`, a failure, an interrupt, or the deadline.
  template <typename Condition>
  void WaitFor(const Condition& met, MonoTime deadline) {
    const std::chrono::steady_clock::time_point until(deadline.time_since_epoch());
    while (!met() && !failure_ && !end_request_.twice() &&
           !(end_request_.once() && interruptible_) && RealMono() < deadline) {
      shared_.OwnControl().alive_ns.store(ToNs(RealMono()), std::memory_order_release);
      if (io_.stopped()) io_.restart();
      io_.run_one_until(until);
    }
  }

  void WatchChildren() {
    child_signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      children_.Poll([this](const Child& child) { cluster_.OnStopped(child.pid); },
                     [this](const Child& child) { OnEnded(child); });
      WatchChildren();
    });
  }

  void OnEnded(const Child& child) {
    const bool is_client = child.ref.kind == kClientKind;
    // The log says why the driver failed. The referee's driver may fail after the clients ended.
    if (is_client && plan_.driver && EndedWith(*child.ended, ExitCode::kEnvironment))
      return Failed()({ExitCode::kEnvironment, child.name + ": " + LogTail(child.log)});
    if (is_client && running_) {
      if (child.ended != 0 && !killing_) RecordDeath(child.ref.number, *child.ended);
      return;
    }
    if (cluster_.WasKilled(child.ref)) return;
    Failed()({ExitCode::kEnvironment, fmt::format("{} {} by itself; its log ends: {}", child.name,
                                                  DescribeEnd(*child.ended), LogTail(child.log))});
  }

  void WatchInterrupts() {
    end_signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      end_request_.Signalled(signal, RealMono());
      for (int client = 0; client <= plan_.clients; ++client)
        shared_.Control(client).stop.store(1, std::memory_order_relaxed);
      WatchInterrupts();
    });
  }

  [[nodiscard]] bool ClientsHaveEnded() const { return children_.HaveEnded(kClientKind, 1); }
  void ShowProgress() {
    Progress progress{.elapsed = RealMono() - start_, .active_faults = active_faults_};
    for (int client = 1; client <= plan_.clients; ++client) {
      progress.grants += shared_.Control(client).grants.load(std::memory_order_relaxed);
      progress.orders += shared_.Control(client).orders.load(std::memory_order_relaxed);
    }
    request_.progress(progress, [this] { return Collect(); });
    progress_timer_.expires_after(kProgressInterval);
    progress_timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error && running_) ShowProgress();
    });
  }

  void RecordDeath(int client, int status) {
    Record({.client = client, .op = Op::kDied, .type = EventType::kInfo, .value = {status}});
  }

  void Record(Event event) {
    if (!running_) return;
    if (event.op == Op::kFault) active_faults_ += event.type == EventType::kInvoke ? 1 : -1;
    event.at_ns = (RealMono() - start_).count();
    recorder_.Append(event);
  }

  History Collect() {
    History history{.facts = facts_, .events = {}};
    if (worked_) history.facts.duration = *worked_;
    AppendSegments(shared_, plan_, (RealMono() - start_).count(), history);
    std::ranges::copy(sent_traffic_.Among(history.events, start_),
                      std::back_inserter(history.events));
    SortByTime(history.events);
    return history;
  }

  const RunRequest& request_;
  const Plan& plan_;
  RunFacts facts_;
  std::unique_ptr<Namespaces> network_;  // null: all processes are in the machine's own namespace
  std::unique_ptr<PacketCuts> cuts_;     // null without namespaces
  asio::io_context io_{1};
  SharedRun& shared_;
  Recorder recorder_{shared_.OwnSegment()};  // of the supervisor's own events
  Proxy proxy_;
  Links links_;
  FrameLog frame_log_{proxy_};
  SentTraffic sent_traffic_{proxy_};
  RealCluster cluster_;
  Timeline timeline_;
  Children children_;
  Launcher launcher_;
  asio::signal_set child_signals_;
  asio::signal_set end_signals_;
  Takeovers takeovers_;
  StallMeter stall_meter_;
  UseMeter use_meter_;
  asio::steady_timer progress_timer_;
  std::vector<std::unique_ptr<Client>> clients_;  // indexed by client number; [0] is the referee
  MonoTime start_{};
  std::optional<Duration> worked_{};  // set if all sections ended before the plan's duration
  bool running_ = false;
  EndRequest end_request_;
  bool interruptible_ = true;
  bool killing_ = false;  // whether clients that did not end by themselves are being killed
  int active_faults_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<Supervised> Supervise(const RunRequest& request, SharedRun& shared,
                             const std::filesystem::path& sockets) {
  auto network = TRY(Namespaces::CreateFor(request.plan));
  return Supervisor(request, shared, sockets, std::move(network)).Run();
}

}  // namespace doublehold
