#include "faults/proxy/protocol.h"

#include "faults/proxy/http/http_wire.h"
#include "faults/proxy/mysql/mysql_wire.h"
#include "faults/proxy/postgres/postgres_wire.h"
#include "faults/proxy/redis/redis_wire.h"
#include "faults/proxy/zookeeper/zookeeper_wire.h"

namespace doublehold {

std::unique_ptr<Wire> MakeWire(Protocol protocol) {
  switch (protocol) {
    case Protocol::kRedis:
      return std::make_unique<RedisWire>();
    case Protocol::kZooKeeper:
      return std::make_unique<ZooKeeperWire>();
    case Protocol::kPostgres:
      return std::make_unique<PostgresWire>();
    case Protocol::kMySql:
      return std::make_unique<MySqlWire>();
    case Protocol::kHttp:
      return std::make_unique<HttpWire>();
  }
  return nullptr;
}

}  // namespace doublehold
