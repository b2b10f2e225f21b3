// Waits for the socket of a client library whose calls do not block.
#ifndef DOUBLEHOLD_LIB_CLIENTS_AWAIT_SOCKET_H_
#define DOUBLEHOLD_LIB_CLIENTS_AWAIT_SOCKET_H_

#include "lib/base/time.h"

namespace doublehold {

// Waits until the socket is ready for one of `events` (poll(2): POLLIN, POLLOUT), and returns the
// events that are ready. Returns 0 after the deadline.
short AwaitSocket(int fd, short events, Deadline deadline);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLIENTS_AWAIT_SOCKET_H_
