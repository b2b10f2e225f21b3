// What becomes of a node between its kill and its return.
#ifndef DOUBLEHOLD_FAULTS_NODE_RESTART_H_
#define DOUBLEHOLD_FAULTS_NODE_RESTART_H_

#include <cstdint>
#include <functional>

#include "lib/base/time.h"

namespace doublehold {

// What a node that is started again finds of what it knew.
enum class Remains : uint8_t {
  kNothing,   // its memory was all there was
  kSnapshot,  // what the last SAVE wrote; nothing when there was none
  kLog,       // its append-only file: everything it had answered
  kCutLog,    // the same without its tail, as after a loss of power
};

struct NodeRestart {
  Duration down{};  // from the kill until it is started again
  Remains remains = Remains::kNothing;
  // kCutLog: what was written so shortly before the kill is lost, and perhaps a little more.
  Duration cut{};
  // Called once, from the loop, when it answers again.
  std::function<void()> on_back{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_NODE_RESTART_H_
