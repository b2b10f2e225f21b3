// The keys of one modelled server, what they hold and until when, and who watches them.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_KEYSPACE_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_KEYSPACE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace doublehold::sim {

struct Field {
  std::string name;
  std::string value;
};
struct Member {
  double score = 0;
  std::string name;
};
using Hash = std::vector<Field>;        // in the order in which the fields came
using List = std::vector<std::string>;  // few at a time: none is worth a deque
using SortedSet = std::vector<Member>;  // by score, then by name
using Value = std::variant<std::string, Hash, List, SortedSet>;

constexpr int64_t kNever = INT64_MAX;

struct Entry {
  std::string key;
  Value value;
  int64_t expires_ms = kNever;  // alive at this instant, gone after it
};

// A value: a copy has the same keys and the same watches. Not thread-safe. Entries move when a key
// comes or goes. Searched linearly: a simulated world has few keys. As in Redis, a key whose time
// is over goes when somebody looks at it, and whoever changes an entry says so by Touch.
class Keyspace {
 public:
  // Null when the key is not there, or no longer.
  Entry* Find(std::string_view key, int64_t now_ms);
  // The key must not be there.
  Entry& Add(std::string_view key, Value value);
  // False when it is not there. The watchers are told.
  bool Erase(std::string_view key, int64_t now_ms);
  void Clear();
  // Also those whose time is over, as long as nobody looked at them.
  [[nodiscard]] size_t size() const { return entries_.size(); }

  // Whoever watches the key loses its transaction.
  void Touch(std::string_view key) {
    if (!watches_.empty()) TellWatchers(key);
  }
  void Watch(int connection, std::string_view key, int64_t now_ms);
  // Forgets what the connection watches, and that anything of it was changed.
  void Unwatch(int connection);
  void UnwatchAll();
  // Something that the connection watches was changed, or its time came.
  [[nodiscard]] bool IsSpoilt(int connection, int64_t now_ms) const;

 private:
  struct Watched {
    int connection = 0;
    std::string key;
    bool expired = false;  // its time was over when it was watched, and it was not yet removed
  };

  [[nodiscard]] const Entry* Raw(std::string_view key) const;
  void Remove(Entry& entry);
  void TellWatchers(std::string_view key);

  std::vector<Entry> entries_;
  std::vector<Watched> watches_;  // in the order of the WATCHes
  std::vector<int> spoilt_;       // connections
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_KEYSPACE_H_
