// One accepted connection and the one to the node that belongs to it.
#ifndef DOUBLEHOLD_FAULTS_PROXY_SESSION_H_
#define DOUBLEHOLD_FAULTS_PROXY_SESSION_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "faults/proxy/frame_queue.h"
#include "faults/proxy/reply_names.h"
#include "faults/proxy/rules.h"
#include "lib/base/time.h"

namespace doublehold {

[[nodiscard]] MonoTime ProxyNow();

// A timer fires some 30 to 130 us late. Armed early and spun, it is exact, but the thread has other
// links to serve: so it spins for a fiftieth of its time at most, and is late by so much beyond.
class SpinBudget {
 public:
  // The longest time to be spun at once.
  static constexpr Duration kLongest = std::chrono::microseconds(60);

  [[nodiscard]] bool Has(MonoTime now);
  void Spent(Duration spun) { left_ -= spun; }

 private:
  MonoTime filled_{};
  Duration left_{};
};

// What all sessions of a proxy share; outlives them.
struct SessionEnv {
  boost::asio::io_context& io;
  SpinBudget& spin;
  std::span<char> scratch;  // what is received and sent within one call
};

// Moves bytes both ways until both sides have ended and all frames are delivered. Handlers keep it
// alive; after Abort they do nothing. Thread rule: the thread of the io_context.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `client` is an accepted descriptor, non-blocking; it is owned from here on. `rules` outlive the
  // session. `on_closed` is called once, when it is over by itself.
  Session(const SessionEnv& env, const LinkRules& rules, std::string upstream_path, int client,
          std::function<void()> on_closed);

  // Connects to the node and begins.
  void Start();

  // A rule of the link was removed: sends what it kept.
  void Release(const ActiveRule& rule);

  // Resets both sides now; pending frames are lost.
  void Reset();

  // Closes both sides now; pending frames are lost.
  void Abort();

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;

  // One direction.
  struct Lane {
    Lane(const SessionEnv& env, const LinkRules& rules, ReplyNames& names, Direction direction,
         Descriptor& source, Descriptor& sink)
        : source(source), sink(sink), queue(direction, rules, names), timer(env.io) {}
    Descriptor& source;
    Descriptor& sink;
    FrameQueue queue;
    boost::asio::steady_timer timer;
    std::optional<MonoTime> armed;  // when the timer is to fire
    bool reading = false;           // waits for the source to be readable
    bool writing = false;           // waits for the sink to be writable
    bool ended = false;             // the source has no more
    bool broken = false;            // the sink takes no more; frames vanish when they are due
    bool finished = false;
  };

  void Connect();
  void Read(Lane& lane);
  void OnReadable(Lane& lane);
  void Received(Lane& lane, std::string_view bytes);
  [[nodiscard]] size_t Send(Lane& lane, std::string_view bytes);
  void Flush(Lane& lane);
  void FlushDue(Lane& lane);
  void WaitWritable(Lane& lane);
  void Arm(Lane& lane, MonoTime due);
  void Finish(Lane& lane);
  void Close();

  SessionEnv env_;
  std::string upstream_path_;
  std::function<void()> on_closed_;
  bool closed_ = false;
  Descriptor client_;
  Descriptor upstream_;
  ReplyNames names_;
  Lane requests_;
  Lane replies_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_SESSION_H_
