#include "faults/proxy/protocol.h"

#include "faults/proxy/redis/redis_wire.h"

namespace doublehold {

std::unique_ptr<Wire> MakeWire(Protocol protocol) {
  switch (protocol) {
    case Protocol::kRedis:
      return std::make_unique<RedisWire>();
  }
  return nullptr;
}

}  // namespace doublehold
