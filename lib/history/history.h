// A history: what a run was, and everything its processes recorded, in time order. Checkers read
// nothing else.
#ifndef DOUBLEHOLD_LIB_HISTORY_HISTORY_H_
#define DOUBLEHOLD_LIB_HISTORY_HISTORY_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/event.h"
#include "lib/base/fault_traits.h"
#include "lib/base/lock_traits.h"
#include "lib/base/time.h"

namespace doublehold {

// A fault as the plan has it. Its index in RunFacts::faults is the `fault` value of fault events.
struct FaultFact {
  std::string name;                     // unique in the run: "stall"
  std::string kind;                     // "pause"
  std::optional<FaultTraits> traits{};  // of its kind; nothing: the history is older than these
  std::string what;          // for a reader: "client 1 stopped at before-write for 800ms"
  std::vector<int> nodes{};  // that it is aimed at, if any
  // By a nemesis, for what it was asked to do ("clock"): one of many that finds nothing to act on
  // leaves the verdict as it is.
  std::string drawn_for{};
  std::string until{};  // "client 2 reaches before-write": what it was to last until, if anything
  Duration lasts{};     // and how long at most, if that was said
  std::string key{};    // the one that it is about, if it is
  bool keeps_data = false;  // a node comes back, or takes over, with all that had been answered
  int planned = 1;  // how often it was to start; fewer is reported and leaves nothing `valid`

  bool operator==(const FaultFact&) const = default;
};

// The library behind lock `driver`, as its driver named it (docs/driver-protocol.md).
struct LibraryFact {
  std::string name;
  std::string version;
  std::vector<std::string> can{};  // "lease"

  bool operator==(const LibraryFact&) const = default;
};

// What the checkers must know of a run besides its events.
struct RunFacts {
  std::string experiment;
  std::string lock;
  std::optional<LockTraits> lock_traits{};  // nothing: the history is older than these
  std::string workload;
  std::string write;  // how stock is written: "read-modify-write", "check-then-decr"
  uint64_t seed = 0;
  Lease lease{};
  Duration grace{};     // added to the lease before `liveness` calls a lock stuck
  Duration duration{};  // of the workload, without start and stop
  int clients = 0;
  int nodes = 0;
  int64_t initial_stock = 0;      // of each item
  std::vector<std::string> keys;  // lock key names; Event::key is an index
  std::vector<FaultFact> faults;
  std::vector<std::string> claims;            // to be judged, in this order
  std::map<std::string, std::string> expect;  // claim -> valid | violated | unknown | any
  // claim -> the causes that its violations may have; the first of them must be among them
  std::map<std::string, std::vector<std::string>> expect_cause{};
  std::optional<LibraryFact> library{};         // that a driver served
  std::map<std::string, std::string> limits{};  // claim -> its limit: "5s", "100"

  bool operator==(const RunFacts&) const = default;
};

struct History {
  RunFacts facts;
  std::vector<Event> events;  // by at_ns; equal times keep the order of their writer
};

// Puts events of several writers, each in time order, into one order.
void SortByTime(std::vector<Event>& events);

// Whether an event of this operation is about a lock key. What befalls a process, or is seen of it,
// is not.
bool HasKey(Op op);

// What the values of an event are called in a file; empty where it has no such value. event.h says
// what they mean. One whose name is written with a ? here is left out of the file when it is 0.
struct ValueName {
  constexpr ValueName() = default;
  constexpr ValueName(const char* name) : text(name) {  // NOLINT(google-explicit-constructor)
    always = !text.empty() && !text.ends_with('?');
    if (text.ends_with('?')) text.remove_suffix(1);
  }
  std::string_view text;
  bool always = false;
};
using ValueNames = std::array<ValueName, 4>;
ValueNames ValueNamesOf(Op op, EventType type);

// No time or value of a history is further from 0 (73 years in ns), so that sums and differences of
// a few of them cannot overflow; but for the end of a lease that never ends, which is INT64_MAX.
constexpr int64_t kMostValue = int64_t{1} << 61;

// Why an event cannot belong to a run with these facts, or nothing when it can: a process, key or
// fault the run did not have, a negative time, a value outside its enumeration or its bounds.
std::optional<std::string> WhyInvalid(const Event& event, const RunFacts& facts);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_HISTORY_H_
