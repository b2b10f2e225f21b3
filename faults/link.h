// The connections that faults act on, and what is done to the messages on them.
#ifndef DOUBLEHOLD_FAULTS_LINK_H_
#define DOUBLEHOLD_FAULTS_LINK_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lib/base/time.h"

namespace doublehold {

// The connections of one client to one node; node 0 is the store. Both count from 1 otherwise.
// With a peer: those of another server to the node, and no client's.
constexpr int kAnyPeer = -1;  // whatever server or sentinel connects
struct LinkId {
  int client = 0;
  int node = 0;
  int peer = 0;                                     // a server, or kAnyPeer
  auto operator<=>(const LinkId&) const = default;  // NOLINT(modernize-use-nullptr): no null here
};

enum class Direction : uint8_t { kRequest, kReply };  // client to node, node to client

// What becomes of the frames that match. A frame is one RESP command or one reply to it; frames of
// a connection never overtake each other, so what follows a delayed frame waits behind it.
struct LinkRule {
  enum class Action : uint8_t {
    kDelay,      // passes `delay` after it arrived, give or take `jitter`
    kHold,       // waits until the rule is removed
    kDrop,       // vanishes; a dropped reply is of a command that ran
    kReset,      // both sides of the connection are reset in its place
    kDuplicate,  // the command is sent twice; its client is given the first reply. Requests only
    kPace,       // at most `bytes` every `gap`, on each connection: the next behind the one before
    kWatch,      // passes as if the rule were not there, and `seen` is told of it
  };
  // What a delay is, drawn for each frame from the run's seed.
  enum class Spread : uint8_t {
    kUniform,  // between delay - jitter and delay + jitter
    kNormal,   // around delay with the standard deviation jitter, at most 3 of them away
    kPareto,   // delay at least, and in the mean `jitter` more; seldom much more, 20 at most
  };
  Direction direction = Direction::kRequest;
  Action action = Action::kDelay;
  std::string command{};  // upper case; a reply belongs to its command; empty: every frame
  std::string key{};      // the command's first key; empty: whatever it is
  int64_t nth = 1;        // acts from the nth such frame on, counted since the rule was set
  double chance = 1;      // that it acts on such a frame, drawn from the run's seed
  Duration delay{};
  Duration jitter{};
  Spread spread = Spread::kUniform;
  int64_t bytes = 0;
  Duration gap{};
  int64_t limit = 0;  // acts on so many frames, then `on_spent`; 0: no limit
  // Called once, after the last of `limit` frames went on its way (or was dropped, or reset).
  std::function<void()> on_spent{};
  // kWatch: called with the name of each frame that matches, as soon as it is known; not to touch
  // the proxy.
  std::function<void(std::string_view)> seen{};
};

using RuleId = uint64_t;

struct RuleReport {
  int64_t frames = 0;        // it acted on
  Duration longest_delay{};  // as measured, arrival to forwarding
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_LINK_H_
