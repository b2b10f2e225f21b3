// Whether a standard stream is a screen.
#ifndef DOUBLEHOLD_LIB_OS_SCREEN_H_
#define DOUBLEHOLD_LIB_OS_SCREEN_H_

namespace doublehold {

// Whether the stream is a terminal that understands control sequences: any but TERM=dumb.
bool IsScreen(int descriptor);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_SCREEN_H_
