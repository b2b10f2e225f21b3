// A task's ways to the services that it uses: one function for each service.
#ifndef DOUBLEHOLD_LIB_CLIENTS_CLIENTS_H_
#define DOUBLEHOLD_LIB_CLIENTS_CLIENTS_H_

namespace doublehold {

class EtcdClients;       // lib/clients/etcd.h
class RedisClients;      // lib/clients/redis.h
class SqlClients;        // lib/clients/sql.h: PostgreSQL, MariaDB
class ZooKeeperClients;  // lib/clients/zookeeper.h

// Belongs to one Env, and is used by the Env's task only. Returns objects that live as long as the
// Env. Requires that the Env's world has the service: plans are checked by LockEntry::service.
class Clients {
 public:
  virtual ~Clients() = default;

  [[nodiscard]] virtual RedisClients& redis() = 0;
  [[nodiscard]] virtual SqlClients& sql() = 0;  // PostgreSQL
  [[nodiscard]] virtual SqlClients& mariadb() = 0;
  [[nodiscard]] virtual ZooKeeperClients& zookeeper() = 0;
  [[nodiscard]] virtual EtcdClients& etcd() = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLIENTS_CLIENTS_H_
