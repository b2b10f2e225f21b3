// Reads Jepsen's own log, such as the etcd histories in Porcupine's tests, its console and its
// history.txt. Lines such as
//
//   INFO  jepsen.util - 3   :invoke :cas    [3 4]
//   [ 10:43:30.123 ] 3 :invoke :cas [3 4]
//   3   :invoke :cas    [3 4]
//
// are read as {:process 3, :type :invoke, :f :cas, :value [3 4]}. Other log lines are skipped.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_JEPSEN_LOG_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_JEPSEN_LOG_H_

#include <memory>
#include <optional>
#include <string_view>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

// Returns the part of the line that begins with the process, or nothing if the line is no
// operation.
std::optional<std::string_view> FindJepsenOperation(std::string_view line);

std::unique_ptr<FormReader> MakeJepsenLogReader(TextSource& source);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_JEPSEN_LOG_H_
