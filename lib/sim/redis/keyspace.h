// The keys of one modelled server: values, expiry times and watches.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_KEYSPACE_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_KEYSPACE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/sim/state/state_digest.h"

namespace doublehold::sim {

struct Field {
  std::string name;
  std::string value;
};
struct Member {
  double score = 0;
  std::string name;
};
using Hash = std::vector<Field>;        // in insertion order
using List = std::vector<std::string>;  // the lists are short, so a deque would not be faster
using SortedSet = std::vector<Member>;  // sorted by score, then by name
using Value = std::variant<std::string, Hash, List, SortedSet>;

constexpr int64_t kNever = INT64_MAX;

struct Entry {
  std::string key;
  Value value;
  int64_t expires_ms = kNever;  // the key is alive up to and including this instant
};

// A value type: a copy has the same keys and watches. Not thread-safe.
//
// - Pointers to entries are invalid after a key was added or removed.
// - Searches are linear, because a simulated world has few keys.
// - As in Redis, an expired key is removed when a command reads it.
// - The caller must call Touch after changing an entry.
class Keyspace {
 public:
  // Returns null when the key is missing or expired.
  Entry* Find(std::string_view key, int64_t now_ms);
  // Requires that the key is missing.
  Entry& Add(std::string_view key, Value value);
  // Returns false when the key is missing. Notifies the watchers.
  bool Erase(std::string_view key, int64_t now_ms);
  // Leaves the watches as they are.
  void Clear() { entries_.clear(); }
  // Includes expired keys that no command has read.
  [[nodiscard]] size_t size() const { return entries_.size(); }

  // Aborts the transactions of all connections that watch the key.
  void Touch(std::string_view key) {
    if (!watches_.empty()) NotifyWatchers(key);
  }
  void Watch(int connection, std::string_view key, int64_t now_ms);
  // Removes the connection's watches, and forgets that a watched key was changed.
  void Unwatch(int connection);
  void UnwatchAll();
  // Whether a key that the connection watches was changed or has expired.
  [[nodiscard]] bool IsSpoilt(int connection, int64_t now_ms) const;
  // Mixes the expiry times relative to `now_ms`: no command tells the time, or reads one.
  void MixState(StateDigest& digest, int64_t now_ms) const;

 private:
  struct Watched {
    int connection = 0;
    std::string key;
    bool expired = false;  // the key had expired before WATCH, and was not yet removed
  };

  [[nodiscard]] const Entry* Raw(std::string_view key) const;
  void Remove(Entry& entry);
  void NotifyWatchers(std::string_view key);

  std::vector<Entry> entries_;
  std::vector<Watched> watches_;  // in the order of the WATCH commands
  std::vector<int> spoilt_;       // connections whose next EXEC is aborted
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_KEYSPACE_H_
