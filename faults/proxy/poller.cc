#include "faults/proxy/poller.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "lib/base/check.h"

namespace doublehold {
namespace {

using boost::asio::posix::descriptor_base;

constexpr Duration kLongestTurn = 300us;  // the io_context has other handlers to run
constexpr Duration kCounted = 1ms;
constexpr int64_t kBusyPerMs = 24;
constexpr Duration kNap = 200us;

int OrThrow(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return fd;
}

timespec SinceBoot(MonoTime time) {
  const Duration since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  return {.tv_sec = seconds.count(), .tv_nsec = (since - seconds).count()};
}

}  // namespace

MonoTime ProxyNow() { return MonoTime(std::chrono::steady_clock::now().time_since_epoch()); }

std::shared_ptr<Poller> Poller::Create(boost::asio::io_context& io) {
  std::shared_ptr<Poller> poller(new Poller(io));
  poller->Wait();
  return poller;
}

Poller::Poller(boost::asio::io_context& io)
    : epoll_(OrThrow(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      timer_(-1),
      ready_(io, epoll_) {
  timer_ = OrThrow(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
  // Edge-triggered: each expiry is reported once, so the timer need not be read.
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  OrThrow(epoll_ctl(epoll_, EPOLL_CTL_ADD, timer_, &event), "epoll_ctl");
}

void Poller::Close() {
  if (!ready_.is_open()) return;
  boost::system::error_code ignored;
  ready_.close(ignored);
  close(timer_);
  batch_ = {};
}

void Poller::Wait() {
  ready_.async_wait(descriptor_base::wait_read,
                    [weak = weak_from_this()](const boost::system::error_code& error) {
                      const std::shared_ptr<Poller> self = weak.lock();
                      if (self && self->ready_.is_open() && !error) self->Turn();
                    });
}

void Poller::Turn() {
  in_turn_ = true;
  const MonoTime begun = ProxyNow();
  int count = 0;
  MonoTime now;
  do {
    count = Serve();
    now = ProxyNow();
    RunAlarms(now);
    Count(count, now);
    // If there was a single event, polling again would usually find nothing.
  } while (now - begun < kLongestTurn && (count > 1 || Nap(now)));
  in_turn_ = false;
  if (!ready_.is_open()) return;
  SetTimer(now);
  Wait();
}

// Handles all ready events. Returns their number.
int Poller::Serve() {
  const int count = epoll_wait(epoll_, events_.data(), kMostAtOnce, 0);
  batch_ = std::span(events_).first(static_cast<size_t>(std::max(count, 0)));
  while (!batch_.empty()) {
    const epoll_event event = batch_.front();
    batch_ = batch_.subspan(1);
    auto* socket = static_cast<Socket*>(event.data.ptr);
    if (socket != nullptr) socket->user_.OnReady(*socket, event.events);
  }
  return count;
}

void Poller::Count(int events, MonoTime now) {
  counted_ += events;
  const Duration since = now - counting_since_;
  if (since < kCounted) return;
  busy_ = counted_ >= kBusyPerMs * (since / kCounted);
  counted_ = 0;
  counting_since_ = now;
}

// If the proxy is busy and an alarm is set, sleeps briefly, so that the next events are handled
// together. Sleeping and waking up for each event costs more than handling the event.
bool Poller::Nap(MonoTime now) {
  if (!busy_ || alarms_.empty()) return false;
  const timespec until = SinceBoot(now + kNap);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  return true;
}

void Poller::RunAlarms(MonoTime now) {
  while (!alarms_.empty() && alarms_.begin()->first <= now) {
    Alarm& alarm = *alarms_.begin()->second;
    alarms_.erase(alarms_.begin());
    alarm.at_.reset();
    alarm.user_.OnTime(alarm);
  }
}

// Does not move a timer that fires before the first alarm: moving it costs as much as the needless
// wake-up.
void Poller::SetTimer(MonoTime now) {
  if (in_turn_ || alarms_.empty()) return;
  const MonoTime first = alarms_.begin()->first;
  if (set_to_ > now && set_to_ <= first) return;
  set_to_ = first;
  const itimerspec when{.it_interval = {}, .it_value = SinceBoot(first)};
  CHECK(timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr) == 0);
}

void Poller::Forget(const Socket& socket) {
  for (epoll_event& event : batch_) {
    if (event.data.ptr == &socket) event.data.ptr = nullptr;
  }
}

bool Poller::Socket::Watch(bool readable, bool writable) {
  const uint32_t wanted = (readable ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U);
  if (wanted == watched_) return true;
  const int change = watched_ == 0 ? EPOLL_CTL_ADD : wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  epoll_event event{.events = wanted, .data = {.ptr = this}};
  if (epoll_ctl(poller_.epoll_, change, fd_, &event) != 0) return false;
  watched_ = wanted;
  return true;
}

void Poller::Socket::Close() {
  if (!is_open()) return;
  // A process that was just forked has the socket until its exec. Until then, closing the socket
  // would not remove it from the epoll.
  if (watched_ != 0) epoll_ctl(poller_.epoll_, EPOLL_CTL_DEL, fd_, nullptr);
  close(std::exchange(fd_, -1));
  watched_ = 0;
  poller_.Forget(*this);
}

void Poller::Alarm::Set(MonoTime at) {
  if (at_ == at) return;
  Stop();
  at_ = at;
  poller_.alarms_.emplace(at, this);
  poller_.SetTimer(ProxyNow());
}

void Poller::Alarm::Stop() {
  if (at_) poller_.alarms_.erase({*at_, this});
  at_.reset();
}

}  // namespace doublehold
