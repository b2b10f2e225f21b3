// EtcdConnection to real servers, over the JSON gateway of etcd's v3 API. A build without libcurl
// has absent.cc instead of connection.cc and http.cc.
#ifndef DOUBLEHOLD_LIB_ETCD_CONNECTION_H_
#define DOUBLEHOLD_LIB_ETCD_CONNECTION_H_

#include <memory>
#include <vector>

#include "lib/base/address.h"
#include "lib/clients/etcd.h"

namespace doublehold {

// Whether this build contains libcurl.
bool HasEtcd();

// Makes a connection that begins with the first server. Requires HasEtcd() and TCP addresses. An
// error reply is kNoReply if the request may have been executed, for example after a change of the
// leader. After such a reply, the next request goes to the next server.
std::unique_ptr<EtcdConnection> DialEtcd(std::vector<NodeAddress> servers);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_ETCD_CONNECTION_H_
