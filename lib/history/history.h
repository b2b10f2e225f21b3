// A history: the facts of a run, and all events that its processes recorded, in time order.
// Checkers read nothing else.
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

// A planned fault. Fault events refer to it by its index in RunFacts::faults.
struct FaultFact {
  std::string name;                     // unique in the run: "stall"
  std::string kind;                     // "pause"
  std::optional<FaultTraits> traits{};  // traits of `kind`; missing in old histories
  std::string what;                     // in words: "client 1 stopped at before-write for 800ms"
  std::vector<int> nodes{};             // the nodes at which it is aimed
  // The nemesis member for which it was drawn ("clock"). If one of many drawn faults finds nothing
  // to act on, the verdict does not change.
  std::string drawn_for{};
  std::string until{};  // the event that ends it, if any: "client 2 reaches before-write"
  Duration lasts{};     // its maximum length, if given
  std::string key{};    // the key on which it acts, if any
  // The fault restarts or promotes a node that keeps every acknowledged write.
  bool keeps_data = false;
  int planned = 1;  // number of planned starts; with fewer starts no claim is `valid`

  bool operator==(const FaultFact&) const = default;
};

// The library behind lock `driver`, as its driver named it (docs/driver-protocol.md).
struct LibraryFact {
  std::string name;
  std::string version;
  std::vector<std::string> can{};     // "lease"
  std::vector<std::string> errors{};  // the first texts with which it answered calls in error

  bool operator==(const LibraryFact&) const = default;
};

// The facts of a run that the checkers need besides its events.
struct RunFacts {
  std::string experiment;
  std::string lock;
  std::optional<LockTraits> lock_traits{};  // missing in old histories
  std::string workload;
  std::string write;  // how stock is written: "read-modify-write", "check-then-decr"
  uint64_t seed = 0;
  Lease lease{};
  Duration grace{};     // a lock counts as stuck (`liveness`) after lease + grace
  Duration duration{};  // of the workload, without start-up and shutdown
  int clients = 0;
  int nodes = 0;
  int64_t initial_stock = 0;      // of each item
  std::vector<std::string> keys;  // lock key names; Event::key is an index
  std::vector<FaultFact> faults;
  std::vector<std::string> claims;            // the claims to judge, in this order
  std::map<std::string, std::string> expect;  // claim -> valid | violated | unknown | any
  // Claim -> the causes that its violations may have. The first cause must occur.
  std::map<std::string, std::vector<std::string>> expect_cause{};
  std::optional<LibraryFact> library{};         // the library behind a driver
  std::map<std::string, std::string> limits{};  // claim -> its limit: "5s", "100"
  // How long the clients had worked when the run was interrupted; 0 if it was not. The referee may
  // have ended after the planned duration.
  Duration interrupted{};

  bool operator==(const RunFacts&) const = default;
};

struct History {
  RunFacts facts;
  std::vector<Event> events;  // by at_ns; a writer's events with equal times keep their order
};

// Merges the events of several writers, each in time order, into one order.
void SortByTime(std::vector<Event>& events);

// Whether an event of this operation refers to a lock key. Events about a process have no key.
bool HasKey(Op op);

// The name of an event's value in a file, or empty if the event has no such value. event.h explains
// the values. A value whose name here ends in '?' is left out of the file when it is 0.
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

// Limit of the absolute value of times and values (73 years in ns), so that sums and differences
// cannot overflow. The only exception is INT64_MAX, the end of a lease that never ends.
constexpr int64_t kMostValue = int64_t{1} << 61;

// Returns why an event is impossible in a run with these facts. Returns nothing if the event is
// possible. Examples of impossible events: an unknown process, key or fault, a negative time, a
// value out of range.
std::optional<std::string> WhyInvalid(const Event& event, const RunFacts& facts);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_HISTORY_H_
