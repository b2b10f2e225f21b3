// The kinds of faults: one function and one file a kind. registry.cc makes a table of them.
#ifndef DOUBLEHOLD_FAULTS_KINDS_H_
#define DOUBLEHOLD_FAULTS_KINDS_H_

#include "faults/fault.h"

namespace doublehold {

FaultEntry PauseFault();
FaultEntry SlowFault();
FaultEntry DelayFault();
FaultEntry HoldFault();
FaultEntry StallFault();
FaultEntry DropFault();
FaultEntry BlackHoleFault();
FaultEntry ResetFault();
FaultEntry PartitionFault();
FaultEntry JumpFault();
FaultEntry DriftFault();

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KINDS_H_
