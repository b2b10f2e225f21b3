#include "compose/cluster/node_restarter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "lib/base/check.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

// Interval of the polls, first for the end of the old process and then for the server's first
// answer.
constexpr Duration kRevivalPollInterval = 1ms;
constexpr Duration kRejoinInterval = 10ms;  // interval of the questions after the first answer
constexpr Duration kAnswerTimeout = 1s;     // timeout of one question
constexpr Duration kRevivalTimeout = 15s;   // timeout of the first answer, as at the start of a run
constexpr Duration kRevivalLookInterval =
    5ms;  // between two readings of a log's size; a cut can be longer than requested by this time

std::chrono::steady_clock::time_point TimerTime(MonoTime time) {
  return std::chrono::steady_clock::time_point(time.time_since_epoch());
}

}  // namespace

struct Revival::Node {
  enum class State : uint8_t { kUp, kDead, kDown, kStarting };

  Node(boost::asio::io_context& io, int number_, Place place_)
      : number(number_),
        place(std::move(place_)),
        growth(place.data.longest_cut),
        timer(io),
        look_timer(io) {}

  [[nodiscard]] bool Returns() const { return state == State::kDown || state == State::kStarting; }

  int number;
  Place place;
  State state = State::kUp;
  MonoTime died{};
  MonoTime due{};      // earliest time of the start
  MonoTime give_up{};  // the node must answer before this time
  Rejoining rejoining;
  std::optional<MonoTime> answered{};  // first answer since the restart
  size_t agreed = 0;  // number of servers that met the condition: the node, then the witnesses
  NodeRestart how;
  std::vector<std::function<void()>> on_back;
  uint64_t life = 0;  // counts the node's deaths; a late answer from before a death is ignored
  LogGrowth growth;
  std::filesystem::path log;
  boost::asio::steady_timer timer;
  boost::asio::steady_timer look_timer;
};

Revival::Revival(boost::asio::io_context& io) : io_(io) {}
Revival::~Revival() = default;

void Revival::Add(int node, Place place) {
  const auto [added, is_new] =
      nodes_.emplace(node, std::make_unique<Node>(io_, node, std::move(place)));
  CHECK(is_new);
  if (added->second->place.data.longest_cut > Duration::zero()) Look(*added->second);
}

void Revival::Died(int node, MonoTime at) {
  Node& dead = *nodes_.at(node);
  if (dead.state == Node::State::kUp || dead.state == Node::State::kStarting) dead.died = at;
  dead.state = Node::State::kDead;
  dead.timer.cancel();
  ++dead.life;
}

void Revival::Revive(int node, NodeRestart how) {
  Node& dead = *nodes_.at(node);
  CHECK(dead.state == Node::State::kDead || dead.state == Node::State::kDown);
  const MonoTime due = RealMono() + how.down;
  dead.due = dead.state == Node::State::kDown ? std::max(dead.due, due) : due;
  dead.state = Node::State::kDown;
  dead.on_back.push_back(std::exchange(how.on_back, nullptr));
  dead.how = std::move(how);
  Advance(dead);
}

void Revival::Hurry() {
  for (const auto& [number, node] : nodes_) {
    if (node->state != Node::State::kDown) continue;
    node->due = RealMono();
    Advance(*node);
  }
}

bool Revival::IsDone() const {
  return std::ranges::none_of(nodes_, [](const auto& entry) { return entry.second->Returns(); });
}

// Records the size of the node's log at intervals.
void Revival::Look(Node& node) {
  if (node.state == Node::State::kUp) {
    std::error_code code;
    if (node.log.empty()) node.log = hooks_.log_of(node.number);
    const uintmax_t bytes = node.log.empty() ? 0 : std::filesystem::file_size(node.log, code);
    if (!code) node.growth.Add(RealMono(), bytes);
  }
  node.look_timer.expires_after(kRevivalLookInterval);
  node.look_timer.async_wait([this, &node](const boost::system::error_code& error) {
    if (!error) Look(node);
  });
}

