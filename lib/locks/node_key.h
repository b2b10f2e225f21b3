// The two steps that several variants share: SET key owner NX PX lease, and the script that deletes, or extends, a key
// only while the owner's text is in it. Each comes in two halves, so that several nodes can be asked at once.
#ifndef DOUBLEHOLD_LIB_LOCKS_NODE_KEY_H_
#define DOUBLEHOLD_LIB_LOCKS_NODE_KEY_H_

#include <string>

#include "lib/base/connection.h"
#include "lib/base/time.h"

namespace doublehold {

// What one node said. kFailed: certainly not done. kUnknown: perhaps done.
enum class [[nodiscard]] NodeAnswer : uint8_t{kYes, kNo, kFailed, kUnknown};

NodeAnswer FailureOf(const CallFailure& failure);

void StartSetNxPx(Connection& node, const std::string& key, const std::string& owner, Lease lease,
                  Deadline deadline);
NodeAnswer FinishSetNxPx(Connection& node);

// `key` and `owner` stay valid until the finish.
void StartCompareAndDelete(Connection& node, const std::string& key, const std::string& owner,
                           Deadline deadline);
void StartCompareAndExtend(Connection& node, const std::string& key, const std::string& owner,
                           const std::string& lease_ms, Deadline deadline);
NodeAnswer FinishScript(Connection& node);  // kYes: 1, kNo: 0

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_NODE_KEY_H_
