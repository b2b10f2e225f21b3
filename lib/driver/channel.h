// A driver's process. Requests go to its standard input, replies come from its standard output, and
// its standard error goes to a log.
//
// Thread rule: any thread may call Send and Await. The hooks are called on the channel's own
// thread.
//
// Failure: a driver that breaks the protocol or exits ends the channel. The channel reports this
// end once, and no further reply arrives. A driver that does not read or reply delays callers at
// most until their deadline. The driver never outlives the channel or the thread that started it.
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
  std::string command;        // run by /bin/sh -c
  std::filesystem::path log;  // appended to
  int descriptor = -1;        // a descriptor that the driver inherits, or -1
  bool own_group = false;     // gives the driver its own process group, which is killed as a whole
  int speed = 1;              // how many times as fast as real time the clocks run
};

// Why a driver has ended unexpectedly.
struct DriverEnd {
  std::string why;            // includes the offending line
  std::optional<int> status;  // wait status, if it exited by itself
};

struct DriverHooks {
  std::function<void(const DriverEnd&)> over;  // called once; may be empty
  // Called once for each held grant that is lost; may be empty.
  std::function<void(const std::string&)> lost;
  // Called with the text of each answer that is an error; may be empty.
  std::function<void(const std::string&)> error{};
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
  [[nodiscard]] Duration WaitedForCpu(Duration max_age) override;
  // Send and Await in one call.
  std::optional<DriverAnswer> Ask(DriverOp op, const nlohmann::json& members, MonoTime deadline);
  [[nodiscard]] std::optional<DriverEnd> end() const;
  [[nodiscard]] pid_t pid() const { return pid_; }

  // Sends `bye`. Returns true when the driver exited in time. Otherwise the destructor kills the
  // driver.
  bool Close(Duration patience);

 private:
  DriverChannel(pid_t pid, const DriverProgram& program, int in, int out, int wake,
                DriverHooks hooks);
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
  const int speed_;
  const int in_, out_, wake_;  // this side of the driver's standard input and output; an eventfd
  const DriverHooks hooks_;
  DriverLines lines_;          // belongs to the thread
  std::optional<int> status_;  // belongs to the thread until it is joined
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  DriverAnswers answers_;
  std::string outgoing_;
  std::map<uint64_t, DriverAnswer> answered_;
  std::optional<DriverEnd> end_;
  Duration waited_{};  // for a processor, at waited_at_
  MonoTime waited_at_{};
  bool closing_ = false;   // `bye` was sent, so the end is expected
  bool quit_ = false;      // the thread must end
  bool finished_ = false;  // no more output will come
  std::thread thread_;     // declared last, because it uses the other members
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_CHANNEL_H_
