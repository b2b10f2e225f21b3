// What the search for an order is about: operations on one object, each somewhere between two
// instants.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_
#define DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>

namespace doublehold {

// Numbers of a history; texts and other values are numbered by who reads them.
using LinearValue = boost::container::small_vector<int64_t, 2>;

constexpr int64_t kNil = std::numeric_limits<int64_t>::min();  // Jepsen's nil, as a number

// Of one process in its own order: of two that return and begin at one instant, the first comes
// first.
struct Operation {
  uint8_t function = 0;  // index in Model::functions
  // A client. After an operation of unknown outcome it goes on under a number never seen before.
  int32_t process = 0;
  // Nobody knows whether it took effect, or when: it may have at any time from `invoked` on, or
  // never.
  bool indeterminate = false;
  int64_t invoked = 0;   // ns, or any other number that rises
  int64_t returned = 0;  // at least `invoked`; means nothing when indeterminate
  LinearValue argument;
  LinearValue result;  // means nothing when indeterminate
  int64_t line = 0;    // of its invocation in the file, for messages
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_OPERATION_H_
