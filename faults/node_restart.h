// How a node is restarted after its kill.
#ifndef DOUBLEHOLD_FAULTS_NODE_RESTART_H_
#define DOUBLEHOLD_FAULTS_NODE_RESTART_H_

#include <cstdint>
#include <functional>

#include "lib/base/time.h"

namespace doublehold {

// The data that a restarted node finds.
enum class Remains : uint8_t {
  kNothing,   // none
  kSnapshot,  // the data of the last SAVE; none if there was no SAVE
  kLog,       // its append-only file, with every write that it acknowledged
  kCutLog,    // the append-only file without its tail, as after a loss of power
  kOwn,       // what the settings of its owner keep
};

struct NodeRestart {
  Duration down{};  // from the kill until the start
  Remains remains = Remains::kNothing;
  // kCutLog: writes in this time before the kill are lost, and perhaps slightly older writes.
  Duration cut{};
  // Called once, from the loop, when the node answers again.
  std::function<void()> on_back{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_NODE_RESTART_H_
