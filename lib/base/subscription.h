// How a waiter learns that a key was released.
#ifndef DOUBLEHOLD_LIB_BASE_SUBSCRIPTION_H_
#define DOUBLEHOLD_LIB_BASE_SUBSCRIPTION_H_

#include "lib/base/time.h"

namespace doublehold {

// Messages of one source, such as a channel or a watched node. Not thread-safe.
class Subscription {
 public:
  virtual ~Subscription() = default;
  // Waits for a message. Returns true when a message has arrived, even before the call. Returns
  // false at the deadline, or when the node fails. The call after a failure subscribes again and
  // returns true, because a message may have been missed.
  [[nodiscard]] virtual bool Wait(Deadline deadline) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_SUBSCRIPTION_H_
