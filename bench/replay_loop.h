// A bare hiredis loop that sends the commands of a lock variant. The loop has no deadlines and no
// recording. Its only decision is whether the lock was granted.
#ifndef DOUBLEHOLD_BENCH_REPLAY_LOOP_H_
#define DOUBLEHOLD_BENCH_REPLAY_LOOP_H_

#include <string>
#include <vector>

#include "lib/base/env.h"
#include "lib/clients/redis.h"
#include "lib/locks/registry.h"

namespace doublehold {

struct SentCommand {
  std::vector<std::string> words;
  Reply reply;
};

// The commands that one client sends for a key: a granted attempt, a refused attempt, and the
// release.
struct SentCycle {
  std::vector<SentCommand> granted;
  std::vector<SentCommand> refused;
  std::vector<SentCommand> release;
  std::string channel;  // channel on which releases are published; empty if there is none
};

// Makes a lock of this variant with default options.
std::unique_ptr<Lock> MakeWithDefaults(Env& env, const LockEntry& entry, int client, int nodes,
                                       Lease lease);

// Runs a granted attempt, a refused attempt and a release of the variant over `env`. Returns the
// commands that the variant sent to node 1. The owner text depends on `client`.
SentCycle WatchOneCycle(Env& env, const LockEntry& entry, int client, const LockKey& key,
                        Lease lease);

// A loop over one connection to a unix socket, for one thread. Ends the program when the server
// fails.
class ReplayLoop {
 public:
  ReplayLoop(std::string unix_path, SentCycle cycle);
  ~ReplayLoop();
  ReplayLoop(const ReplayLoop&) = delete;
  ReplayLoop& operator=(const ReplayLoop&) = delete;

  // Acquires and releases. Until the lock is granted, tries again after each `interval`, or after a
  // message on the channel.
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
