#include "faults/proxy/session.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace doublehold {
namespace {

constexpr int kSpinShare = 50;  // spins at most 1/50 of the time
// Timers without spinning fire on this grid, so that timers that end close together need one
// wake-up.
constexpr Duration kTimerGrid = 200us;
constexpr Duration kMostUnspent = 1ms;  // maximum of unused spin time that is kept
constexpr Duration kLongSleep = 100ms;
constexpr Duration kAwakeBefore = 1ms;
// Interval between attempts to connect. A stopped node whose backlog is full accepts no connection.
constexpr Duration kConnectAgain = 1ms;

// Returns the next instant on the timer grid.
MonoTime OnGrid(MonoTime time) {
  const Duration since = time.time_since_epoch();
  return MonoTime((since + kTimerGrid - Duration(1)) / kTimerGrid * kTimerGrid);
}

// Returns 0 or the error. After EINPROGRESS and EALREADY, call it again later.
int ConnectTo(int fd, const NodeAddress& node) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, node.unix_path.data(), node.unix_path.size());
  sockaddr_in inet{};
  inet.sin_family = AF_INET;
  inet.sin_port = htons(node.port);
  inet_pton(AF_INET, node.host.c_str(), &inet.sin_addr);
  const bool is_local = !node.unix_path.empty();
  const auto* any = is_local ? reinterpret_cast<const sockaddr*>(&local)
                             : reinterpret_cast<const sockaddr*>(&inet);
  while (connect(fd, any, is_local ? sizeof(local) : sizeof(inet)) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

bool SpinBudget::Has(MonoTime now) {
  left_ = std::min(kMostUnspent, left_ + (now - filled_) / kSpinShare);
  filled_ = now;
  return left_ >= kLongest;
}

ProxySession::ProxySession(const SessionEnv& env, const LinkRules& rules, LinkTraffic& traffic,
                           std::unique_ptr<Wire> wire, NodeAddress node, const Greeting& greeting,
                           int client, std::function<void()> on_closed)
    : env_(env),
      traffic_(traffic),
      node_(std::move(node)),
      on_closed_(std::move(on_closed)),
      greeting_(greeting),
      client_(env.poller, *this),
      upstream_(env.poller, *this),
      wire_(std::move(wire)),
      requests_(env.poller, *this, rules, *wire_, Direction::kRequest, client_, upstream_),
      replies_(env.poller, *this, rules, *wire_, Direction::kReply, upstream_, client_) {
  client_.Own(client);
}

void ProxySession::Start() { Connect(); }

void ProxySession::Connect() {
  if (!upstream_.is_open()) {
    const int family = node_.unix_path.empty() ? AF_INET : AF_UNIX;
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return Reset();
    upstream_.Own(fd);
    const int on = 1;
    if (family == AF_INET) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  int why_not = ConnectTo(upstream_.fd(), node_);
  // On one machine the connection is usually established by the second call.
  if (why_not == EINPROGRESS) why_not = ConnectTo(upstream_.fd(), node_);
  if (why_not == 0) {
    connected_ = true;
    return Greet();
  }
  // After any other error no node listens there, so the client's connection is reset.
  if (why_not != EAGAIN && why_not != EINPROGRESS && why_not != EALREADY) return Reset();
  requests_.alarm.Set(ProxyNow() + kConnectAgain);
}

void ProxySession::Greet() {
  unheard_ = greeting_.commands;
  // A new connection has room for so few bytes.
  if (unheard_ > 0 && Send(requests_, greeting_.bytes) != greeting_.bytes.size()) return Reset();
  Watch();
}

// Takes the answers one byte at a time, because the node's next bytes are for the client.
void ProxySession::HearGreeting() {
  constexpr std::string_view kGood = "+OK\r\n";
  char byte = 0;
  while (unheard_ > 0) {
    const ssize_t received = recv(upstream_.fd(), &byte, 1, MSG_DONTWAIT);
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (received <= 0 || byte != kGood[heard_.size()]) return Reset();
    heard_.push_back(byte);
    if (heard_ != kGood) continue;
    heard_.clear();
    --unheard_;
  }
}

// Watches for input if the queues have room, and for output if bytes are pending.
void ProxySession::Watch() {
  if (closed_ || !connected_) return;
  const auto reads = [](const Lane& lane) { return !lane.ended && !lane.queue.full(); };
  const bool greets = unheard_ > 0;
  if (!client_.Watch(!greets && reads(requests_), replies_.writing) ||
      !upstream_.Watch(reads(replies_), requests_.writing)) {
    Reset();
  }
}

void ProxySession::OnReady(const Socket& socket, uint32_t events) {
  const std::shared_ptr<ProxySession> self = shared_from_this();
  if (unheard_ > 0 && &socket == &upstream_) {
    HearGreeting();
    return Watch();
  }
  Lane& from = &socket == &client_ ? requests_ : replies_;
  Lane& to = &socket == &client_ ? replies_ : requests_;
  constexpr uint32_t kOver = EPOLLHUP | EPOLLERR;
  if (to.writing && (events & (EPOLLOUT | kOver)) != 0) {
    to.writing = false;
    Flush(to);
  }
  if (!closed_ && !from.ended && !from.queue.full() && (events & (EPOLLIN | kOver)) != 0) {
    Receive(from);
  }
  Watch();
}

void ProxySession::OnTime(const Poller::Alarm& alarm) {
  const std::shared_ptr<ProxySession> self = shared_from_this();
  if (!connected_) return Connect();
  Lane& lane = &alarm == &requests_.alarm ? requests_ : replies_;
  lane.armed.reset();
  Flush(lane);
  Watch();
}

void ProxySession::Receive(Lane& lane) {
  const ssize_t received =
      recv(lane.source.fd(), env_.scratch.data(), env_.scratch.size(), MSG_DONTWAIT);
  if (received > 0) {
    Received(lane, {env_.scratch.data(), static_cast<size_t>(received)});
  } else if (received == 0 || (errno != EAGAIN && errno != EINTR)) {
    lane.ended = true;  // after a reset too, bytes received before it are still delivered
    lane.queue.EndOfStream(ProxyNow());
  }
  Flush(lane);
}

void ProxySession::Received(Lane& lane, std::string_view bytes) {
  const int64_t frames = lane.queue.frames();
  if (!lane.queue.idle()) {
    lane.queue.Add(bytes, ProxyNow());
  } else {
    lane.queue.Pass(bytes);
    const size_t sent = Send(lane, bytes);
    if (sent < bytes.size()) lane.queue.AddPassed(bytes.substr(sent), ProxyNow());
  }
  traffic_.bytes += static_cast<int64_t>(bytes.size());
  if (&lane == &requests_) traffic_.commands += lane.queue.frames() - frames;
}

// Returns the number of bytes that were sent. If sending fails, drops all bytes and returns their
// number.
size_t ProxySession::Send(Lane& lane, std::string_view bytes) {
  while (!lane.broken) {
    const ssize_t sent =
        send(lane.sink.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<size_t>(sent);
    if (errno == EAGAIN) {
      lane.writing = true;
      return 0;
    }
    if (errno != EINTR) lane.broken = true;
  }
  return bytes.size();
}

void ProxySession::Flush(Lane& lane) {
  FlushDue(lane);
  if (!closed_ && lane.ended && lane.queue.empty()) Finish(lane);
}

// Sends all bytes whose send time has passed, and sets the alarm for the next bytes.
void ProxySession::FlushDue(Lane& lane) {
  while (!closed_ && !lane.writing && !lane.queue.empty()) {
    const MonoTime now = ProxyNow();
    const std::string_view bytes = lane.queue.Due(now);
    if (!bytes.empty()) {
      if (const size_t sent = Send(lane, bytes); sent > 0) lane.queue.Sent(sent, now);
      continue;
    }
    if (lane.queue.ResetDue(now)) return Reset();
    const std::optional<MonoTime> due = lane.queue.NextDue();
    if (!due) return;
    if (*due - now > SpinBudget::kLongest || !env_.spin.Has(now)) return Arm(lane, *due, now);
    env_.spin.Spent(*due - now);
    while (ProxyNow() < *due) {
    }
  }
}

void ProxySession::Arm(Lane& lane, MonoTime due, MonoTime now) {
  if (lane.armed == due) return;
  lane.armed = due;
  const bool early = due - now > SpinBudget::kLongest && env_.spin.Has(now);
  // A core wakes slowly after a long sleep. So the alarm first fires early and is then set again.
  const MonoTime at = due - now > kLongSleep ? due - kAwakeBefore
                      : early                ? due - SpinBudget::kLongest
                                             : OnGrid(due);
  lane.alarm.Set(at);
}

void ProxySession::Finish(Lane& lane) {
  if (lane.finished) return;
  lane.finished = true;
  // The node closes its connection after the end of the requests. After the end of the replies,
  // neither side has anything left to do.
  if (&lane == &requests_) {
    shutdown(upstream_.fd(), SHUT_WR);
  } else {
    Close();
  }
}

void ProxySession::Release(const ActiveRule& rule) {
  if (closed_) return;
  const MonoTime now = ProxyNow();
  Lane& lane = rule.spec().direction == Direction::kRequest ? requests_ : replies_;
  lane.queue.Release(rule, now);
  if (!connected_) return;
  Flush(lane);
  Watch();
}

void ProxySession::Reset() {
  for (const Socket* side : {&client_, &upstream_}) {
    if (!side->is_open()) continue;
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(side->fd(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  }
  Close();
}

void ProxySession::Close() {
  const std::shared_ptr<ProxySession> self = shared_from_this();
  const auto on_closed = std::exchange(on_closed_, nullptr);
  Abort();
  if (on_closed) on_closed();
}

void ProxySession::Abort() {
  closed_ = true;
  on_closed_ = nullptr;
  for (Lane* lane : {&requests_, &replies_}) {
    lane->alarm.Stop();
    lane->queue.Discard();
  }
  client_.Close();
  upstream_.Close();
}

}  // namespace doublehold
