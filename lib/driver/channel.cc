#include "lib/driver/channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/base/words.h"
#include "lib/os/cpu_wait.h"
#include "lib/os/spawn.h"

namespace doublehold {
namespace {

constexpr size_t kReadBytes = 16 * 1024;
constexpr Duration kReapPatience = 5s;  // for a driver that has closed its output to exit
constexpr Duration kReapInterval = 2ms;
constexpr rlim_t kMostFileBytes = rlim_t{256} << 20U;

MonoTime Now() { return MonoTime(std::chrono::steady_clock::now().time_since_epoch()); }

// Both ends of a pipe, or an eventfd. The destructor closes the ends that were not handed over by
// Give.
struct Ends {
  std::array<int, 2> fds{-1, -1};
  ~Ends() {
    for (const int fd : fds) {
      if (fd >= 0) close(fd);
    }
  }
  int Give(size_t which) { return std::exchange(fds[which], -1); }
};

// Puts `exec` before a simple command, because dash stays in memory while its command runs. Any
// other command line is left unchanged: the driver's process is then the shell, and the command is
// its child.
std::string ShellLine(const std::string& command) {
  constexpr std::array<std::string_view, 6> kShellsOwn{"exec", "command", "eval", ".", "!", "exit"};
  const size_t begin = std::min(command.find_first_not_of(" \t"), command.size());
  const size_t end = command.find_first_of(" \t", begin);
  const std::string_view word = std::string_view(command).substr(begin, end - begin);
  const bool is_simple = command.find_first_of(";&|()<>{}`$\n") == std::string::npos;
  const bool is_shells = word.empty() || word.find('=') != std::string_view::npos ||
                         std::ranges::find(kShellsOwn, word) != kShellsOwn.end();
  return is_simple && !is_shells ? "exec " + command : command;
}

// Limits file sizes, so that a driver's log cannot fill the disk.
void LimitFiles() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, kMostFileBytes);
  setrlimit(RLIMIT_FSIZE, &limit);
}

void Wake(int eventfd) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(eventfd, &one, sizeof one);
}

}  // namespace

Result<std::unique_ptr<DriverChannel>> DriverChannel::Start(const DriverProgram& program,
                                                            DriverHooks hooks) {
  const auto failed = [](const std::string& what) {
    return EnvironmentFailed(fmt::format("{}: {}", what, std::strerror(errno)));
  };
  Ends in, out, wake;
  if (pipe2(in.fds.data(), O_CLOEXEC) != 0 || pipe2(out.fds.data(), O_CLOEXEC) != 0)
    return failed("pipe");
  wake.fds[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake.fds[0] < 0) return failed("eventfd");
  SpawnRequest request{.argv = {"sh", "-c", ShellLine(program.command)},
                       .log = program.log,
                       .input = in.fds[0],
                       .output = out.fds[1],
                       .own_group = program.own_group,
                       .prepare = LimitFiles};
  if (program.descriptor >= 0) request.descriptors = {program.descriptor};
  const Result<pid_t> child = Spawn(request);
  if (!child) return tl::unexpected(child.error());
  fcntl(in.fds[1], F_SETFL, O_NONBLOCK);
  fcntl(out.fds[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<DriverChannel>(
      new DriverChannel(*child, program, in.Give(1), out.Give(0), wake.Give(0), std::move(hooks)));
}

DriverChannel::DriverChannel(pid_t pid, const DriverProgram& program, int in, int out, int wake,
                             DriverHooks hooks)
    : pid_(pid),
      own_group_(program.own_group),
      speed_(program.speed),
      in_(in),
      out_(out),
      wake_(wake),
      hooks_(std::move(hooks)) {
  thread_ = std::thread([this] { Run(); });
}

DriverChannel::~DriverChannel() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = quit_ = true;
  }
  Wake(wake_);
  thread_.join();
  // Kills the driver's whole process group if it has one. The pid cannot be reused before waitpid.
  if (!status_) kill(own_group_ ? -pid_ : pid_, SIGKILL);
  if (!status_) AwaitEnd(pid_);
  for (const int fd : {in_, out_, wake_}) close(fd);
}

uint64_t DriverChannel::Send(DriverOp op, const nlohmann::json& members) {
  uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = answers_.Ask(op, Now(), members.value("grant", ""));
    if (!end_) outgoing_ += RequestLine(id, op, members);
  }
  Wake(wake_);
  return id;
}

Duration DriverChannel::WaitedForCpu(Duration max_age) {
  const MonoTime now = Now();
  {
    const std::lock_guard lock(mutex_);
    if (waited_at_ != MonoTime{} && now - waited_at_ <= max_age) return waited_;
  }
  // Measured without the lock, which the thread needs to take answers.
  const Duration waited = doublehold::WaitedForCpu(pid_) * speed_;
  const std::lock_guard lock(mutex_);
  waited_ = waited;
  waited_at_ = now;
  return waited;
}

std::optional<DriverAnswer> DriverChannel::Await(uint64_t id, MonoTime deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, std::chrono::steady_clock::time_point(deadline.time_since_epoch()),
                      [&] { return end_ || finished_ || answered_.contains(id); });
  auto answer = answered_.extract(id);
  if (answer.empty()) return std::nullopt;
  return std::move(answer.mapped());
}

