// Why the outcome of a call is unknown.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_UNKNOWN_OUTCOMES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_UNKNOWN_OUTCOMES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "checker/evidence/holds.h"
#include "lib/history/history.h"

namespace doublehold {

enum class UnknownWhy : uint8_t {
  kNoAnswer,
  kError,    // a driver answered it with an error
  kNotSent,  // a release whose acquire was answered with an error, so that it had no grant
};
std::string_view Describe(UnknownWhy why);  // "was not answered"

// Follows the errors of drivers through a history.
class ErrorAnswers {
 public:
  void Add(const Event& event);  // each event of the history, in order

  // Why the call is unknown that `answer` ends, an event of type info. `from_ns` is when it was
  // invoked. An error answers a call if the driver was asked, and answered, within the call.
  UnknownWhy WhyUnknown(const Event& answer, int64_t from_ns);

 private:
  struct Latest {
    Op op = Op::kAcquire;
    int64_t sent_ns = -1;
  };
  std::map<SessionId, Latest> latest_;
  std::set<uint64_t> without_grant_;  // holds whose acquire was answered with an error
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_UNKNOWN_OUTCOMES_H_
