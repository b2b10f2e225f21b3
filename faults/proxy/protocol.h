// The protocols that the proxy knows.
#ifndef DOUBLEHOLD_FAULTS_PROXY_PROTOCOL_H_
#define DOUBLEHOLD_FAULTS_PROXY_PROTOCOL_H_

#include <cstdint>
#include <memory>

#include "faults/proxy/wire/wire.h"

namespace doublehold {

enum class Protocol : uint8_t { kRedis, kZooKeeper, kPostgres, kMySql, kHttp };

// Returns the protocol of one new connection.
std::unique_ptr<Wire> MakeWire(Protocol protocol);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_PROTOCOL_H_
