// The connections on which faults act, and the rules for their frames.
#ifndef DOUBLEHOLD_FAULTS_LINK_H_
#define DOUBLEHOLD_FAULTS_LINK_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lib/base/time.h"

namespace doublehold {

// The connections from one client to one node. Clients count from 1; node 0 is the store. If `peer`
// is not 0, the connections come from another server and not from a client.
constexpr int kAnyPeer = -1;  // any server or sentinel
struct LinkId {
  int client = 0;
  int node = 0;
  int peer = 0;                                     // number of a server, or kAnyPeer
  auto operator<=>(const LinkId&) const = default;  // NOLINT(modernize-use-nullptr): no null here
};

enum class Direction : uint8_t { kRequest, kReply };  // client to node, node to client

// A rule for matching frames. A frame is one request or one reply. Frames of a connection are
// never reordered, so later frames wait behind a delayed one.
struct LinkRule {
  enum class Action : uint8_t {
    kDelay,      // passes `delay` later, plus or minus `jitter`
    kHold,       // is kept until the rule is removed
    kDrop,       // is lost; if it is a reply, its command has run
    kReset,      // both sides of the connection are reset instead
    kDuplicate,  // the command is sent twice, and the client gets the first reply; requests only
    kPace,       // at most `bytes` every `gap` on each connection; later frames wait behind it
    kWatch,      // passes as if the rule did not exist; `seen` is called
  };
  // The distribution of the delay. Each frame draws from the run's seed.
  enum class Spread : uint8_t {
    kUniform,  // between delay - jitter and delay + jitter
    kNormal,   // mean `delay`, standard deviation `jitter`, at most 3 deviations away
    kPareto,   // `delay` plus a Pareto term with mean `jitter`, at most 20 times `jitter`
  };
  Direction direction = Direction::kRequest;
  Action action = Action::kDelay;
  std::string command{};  // upper case; also matches replies to the command; empty: any
  // If set, decides by the command in place of `command`. The text is empty for bytes that are no
  // frame.
  std::function<bool(std::string_view command)> matches{};
  std::string key{};  // the first key of the command; empty: any
  int64_t nth = 1;    // the rule acts from the nth matching frame on, counted since it was set
  double chance = 1;  // probability of acting on a matching frame, drawn from the run's seed
  Duration delay{};
  Duration jitter{};
  Spread spread = Spread::kUniform;
  int64_t bytes = 0;
  Duration gap{};
  int64_t limit = 0;  // after so many frames the rule calls `on_limit_reached`; 0: no limit
  // Called once, after the last of `limit` frames was forwarded, dropped or reset.
  std::function<void()> on_limit_reached{};
  // kWatch: called once for each matching frame, as soon as its name is known. `is_lost`: another
  // rule drops the frame or resets its connection. Must not call the proxy.
  std::function<void(std::string_view name, bool is_lost)> seen{};
};

// The traffic of a link so far. A frame that a rule drops counts; a copy that a rule
// sends does not.
struct LinkTraffic {
  int64_t commands = 0;
  int64_t bytes = 0;  // received from both sides
};

using RuleId = uint64_t;

struct RuleReport {
  int64_t frames = 0;        // number of frames on which the rule acted
  Duration longest_delay{};  // measured from arrival to forwarding
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_LINK_H_
