// Waits for the sockets of all connections at once, and for the times at which their frames are
// due.
//
// An epoll of its own, which the io_context sees as one descriptor: what is ready is served in one
// go, and neither waiting for a socket again nor a due time costs a system call each. With dozens
// of links this is a good part of the proxy's cost.
//
// Thread rule: the thread of the io_context, which outlives it unless Close was called.
#ifndef DOUBLEHOLD_FAULTS_PROXY_POLLER_H_
#define DOUBLEHOLD_FAULTS_PROXY_POLLER_H_

#include <sys/epoll.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "lib/base/time.h"

namespace doublehold {

[[nodiscard]] MonoTime ProxyNow();

class Poller : public std::enable_shared_from_this<Poller> {
 public:
  class Alarm;
  class Socket;

  // Called from the io_context. May close sockets and end alarms, its own too.
  class User {
   public:
    // `events` as epoll gives them; they come again until they are dealt with.
    virtual void OnReady(const Socket& socket, uint32_t events) = 0;
    virtual void OnTime(const Alarm& alarm) = 0;

   protected:
    ~User() = default;
  };

  // Throws as the io_context does when the system has no descriptor left.
  static std::shared_ptr<Poller> Create(boost::asio::io_context& io);
  ~Poller() { Close(); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Nobody is told of anything any more.
  void Close();

 private:
  static constexpr size_t kMostAtOnce = 64;

  explicit Poller(boost::asio::io_context& io);
  void Wait();
  void Turn();
  [[nodiscard]] int Serve();
  void Count(int events, MonoTime now);
  [[nodiscard]] bool Nap(MonoTime now);
  void RunAlarms(MonoTime now);
  void SetTimer(MonoTime now);
  void Forget(const Socket& socket);

  int epoll_;  // owned by ready_
  int timer_;
  boost::asio::posix::stream_descriptor ready_;
  std::set<std::pair<MonoTime, Alarm*>> alarms_;
  std::optional<MonoTime> set_to_;  // the timer
  bool in_turn_ = false;
  bool busy_ = false;
  int64_t counted_ = 0;  // events since counting_since_
  MonoTime counting_since_{};
  std::array<epoll_event, kMostAtOnce> events_{};
  std::span<epoll_event> batch_;  // of events_: those still to be told of
};

// Owns a non-blocking socket.
class Poller::Socket {
 public:
  Socket(Poller& poller, User& user) : poller_(poller), user_(user) {}
  ~Socket() { Close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void Own(int fd) { fd_ = fd; }
  void Close();
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }

  // What to be told of. Hang-ups and errors are told too, unless nothing is watched for. False: the
  // system has no room.
  [[nodiscard]] bool Watch(bool readable, bool writable);

 private:
  friend class Poller;
  Poller& poller_;
  User& user_;
  int fd_ = -1;
  uint32_t watched_ = 0;
};

// Wakes once.
class Poller::Alarm {
 public:
  Alarm(Poller& poller, User& user) : poller_(poller), user_(user) {}
  ~Alarm() { Stop(); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // In place of a time that was set before.
  void Set(MonoTime at);
  void Stop();

 private:
  friend class Poller;
  Poller& poller_;
  User& user_;
  std::optional<MonoTime> at_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_POLLER_H_
