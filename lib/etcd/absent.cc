// Stands in for connection.cc and http.cc in a build without libcurl.
#include "lib/base/check.h"
#include "lib/etcd/connection.h"

namespace doublehold {

bool HasEtcd() { return false; }

std::unique_ptr<EtcdConnection> DialEtcd(std::vector<NodeAddress> /*servers*/) {
  CHECK(HasEtcd());
  return nullptr;
}

}  // namespace doublehold
