/* Time that runs fast: under the clock shim, all clocks of a process advance at `speed` times the
 * kernel's, and its waits end after that part of their time. So a run with leases of 30 s takes 3 s
 * at speed 10, and every time that it records is as if it had run in real time.
 *
 * All processes of a run read the same variable, DOUBLEHOLD_SPEED="<speed>:<CLOCK_MONOTONIC ns>":
 * the clocks agree, and at that instant they showed the kernel's time.
 */
#ifndef DOUBLEHOLD_LIB_CLOCK_FAST_TIME_H_
#define DOUBLEHOLD_LIB_CLOCK_FAST_TIME_H_

#define DOUBLEHOLD_SPEED_VARIABLE "DOUBLEHOLD_SPEED"
#define DOUBLEHOLD_MOST_SPEED 100

#define EXPORTED __attribute__((visibility("default")))

#endif /* DOUBLEHOLD_LIB_CLOCK_FAST_TIME_H_ */
