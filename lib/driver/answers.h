// The driver protocol (docs/driver-protocol.md) without a process: which requests are under way,
// and what a line of a driver means. Strict: a line that is not exactly what was asked for is
// broken; nothing is guessed.
//
// Thread rule: one thread at a time. Pure: nothing is read, written or waited for.
#ifndef DOUBLEHOLD_LIB_DRIVER_ANSWERS_H_
#define DOUBLEHOLD_LIB_DRIVER_ANSWERS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

constexpr int kDriverProtocol = 1;
constexpr size_t kLongestDriverLine = size_t{64} * 1024;  // so that no driver fills the memory

enum class DriverOp : uint8_t { kHello, kSetup, kAcquire, kExtend, kRelease, kBye };
std::string_view Name(DriverOp op);  // "hello"

// What a driver says of its library.
struct DriverHello {
  std::string name;
  std::string version;
  std::vector<std::string> can;  // "lease", sorted

  [[nodiscard]] bool Can(std::string_view what) const;
  bool operator==(const DriverHello&) const = default;
};

struct DriverAnswer {
  enum class Kind : uint8_t { kOk, kNo, kError };
  Kind kind = Kind::kOk;
  DriverHello hello{};                 // of hello
  std::string grant{};                 // of acquire
  int64_t token = 0;                   // likewise, of those who can; 0: none
  std::optional<Duration> validity{};  // of acquire and extend: how long the lease is
  std::optional<MonoTime> from{};      // of both: from when it counts
  Duration
      taken{};  // of acquire, refused: for how long the server said that another has it; 0: it did not
  bool definite = false;  // an error: certainly nothing was done
  std::string text{};     // an error, in the driver's words
  MonoTime came{};        // when
};

struct DriverReply {
  uint64_t id = 0;
  DriverAnswer answer;
};
struct LostNotification {
  std::string grant;
  bool is_news = false;  // it was held, as far as was known, and nobody had said so before
};
struct BrokenLine {
  std::string why;
};

class DriverAnswers {
 public:
  // A request that goes out now; of a release the grant. Answers its id.
  uint64_t Ask(DriverOp op, MonoTime now, const std::string& grant = {});
  // A line, without its end, that came now. What it answers is not under way any more.
  [[nodiscard]] std::variant<DriverReply, LostNotification, BrokenLine> Take(std::string_view line,
                                                                             MonoTime now);
  // When a driver said that it had lost the lock of a grant that it was not asked to release;
  // nothing: it did not.
  [[nodiscard]] std::optional<MonoTime> LostAt(const std::string& grant) const;

 private:
  struct Asked {
    DriverOp op;
    MonoTime at;
  };
  uint64_t last_id_ = 0;
  std::map<uint64_t, Asked> under_way_;
  std::set<std::string> held_;            // granted, not asked back, and not told to be lost
  std::map<std::string, MonoTime> lost_;  // granted, not asked back, and told to be lost
  DriverHello hello_;
};

// How requests reach a driver: by a channel; in tests by something simpler.
class DriverRequests {
 public:
  virtual ~DriverRequests() = default;
  // Does not wait. `members` is an object of what the op brings. Answers the request's id.
  virtual uint64_t Send(DriverOp op, const nlohmann::json& members) = 0;
  // Nothing: not answered by then, or never will be; it may be awaited again. An answer is given
  // out once.
  virtual std::optional<DriverAnswer> Await(uint64_t id, MonoTime deadline) = 0;
  // As of DriverAnswers.
  [[nodiscard]] virtual std::optional<MonoTime> LostAt(const std::string& grant) const = 0;
};

// The line of a request, with its end.
std::string RequestLine(uint64_t id, DriverOp op, const nlohmann::json& members);

// Cuts what a driver writes into lines. Keeps no more than kLongestDriverLine of one that has no
// end.
class DriverLines {
 public:
  // Calls `take` for each line that ends in `bytes`, as long as it answers true. False when that
  // did not, or a line is too long.
  bool Feed(std::string_view bytes, const std::function<bool(std::string_view)>& take);
  [[nodiscard]] const std::string& rest() const { return rest_; }  // since the last end of a line

 private:
  std::string rest_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_ANSWERS_H_
