// Reads Jepsen's own log, such as the etcd histories in Porcupine's tests. Lines such as
//
//   INFO  jepsen.util - 3   :invoke :cas    [3 4]
//
// are read as {:process 3, :type :invoke, :f :cas, :value [3 4]}. Other log lines are skipped.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_JEPSEN_LOG_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_JEPSEN_LOG_H_

#include <memory>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

// The text before the process in each line of an operation.
constexpr std::string_view kJepsenLogMark = "jepsen.util - ";

std::unique_ptr<FormReader> MakeJepsenLogReader(TextSource& source);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_JEPSEN_LOG_H_
