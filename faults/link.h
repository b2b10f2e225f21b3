// The connections that faults act on, and what is done to the messages on them.
#ifndef DOUBLEHOLD_FAULTS_LINK_H_
#define DOUBLEHOLD_FAULTS_LINK_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

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

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_LINK_H_
