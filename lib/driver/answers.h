// The asking side of the driver protocol (docs/driver-protocol.md), without a process. It tracks
// pending requests and parses the driver's lines. Strict: a line that does not match a pending
// request exactly is broken.
//
// Thread rule: one thread at a time. Pure: no I/O and no waiting.
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
// Limit, so that a driver cannot exhaust the memory.
constexpr size_t kLongestDriverLine = size_t{64} * 1024;

enum class DriverOp : uint8_t { kHello, kSetup, kAcquire, kExtend, kRelease, kBye };
std::string_view Name(DriverOp op);  // for example "hello"

// A driver's description of its library.
struct DriverHello {
  std::string name;
  std::string version;
  std::vector<std::string> can;  // for example "lease"; sorted

  [[nodiscard]] bool Can(std::string_view what) const;
  bool operator==(const DriverHello&) const = default;
};

struct DriverAnswer {
  enum class Kind : uint8_t { kOk, kNo, kError };
  Kind kind = Kind::kOk;
  DriverHello hello{};                 // for hello
  std::string grant{};                 // for acquire
  int64_t token = 0;                   // for acquire, if the library has tokens; 0: none
  std::optional<Duration> validity{};  // for acquire and extend: length of the lease
  std::optional<MonoTime> from{};      // for acquire and extend: start of the lease
  Duration taken{};       // for a refused acquire: the holder's remaining lease; 0: not known
  bool definite = false;  // for an error: certainly nothing was done
  std::string text{};     // for an error: the driver's message
  MonoTime came{};        // when it arrived
};

struct DriverReply {
  uint64_t id = 0;
  DriverAnswer answer;
};
struct LostNotification {
  std::string grant;
  // The lock was held as far as known, and its loss is reported for the first time.
  bool is_news = false;
};
struct BrokenLine {
  std::string why;
};

class DriverAnswers {
 public:
  // Registers a request that is sent now, and returns its id. `grant`: for a release.
  uint64_t Ask(DriverOp op, MonoTime now, const std::string& grant = {});
  // Parses a line, without its end, that arrived now. A reply ends its request.
  [[nodiscard]] std::variant<DriverReply, LostNotification, BrokenLine> Take(std::string_view line,
                                                                             MonoTime now);
  // Returns when the driver reported the loss of a grant that was not released. Empty: it did not.
  [[nodiscard]] std::optional<MonoTime> LostAt(const std::string& grant) const;

 private:
  struct Asked {
    DriverOp op;
    MonoTime at;
  };
  uint64_t last_id_ = 0;
  std::map<uint64_t, Asked> under_way_;
  std::set<std::string> held_;            // granted, not released, and not reported lost
  std::map<std::string, MonoTime> lost_;  // granted, not released, and reported lost
  DriverHello hello_;
};

// Sends requests to a driver: through a channel, or in tests to a script.
class DriverRequests {
 public:
  virtual ~DriverRequests() = default;
  // Does not block. `members` are the operation's fields. Returns the request's id.
  virtual uint64_t Send(DriverOp op, const nlohmann::json& members) = 0;
  // Waits for the reply. Empty when it did not arrive by the deadline, or never will. Await may be
  // called again. A reply is returned once.
  virtual std::optional<DriverAnswer> Await(uint64_t id, MonoTime deadline) = 0;
  // See DriverAnswers::LostAt.
  [[nodiscard]] virtual std::optional<MonoTime> LostAt(const std::string& grant) const = 0;
};

// Returns the line of a request, with its end.
std::string RequestLine(uint64_t id, DriverOp op, const nlohmann::json& members);

// Splits a driver's output into lines. Keeps at most kLongestDriverLine bytes of an unfinished
// line.
class DriverLines {
 public:
  // Calls `take` for each complete line while it returns true. Returns false when `take` returned
  // false or a line is too long.
  bool Feed(std::string_view bytes, const std::function<bool(std::string_view)>& take);
  [[nodiscard]] const std::string& rest() const { return rest_; }  // the unfinished line

 private:
  std::string rest_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_ANSWERS_H_
