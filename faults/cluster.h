// The verbs with which faults act on a run. The real cluster does them to processes, sockets and
// clocks; the simulated one does them to its model: each fault is written once.
//
// Thread rule: one thread (the supervisor's). No verb waits.
#ifndef DOUBLEHOLD_FAULTS_CLUSTER_H_
#define DOUBLEHOLD_FAULTS_CLUSTER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "lib/base/time.h"

namespace doublehold {

// The connections of one client to one node; node 0 is the store. Both count from 1 otherwise.
struct LinkId {
  int client = 0;
  int node = 0;
  auto operator<=>(const LinkId&) const = default;  // NOLINT(modernize-use-nullptr): no null here
};

enum class Direction : uint8_t { kRequest, kReply };  // client to node, node to client

// What becomes of the frames that match. A frame is one RESP command or one reply to it; frames of
// a connection never overtake each other, so what follows a delayed frame waits behind it.
struct LinkRule {
  enum class Action : uint8_t {
    kDelay,  // passes `delay` (+ or - `jitter`, uniform) after it arrived
    kHold,   // waits until the rule is removed
    kDrop,   // vanishes; a dropped reply is of a command that ran
    kReset,  // both sides of the connection are reset in its place
  };
  Direction direction = Direction::kRequest;
  Action action = Action::kDelay;
  std::string command{};  // upper case; a reply belongs to its command; empty: every frame
  Duration delay{};
  Duration jitter{};
  int64_t limit = 0;  // acts on so many frames, then `on_spent`; 0: no limit
  // Called once, after the last of `limit` frames went on its way (or was dropped, or reset).
  std::function<void()> on_spent{};
};

using RuleId = uint64_t;

struct RuleReport {
  int64_t frames = 0;        // it acted on
  Duration longest_delay{};  // as measured, arrival to forwarding
};

// A process under the clock shim, or that can be stopped: a client, or a node (node 0: the store).
struct ProcessRef {
  enum class Kind : uint8_t { kClient, kNode };
  Kind kind = Kind::kClient;
  int number = 0;
  auto operator<=>(const ProcessRef&) const =
      default;  // NOLINT(modernize-use-nullptr): no null here
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  [[nodiscard]] virtual MonoTime Now() = 0;

  // Rules of a link are asked in the order they were set; the first that matches a frame decides,
  // when it arrives. Removing a rule lets go at once, in order, what it still keeps; its on_spent is
  // not called any more.
  virtual RuleId SetLink(LinkId link, LinkRule rule) = 0;
  virtual RuleReport ClearLink(RuleId rule) = 0;

  // Stops a whole process (SIGSTOP): threads, watchdogs, drivers. Calls nest: as many Resume as
  // Pause.
  virtual void Pause(ProcessRef process) = 0;
  virtual void Resume(ProcessRef process) = 0;

  // SIGKILL. The process does not come back; later verbs on it do nothing.
  virtual void Kill(ProcessRef process) = 0;

  // From now on the process's wall clock is `offset` ahead of the machine's and runs `rate` times
  // as fast; (0, 1.0) restores it. One clock fault a process at a time: a later Skew replaces an
  // earlier one.
  virtual void Skew(ProcessRef process, Duration offset, double rate) = 0;
  // By how much the process's wall clock is ahead of the machine's now, as observed, not as asked.
  [[nodiscard]] virtual Duration ObservedSkew(ProcessRef process) = 0;

  // Keeps a client's session at the step it is announcing, with the rest of its process (a
  // watchdog) running.
  virtual void Detain(int client) = 0;
  virtual void LetGo(int client) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_CLUSTER_H_
