// A driver's process: requests go to its standard input, answers come from its standard output,
// what it writes to standard error goes to a log.
//
// Thread rule: Send and Await from any thread. The hooks are called on a thread of the channel's
// own.
// Failure: a driver that breaks the protocol, or ends by itself, is over: it is told once, and no
// further answer comes. One that does not read, or does not answer, holds up nobody longer than the
// deadline. It never outlives the channel, nor the thread that started it.
#ifndef DOUBLEHOLD_LIB_DRIVER_CHANNEL_H_
#define DOUBLEHOLD_LIB_DRIVER_CHANNEL_H_

#include <sys/types.h>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "lib/base/result.h"
#include "lib/driver/answers.h"

namespace doublehold {

struct DriverProgram {
  std::string command;        // for /bin/sh -c
  std::filesystem::path log;  // appended
  int descriptor = -1;        // that it inherits; -1: none
  bool own_group = false;     // of processes, ended as a whole; else in the caller's
};

// Why a driver is over that should not be.
struct DriverEnd {
  std::string why;            // with the offending line
  std::optional<int> status;  // as wait() gives it, if it ended by itself
};

struct DriverHooks {
  std::function<void(const DriverEnd&)> over;    // once; may be empty
  std::function<void(const std::string&)> lost;  // a grant that is held; once each; may be empty
};

class DriverChannel final : public DriverRequests {
 public:
  static Result<std::unique_ptr<DriverChannel>> Start(const DriverProgram& program,
                                                      DriverHooks hooks = {});
  ~DriverChannel() override;
  DriverChannel(const DriverChannel&) = delete;
  DriverChannel& operator=(const DriverChannel&) = delete;

  uint64_t Send(DriverOp op, const nlohmann::json& members) override;
  std::optional<DriverAnswer> Await(uint64_t id, MonoTime deadline) override;
  [[nodiscard]] std::optional<MonoTime> LostAt(const std::string& grant) const override;
  // Both.
  std::optional<DriverAnswer> Ask(DriverOp op, const nlohmann::json& members, MonoTime deadline);
  [[nodiscard]] std::optional<DriverEnd> end() const;

  // Says bye. True when the driver ended in time; if not, its end is forced when the channel goes.
  bool Close(Duration patience);

 private:
  DriverChannel(pid_t pid, bool own_group, int in, int out, int wake, DriverHooks hooks);
  void Run();
  bool Read();
  void Write();
  bool Take(std::string_view line);
  void Over(DriverEnd end);
  void EndOfOutput();
  bool Quits() const;
  std::optional<int> Reap(Duration patience);

  const pid_t pid_;
  const bool own_group_;
  const int in_, out_, wake_;  // its standard input and output, our ends; an eventfd
  const DriverHooks hooks_;
  DriverLines lines_;          // the thread's
  std::optional<int> status_;  // likewise, until it is joined
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  DriverAnswers answers_;
  std::string outgoing_;
  std::map<uint64_t, DriverAnswer> answered_;
  std::optional<DriverEnd> end_;
  bool closing_ = false;   // its end is wanted
  bool quit_ = false;      // the thread is to end
  bool finished_ = false;  // no more output will come
  std::thread thread_;     // last: it uses the rest
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_CHANNEL_H_