// Performs the next step of the node's restart if it is possible now. Sets a timer for another
// step.
void Revival::Advance(Node& node) {
  const MonoTime now = RealMono();
  const bool ready = now >= node.due;
  if (node.state == Node::State::kDown && ready && hooks_.has_ended(node.number)) {
    Start(node);
    return;
  }
  const Duration interval = node.answered ? kRejoinInterval : kRevivalPollInterval;
  node.timer.expires_at(TimerTime(ready ? now + interval : node.due));
  node.timer.async_wait([this, &node, life = node.life](const boost::system::error_code& error) {
    if (error || life != node.life || !node.Returns()) return;
    if (node.state == Node::State::kStarting) return Ask(node);
    Advance(node);
  });
}

void Revival::Start(Node& node) {
  LeaveData(node);
  if (const Result<void> started = hooks_.start(node.number); !started) {
    return hooks_.failed(started.error());
  }
  node.state = Node::State::kStarting;
  node.give_up = RealMono() + kRevivalTimeout;
  node.rejoining = hooks_.rejoining(node.number);
  node.answered.reset();
  node.agreed = 0;
  Ask(node);
}

// Asks the node until it is ready, then the node and each witness until they meet the condition.
void Revival::Ask(Node& node) {
  const bool itself = node.agreed == 0;
  AskOnce(io_, itself ? node.place.address : node.rejoining.witnesses.at(node.agreed - 1),
          node.answered ? node.rejoining.question() : hooks_.ping(node.number), kAnswerTimeout,
          [this, &node, life = node.life](Answered how, const std::string& /*why*/) {
            if (life != node.life || node.state != Node::State::kStarting) return;
            node.answered ? OnWitness(node, how) : OnPinged(node, how);
          });
}

void Revival::OnPinged(Node& node, Answered how) {
  // Without a yes, the node is still loading its data.
  if (how != Answered::kYes) return RealMono() < node.give_up ? Advance(node) : GiveUp(node);
  node.answered = RealMono();
  node.rejoining.question ? Ask(node) : Back(node);
}

void Revival::OnWitness(Node& node, Answered how) {
  const bool answered = how == Answered::kYes || how == Answered::kNo;
  const bool skipped = node.agreed > 0 && !answered;
  if (how != Answered::kYes && !skipped && RealMono() < *node.answered + node.rejoining.patience) {
    return Advance(node);
  }
  if (++node.agreed <= node.rejoining.witnesses.size()) return Ask(node);
  Back(node);
}

void Revival::Back(Node& node) {
  node.state = Node::State::kUp;
  for (const auto& on_back : std::exchange(node.on_back, {})) {
    if (on_back) on_back();
  }
}

void Revival::GiveUp(const Node& node) {
  hooks_.failed(
      {ExitCode::kEnvironment, fmt::format("node {} did not answer within {} after its restart",
                                           node.number, FormatDuration(kRevivalTimeout))});
}

// Removes the data that the node loses by the fault.
void Revival::LeaveData(Node& node) {
  if (node.how.remains == Remains::kNothing) {
    hooks_.forget_data(node.number);
    node.growth.Clear();
    node.log.clear();
  }
  if (node.how.remains != Remains::kCutLog || node.log.empty()) return;
  std::error_code code;
  const uintmax_t whole = std::filesystem::file_size(node.log, code);
  const uintmax_t kept = node.growth.BytesAt(node.died - node.how.cut);
  if (!code && kept < whole) std::filesystem::resize_file(node.log, kept, code);
  if (code) {
    hooks_.failed({ExitCode::kEnvironment, node.log.string() + ": " + code.message()});
  }
  // The remaining data is on disk, so a later cut cannot remove more of it.
  node.growth.Clear();
  node.growth.Add(MonoTime{}, std::min(kept, whole));
}

}  // namespace doublehold
