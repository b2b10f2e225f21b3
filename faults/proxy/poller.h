// Waits for the sockets of all connections, and for the times at which their frames must be sent.
//
// Uses an epoll of its own, which the io_context sees as one descriptor. All ready events are
// handled in one go. Waiting again or setting a due time needs no system call of its own. With
// dozens of links, these system calls would be a large part of the proxy's cost.
//
// Thread rule: the thread of the io_context. The io_context must outlive the poller unless Close
// was called.
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

  // Callbacks from the io_context. They may close sockets and stop alarms, including their own.
  class User {
   public:
    // `events` is epoll's event mask. An event is reported repeatedly until the user has handled
    // it.
    virtual void OnReady(const Socket& socket, uint32_t events) = 0;
    virtual void OnTime(const Alarm& alarm) = 0;

   protected:
    ~User() = default;
  };

  // Throws std::system_error if no descriptor is left.
  static std::shared_ptr<Poller> Create(boost::asio::io_context& io);
  ~Poller() { Close(); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Stops all callbacks.
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
  std::optional<MonoTime> set_to_;  // when timer_ fires
  bool in_turn_ = false;
  bool busy_ = false;
  int64_t counted_ = 0;  // events since counting_since_
  MonoTime counting_since_{};
  std::array<epoll_event, kMostAtOnce> events_{};
  std::span<epoll_event> batch_;  // the events in events_ that are not yet handled
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

  // Sets the events to report. Hang-ups and errors are reported too, unless nothing is watched.
  // Returns false if the kernel refuses.
  [[nodiscard]] bool Watch(bool readable, bool writable);

 private:
  friend class Poller;
  Poller& poller_;
  User& user_;
  int fd_ = -1;
  uint32_t watched_ = 0;
};

// A timer that fires once.
class Poller::Alarm {
 public:
  Alarm(Poller& poller, User& user) : poller_(poller), user_(user) {}
  ~Alarm() { Stop(); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Replaces a time that was set before.
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
