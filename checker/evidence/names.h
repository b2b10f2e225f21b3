// The names of clients, servers, keys, times and numbers in a verdict.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_NAMES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

std::string At(int64_t at_ns);         // "2.418 s"
std::string During(const Span& span);  // "2.101-3.104 s"
// "client 3", or "client 3, thread 2" if the client has several sessions
std::string OwnerName(const Disturbances& disturbances, const SessionId& session);
std::string ProcessName(int32_t client);  // "client 3", "the referee", "the supervisor", "node 1"
std::string KeyName(const RunFacts& facts, uint16_t key);
std::string Counted(int64_t count, std::string_view singular);  // "1 order", "4 orders"
// "took effect once", "never took effect", "took effect 1 of 3 times"
std::string TookEffect(int64_t started, int64_t planned);
std::string ServerName(int32_t node);  // "the store", "node 1"

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_NAMES_H_
