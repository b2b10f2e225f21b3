// An accepted connection, together with its connection to the node.
#ifndef DOUBLEHOLD_FAULTS_PROXY_SESSION_H_
#define DOUBLEHOLD_FAULTS_PROXY_SESSION_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "faults/proxy/frame_queue.h"
#include "faults/proxy/greeting.h"
#include "faults/proxy/poller.h"
#include "faults/proxy/rules.h"
#include "faults/proxy/wire/wire.h"
#include "lib/base/address.h"
#include "lib/base/time.h"

namespace doublehold {

// Limits spinning. A timer fires 30 to 130 us late. A timer that is armed early, followed by
// spinning, is exact, but the thread has other links to serve. Spinning is limited to a fiftieth of
// the time; beyond that, frames are late.
class SpinBudget {
 public:
  // The longest single spin.
  static constexpr Duration kLongest = std::chrono::microseconds(60);

  [[nodiscard]] bool Has(MonoTime now);
  void Spent(Duration spun) { left_ -= spun; }

 private:
  MonoTime filled_{};
  Duration left_{};
};

// Shared by all sessions of a proxy; must outlive them.
struct SessionEnv {
  Poller& poller;
  SpinBudget& spin;
  std::span<char> scratch;  // buffer for one receive and send
};

// Forwards bytes both ways until both sides have ended and all frames are delivered. Thread rule:
// the poller's thread.
class ProxySession final : public std::enable_shared_from_this<ProxySession>, private Poller::User {
 public:
  // Takes ownership of `client`, a non-blocking accepted descriptor. Adds received commands and
  // bytes to `traffic`. `rules`, `traffic` and `greeting` must outlive the session. `on_closed` is
  // called once, when the session ends by itself.
  ProxySession(const SessionEnv& env, const LinkRules& rules, LinkTraffic& traffic,
               std::unique_ptr<Wire> wire, NodeAddress node, const Greeting& greeting, int client,
               std::function<void()> on_closed);

  // Connects to the node, greets it, and starts forwarding.
  void Start();

  // Call when a rule of the link was removed: sends the frames that the rule held.
  void Release(const ActiveRule& rule);

  // Resets both sides now; pending frames are lost.
  void Reset();

  // Closes both sides now; pending frames are lost.
  void Abort();

 private:
  using Socket = Poller::Socket;

  // One direction of the connection.
  struct Lane {
    Lane(Poller& poller, User& user, const LinkRules& rules, Wire& wire, Direction direction,
         Socket& source, Socket& sink)
        : source(source), sink(sink), queue(direction, rules, wire), alarm(poller, user) {}
    Socket& source;
    Socket& sink;
    FrameQueue queue;
    Poller::Alarm alarm;
    std::optional<MonoTime> armed;  // the time that the alarm is set for
    bool writing = false;           // waiting until the sink is writable
    bool ended = false;             // the source sends no more bytes
    // Whether sending to the sink has failed. Each frame is then dropped at its send time.
    bool broken = false;
    bool finished = false;
  };

  void OnReady(const Socket& socket, uint32_t events) override;
  void OnTime(const Poller::Alarm& alarm) override;
  void Connect();
  void Greet();
  void HearGreeting();
  void Watch();
  void Receive(Lane& lane);
  void Received(Lane& lane, std::string_view bytes);
  [[nodiscard]] size_t Send(Lane& lane, std::string_view bytes);
  void Flush(Lane& lane);
  void FlushDue(Lane& lane);
  void Arm(Lane& lane, MonoTime due, MonoTime now);
  void Finish(Lane& lane);
  void Close();

  SessionEnv env_;
  LinkTraffic& traffic_;
  NodeAddress node_;
  std::function<void()> on_closed_;
  const Greeting& greeting_;  // the link's
  int unheard_ = 0;           // commands of the greeting that the node has not answered
  std::string heard_;         // a part of its next answer
  bool connected_ = false;
  bool closed_ = false;
  Socket client_;
  Socket upstream_;
  std::unique_ptr<Wire> wire_;
  Lane requests_;
  Lane replies_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_SESSION_H_
