// A lock server and a store for tests (reference_service.h): one key, its queue and tokens. They
// are correct, except for one planted defect.
#ifndef DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVER_H_
#define DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVER_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lib/base/prng.h"

namespace doublehold {

enum class Defect : uint8_t {
  kNone,
  kReleasesUnchecked,  // a release frees the key whatever its owner, however late it comes
  kLosesTokens,        // the token counter starts again now and then
  kTakesStaleTokens,   // the store does not compare tokens
  kNoQueue,            // a free key is granted to the next acquire
  kInnerExitFrees,     // every exit of an owner frees the key
  kCountsTwice,        // an acquire counts 2 now and then
  kNoLock,             // everybody is granted the key at once
  kTriesAgain,         // a sale of unknown outcome is retried
};

struct ServiceOptions {
  Defect defect = Defect::kNone;
  int sessions = 3;
  bool reentrant = false;  // owners may re-enter, and their entries are counted
  bool fair = false;       // FIFO queue
  bool readers = false;
  // Nobody holds past the lease, so the data under the lock must be right.
  bool punctual = true;
  bool unchecked = false;  // releases free any owner's lock; then there are no leases
  bool losses = true;      // requests and answers may be lost or late
  bool sells = true;       // sells from a stock; else reads and writes a record, and saves tasks
};

struct Asked {
  int32_t client = 0;
  uint64_t hold = 0;
  bool shared = false;
};

// The server: one key, its queue, its counter of tokens.
class TrueServer {
 public:
  TrueServer(const ServiceOptions& options, int64_t lease_ns, Prng& prng)
      : options_(options), lease_ns_(lease_ns), prng_(prng) {}

  // Returns the token of the grant; nothing: the key is taken.
  std::optional<int64_t> Acquire(const Asked& asked, int64_t now_ns);
  // Returns whether it freed the key, or ended one entry.
  bool Release(const Asked& asked, int64_t now_ns);
  [[nodiscard]] bool Unchecked() const {
    return options_.unchecked || options_.defect == Defect::kReleasesUnchecked;
  }
  void LeaveQueue(int32_t client) { std::erase(queue_, client); }

 private:
  struct Holder {
    int32_t client = 0;
    uint64_t hold = 0;
    bool shared = false;
    int count = 0;
    int64_t until_ns = 0;
  };
  std::vector<Holder>::iterator Own(const Asked& asked);

  const ServiceOptions& options_;
  int64_t lease_ns_;
  Prng& prng_;
  std::vector<Holder> holders_;
  std::vector<int32_t> queue_;
  int64_t token_ = 0;
};

// The store: a stock, a record in two halves, results of tasks.
struct TrueStore {
  int64_t stock = 1'000;
  int64_t seen_token = 0;
  int64_t first = 1, second = 1;
  std::map<int64_t, int64_t> results;  // by task, the number of its results

  // Whether the store accepts a token; then it accepts no smaller one any more.
  bool Shown(int64_t token, bool compares) {
    if (compares && token < seen_token) return false;
    seen_token = std::max(seen_token, token);
    return true;
  }
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVER_H_
