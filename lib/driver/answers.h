// The asking side of the driver protocol (docs/driver-protocol.md), without a process. It tracks
// pending requests and parses the driver's lines. A line that does not match a pending request
// exactly is broken.
//
// Thread rule: one thread at a time. Does no I/O and does not wait.
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
  std::vector<std::string> can;   // for example "lease"; sorted
  std::string service = "redis";  // the service in which the library keeps its locks

  [[nodiscard]] bool Can(std::string_view what) const;
  bool operator==(const DriverHello&) const = default;
};

struct DriverAnswer {
  enum class Kind : uint8_t { kOk, kNo, kError };
  Kind kind = Kind::kOk;
  DriverHello hello{};                 // for hello
  std::string grant{};                 // for acquire
  int64_t token = 0;                   // for acquire; 0 if the library has no tokens
  std::optional<Duration> validity{};  // for acquire and extend: length of the lease
  std::optional<MonoTime> from{};      // for acquire and extend: start of the lease
  Duration taken{};       // for a refused acquire: the holder's remaining lease, or 0 if not known
  bool definite = false;  // for an error: certainly nothing was done
  std::string text{};     // for an error: the driver's message
  MonoTime came{};        // when the reply arrived
};

struct DriverReply {
  uint64_t id = 0;
  DriverAnswer answer;
};
struct LostNotification {
  std::string grant;
  // True for the first report that a held grant is lost.
  bool is_news = false;
};
struct BrokenLine {
  std::string why;
};

class DriverAnswers {
 public:
  // Registers a request that is sent now, and returns its id. A release passes its `grant`.
  uint64_t Ask(DriverOp op, MonoTime now, const std::string& grant = {});
  // Parses a line that arrived now, without its newline. A reply ends its request.
  [[nodiscard]] std::variant<DriverReply, LostNotification, BrokenLine> Take(std::string_view line,
                                                                             MonoTime now);
  // Returns when the driver reported that this grant is lost. Returns nothing if no loss was
  // reported, or if a release was already requested.
  [[nodiscard]] std::optional<MonoTime> LostAt(const std::string& grant) const;

 private:
  struct Asked {
    DriverOp op;
    MonoTime at;
  };
  uint64_t last_id_ = 0;
  std::map<uint64_t, Asked> pending_;
  std::set<std::string> held_;            // granted, not released, and not reported lost
  std::map<std::string, MonoTime> lost_;  // granted, not released, and reported lost
  DriverHello hello_;
};

// Sends requests to a driver. The driver is a process (DriverChannel), or a script in tests.
class DriverRequests {
 public:
  virtual ~DriverRequests() = default;
  // Sends a request without blocking, and returns its id. `members` are the operation's fields.
  virtual uint64_t Send(DriverOp op, const nlohmann::json& members) = 0;
  // Waits for the reply to a request. Returns nothing when the deadline has passed, or when no
  // reply can arrive any more. A caller may await the same request again. A reply is returned only
  // once.
  virtual std::optional<DriverAnswer> Await(uint64_t id, MonoTime deadline) = 0;
  // See DriverAnswers::LostAt.
  [[nodiscard]] virtual std::optional<MonoTime> LostAt(const std::string& grant) const = 0;
  // How long the driver has waited for a processor until now or, at the earliest, until `max_age`
  // ago.
  [[nodiscard]] virtual Duration WaitedForCpu(Duration max_age) = 0;
};

// Returns the line of a request, with its newline.
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
