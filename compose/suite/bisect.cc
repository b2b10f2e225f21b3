#include "compose/suite/bisect.h"

#include <map>

#include "lib/base/check.h"

namespace doublehold {
namespace {

class Search {
 public:
  Search(size_t seen, const std::function<Probe(size_t)>& probe) : probe_(probe) {
    known_[seen] = Probe::kSeen;
  }

  // Moves `seen` towards `end` as far as the violation is seen. Returns what its neighbour there
  // showed, or nothing if `end` itself shows it.
  std::optional<Probe> Extend(size_t& seen, size_t end) {
    if (seen == end || Ask(end) == Probe::kSeen) {
      seen = end;
      return std::nullopt;
    }
    size_t other = end;
    while (Distance(seen, other) > 1) {
      const size_t between = Between(seen, other);
      (Ask(between) == Probe::kSeen ? seen : other) = between;
    }
    return Ask(other);
  }

 private:
  static size_t Distance(size_t a, size_t b) { return a < b ? b - a : a - b; }

  Probe Ask(size_t version) {
    const auto found = known_.find(version);
    if (found != known_.end()) return found->second;
    return known_[version] = probe_(version);
  }

  // Returns the middle, or a neighbour of it if the middle alone is unusable.
  size_t Between(size_t a, size_t b) {
    const size_t middle = (a + b) / 2;
    if (Ask(middle) != Probe::kUnusable) return middle;
    for (const size_t next : {middle + 1, middle - 1}) {
      const bool is_between = Distance(a, next) + Distance(next, b) == Distance(a, b);
      if (is_between && next != a && next != b && Ask(next) != Probe::kUnusable) return next;
    }
    return middle;
  }

  const std::function<Probe(size_t)>& probe_;
  std::map<size_t, Probe> known_;
};

}  // namespace

SeenRange FindSeenRange(size_t count, size_t seen, const std::function<Probe(size_t)>& probe) {
  CHECK(seen < count);
  Search search(seen, probe);
  SeenRange range{.first = seen, .last = seen};
  range.after = search.Extend(range.last, count - 1);
  range.before = search.Extend(range.first, 0);
  return range;
}

}  // namespace doublehold