std::optional<MonoTime> DriverChannel::LostAt(const std::string& grant) const {
  const std::lock_guard lock(mutex_);
  return answers_.LostAt(grant);
}

std::optional<DriverAnswer> DriverChannel::Ask(DriverOp op, const nlohmann::json& members,
                                               MonoTime deadline) {
  return Await(Send(op, members), deadline);
}

std::optional<DriverEnd> DriverChannel::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

bool DriverChannel::Close(Duration patience) {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  Send(DriverOp::kBye, nlohmann::json::object());
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return end_ || finished_; });
  return finished_ && !end_;
}

// ---- the channel's thread ----------------------------------------------------------------------

void DriverChannel::Run() {
  // Blocks all signals on this thread. A write to a dead driver then fails with EPIPE, and the
  // program's other threads handle signals.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (true) {
    std::array<pollfd, 3> polled{pollfd{wake_, POLLIN, 0}, pollfd{out_, POLLIN, 0},
                                 pollfd{in_, POLLOUT, 0}};
    {
      const std::lock_guard lock(mutex_);
      if (quit_) return;
      if (outgoing_.empty()) polled[2].fd = -1;
    }
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    uint64_t count = 0;
    if (polled[0].revents != 0 && read(wake_, &count, sizeof count) < 0) continue;
    if (polled[1].revents != 0 && !Read()) return;
    if (polled[2].revents != 0) Write();
  }
}

// Reads output once. Returns false when the thread must stop reading: the output has ended, or the
// driver broke the protocol.
bool DriverChannel::Read() {
  std::array<char, kReadBytes> bytes{};
  const ssize_t count = read(out_, bytes.data(), bytes.size());
  if (count < 0) return true;  // no output is available now
  if (count == 0) {
    EndOfOutput();
    return false;
  }
  const auto take = [this](std::string_view line) { return Take(line); };
  if (lines_.Feed({bytes.data(), static_cast<size_t>(count)}, take)) return true;
  if (!end()) {
    Over({.why = fmt::format("wrote a line of more than {} bytes: {}", kLongestDriverLine,
                             Shortened(lines_.rest())),
          .status = {}});
  }
  return false;
}

void DriverChannel::Write() {
  const std::lock_guard lock(mutex_);
  const ssize_t count = write(in_, outgoing_.data(), outgoing_.size());
  if (count > 0) outgoing_.erase(0, static_cast<size_t>(count));
  // Drops the requests. Read reports the end of this driver when its output ends.
  if (count < 0 && errno == EPIPE) outgoing_.clear();
}

bool DriverChannel::Take(std::string_view line) {
  std::string why;
  std::optional<std::string> lost, error;
  {
    const std::lock_guard lock(mutex_);
    auto taken = answers_.Take(line, Now());
    if (auto* reply = std::get_if<DriverReply>(&taken)) {
      if (reply->answer.kind == DriverAnswer::Kind::kError) error = reply->answer.text;
      answered_.emplace(reply->id, std::move(reply->answer));
    } else if (auto* notice = std::get_if<LostNotification>(&taken)) {
      if (notice->is_news) lost = std::move(notice->grant);
    } else {
      why = std::get<BrokenLine>(taken).why;
    }
  }
  if (error && hooks_.error) hooks_.error(*error);
  changed_.notify_all();
  if (lost && hooks_.lost) hooks_.lost(*lost);
  if (why.empty()) return true;
  Over({.why = fmt::format("broke the protocol: {}: {}", why, Shortened(line)), .status = {}});
  return false;
}

void DriverChannel::Over(DriverEnd end) {
  {
    const std::lock_guard lock(mutex_);
    end_ = end;
    outgoing_.clear();
  }
  changed_.notify_all();
  if (hooks_.over) hooks_.over(end);
}

bool DriverChannel::Quits() const {
  const std::lock_guard lock(mutex_);
  return quit_;
}

void DriverChannel::EndOfOutput() {
  status_ = Reap(kReapPatience);
  bool wanted = false;  // `bye` was sent, so the end is expected, however late
  {
    const std::lock_guard lock(mutex_);
    wanted = closing_;
    finished_ = closing_ && status_;
  }
  changed_.notify_all();
  if (wanted) return;
  std::string why = status_ ? "ended by itself" : "closed its standard output";
  if (!lines_.rest().empty())
    why += fmt::format(" in the middle of a line: {}", Shortened(lines_.rest()));
  Over({.why = std::move(why), .status = status_});
}

// Waits for the driver's end and returns its wait status. Returns nothing after `patience`, or when
// the channel is being destroyed. Kills the rest of the process group while the pid is still valid.
std::optional<int> DriverChannel::Reap(Duration patience) {
  const MonoTime give_up = Now() + patience;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0) {
    if (Now() >= give_up || Quits()) return std::nullopt;
    std::this_thread::sleep_for(kReapInterval);
  }
  if (own_group_) kill(-pid_, SIGKILL);
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return std::nullopt;
  return status;
}

}  // namespace doublehold
