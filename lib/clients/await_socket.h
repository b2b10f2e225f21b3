// Waits for a socket of a service's client library that does not block.
#ifndef DOUBLEHOLD_LIB_CLIENTS_AWAIT_SOCKET_H_
#define DOUBLEHOLD_LIB_CLIENTS_AWAIT_SOCKET_H_

#include "lib/base/time.h"

namespace doublehold {

// Waits until the socket is ready for one of `events`, as for poll(2), and returns those for which
// it is. Returns 0 after the deadline.
short AwaitSocket(int fd, short events, Deadline deadline);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLIENTS_AWAIT_SOCKET_H_
