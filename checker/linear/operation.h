// The input of the search for an order: operations on one object, each with an interval of time.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_
#define DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>

namespace doublehold {

// Values of a history as numbers; the reader of a log numbers texts and other values.
using LinearValue = boost::container::small_vector<int64_t, 2>;

constexpr int64_t kNil = std::numeric_limits<int64_t>::min();  // Jepsen's nil, as a number

// The operations of a process are in its own order. If one returns at the instant at which another
// is invoked, the one that returns is first.
struct Operation {
  uint8_t function = 0;  // index in Model::functions
  // A client. After an operation of unknown outcome it continues under a number never used before.
  int32_t process = 0;
  // Unknown outcome: it may take effect at any time from `invoked` on, or never.
  bool indeterminate = false;
  int64_t invoked = 0;   // ns, or any other number that rises
  int64_t returned = 0;  // at least `invoked`; meaningless if indeterminate
  LinearValue argument;
  LinearValue result;  // meaningless if indeterminate
  int64_t line = 0;    // of its invocation in the file, for messages
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_
