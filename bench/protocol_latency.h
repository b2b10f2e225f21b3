// The latency that the proxy adds to a request of each protocol.
#ifndef DOUBLEHOLD_BENCH_PROTOCOL_LATENCY_H_
#define DOUBLEHOLD_BENCH_PROTOCOL_LATENCY_H_

#include <nlohmann/json.hpp>

namespace doublehold {

// Returns for each protocol the median times of a call, in microseconds: direct, and through the
// proxy, block by block. The server only sends what its protocol's server would answer.
nlohmann::json MeasureProtocols();

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_PROTOCOL_LATENCY_H_
