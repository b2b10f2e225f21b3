// Test fixtures for workloads: a store in memory, and a client's session with a scripted lock.
#ifndef DOUBLEHOLD_WORKLOADS_TESTING_H_
#define DOUBLEHOLD_WORKLOADS_TESTING_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/testing/scripted_lock.h"
#include "workloads/workload.h"

namespace doublehold::testing {

using Lines = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

// Supports the commands that workloads send. The test supplies the replies to scripts.
class FakeStore {
 public:
  explicit FakeStore(World& world) {
    world.answer = [this](NodeId node, const Lines& words) { return Answer(node, words); };
  }

  std::map<std::string, int64_t> numbers;
  std::map<std::string, Lines> lists;
  Lines commands;                               // for example "GET dh:stock:0"
  std::map<std::string, CallFailure> failures;  // by command that is not executed
  // By command: how many of these commands are executed without a reply.
  std::map<std::string, int> lost_replies;
  std::function<CallResult(const Lines& keys, const Lines& args)> script;

 private:
  CallResult Answer(NodeId node, const Lines& words);
  CallResult Perform(const Lines& words);
  CallResult PerformList(const Lines& words);
  CallResult Exec();

  std::map<std::string, int64_t> watched_;
  std::vector<Lines> queued_;
  bool queueing_ = false;
};

Reply IntegerReply(int64_t value);
Reply TextReply(std::string text);

struct WorkloadScene {
  explicit WorkloadScene(const std::string& name, const Values& given,
                         Attempt::Outcome outcome = Attempt::Outcome::kGranted);

  // Runs one step of the workload. Returns the recorded events, except the wait for the lock.
  Lines Step();
  // Returns the types of an operation's events, in order: "invoke ok".
  [[nodiscard]] std::string TypesOf(Op op) const;
  // Returns the first event of this operation and type, or null.
  [[nodiscard]] const Event* Find(Op op, EventType type) const;

  World world;
  FakeEnv env{world};
  FakeStore store{world};
  ScriptedLock lock;
  Values options;
  std::unique_ptr<Workload> workload;
  Session session;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_WORKLOADS_TESTING_H_
