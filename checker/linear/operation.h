// The input of the search for an order: operations on one object, each with a time interval.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_
#define DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>

namespace doublehold {

// A value of a history as numbers. The log reader replaces texts and other values by numbers.
using LinearValue = boost::container::small_vector<int64_t, 2>;

constexpr int64_t kNil = std::numeric_limits<int64_t>::min();  // Jepsen's nil, as a number

// One call of one process. A process makes one call at a time on one object. If a call of a process
// returns at the instant at which its next call is invoked, the returning call is first.
struct Operation {
  uint8_t function = 0;  // index in Model::functions
  // Number of the client. After an operation of unknown outcome, a client usually continues under
  // an unused number.
  int32_t process = 0;
  // Unknown outcome: the operation may take effect at any time from `invoked` on, or never.
  bool indeterminate = false;
  int64_t invoked = 0;   // ns, or a position in the history
  int64_t returned = 0;  // at least `invoked`; meaningless if indeterminate
  LinearValue argument;
  LinearValue result;  // meaningless if indeterminate
  int64_t line = 0;    // line of the invocation in the file, for messages
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_
