// A bare hiredis loop that sends what a lock variant was seen to send: no deadline, no record, no
// decisions but the one whether it was granted.
#ifndef DOUBLEHOLD_BENCH_REPLAY_LOOP_H_
#define DOUBLEHOLD_BENCH_REPLAY_LOOP_H_

#include <string>
#include <vector>

#include "lib/base/connection.h"
#include "lib/base/env.h"
#include "lib/locks/registry.h"

namespace doublehold {

struct SentCommand {
  std::vector<std::string> words;
  Reply reply;
};

// What one client sends for a key: for a try that is granted, for one that is refused, for the
// release.
struct SentCycle {
  std::vector<SentCommand> granted;
  std::vector<SentCommand> refused;
  std::vector<SentCommand> release;
  std::string channel;  // on which a waiter is told of releases; empty: it is not
};

// A lock of that variant with its defaults.
std::unique_ptr<Lock> MakeWithDefaults(Env& env, const LockEntry& entry, int client, int nodes,
                                       Lease lease);

// Lets the variant do each of these once over `env` and writes down what it sent to node 1.
// `client` is what owners are made from.
SentCycle WatchOneCycle(Env& env, const LockEntry& entry, int client, const LockKey& key,
                        Lease lease);

// One connection to a unix socket, of one thread. Ends the program when the server fails it.
class ReplayLoop {
 public:
  ReplayLoop(std::string unix_path, SentCycle cycle);
  ~ReplayLoop();
  ReplayLoop(const ReplayLoop&) = delete;
  ReplayLoop& operator=(const ReplayLoop&) = delete;

  // Acquires, again after each `interval`, or when the channel tells of a release, until it is
  // granted, and releases.
  void Cycle(Duration interval);

 private:
  struct State;
  bool Send(const SentCommand& command);
  void Subscribe();
  void AwaitMessage();

  std::string unix_path_;
  State* state_;
  SentCycle cycle_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_REPLAY_LOOP_H_
