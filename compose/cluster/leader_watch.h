// Asks servers at intervals whether they lead, over connections that bypass the proxy. Never blocks
// for an answer, so a fault can name the leader when it begins.
//
// Thread rule: runs on the io_context's thread.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_LEADER_WATCH_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_LEADER_WATCH_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "compose/cluster/question.h"
#include "lib/base/address.h"

namespace doublehold {

class LeaderWatch {
 public:
  // `ask` makes a question that a server answers with yes if it leads.
  LeaderWatch(boost::asio::io_context& io, std::function<Question()> ask);
  ~LeaderWatch();
  LeaderWatch(const LeaderWatch&) = delete;
  LeaderWatch& operator=(const LeaderWatch&) = delete;

  // Call it before Begin.
  void Watch(int node, const NodeAddress& server);
  // Asks every server at once, and then every 20 ms.
  void Begin();
  // Returns the server that led when it last answered. Of several, returns the one that became the
  // leader last: an old leader that was stopped may not know of the new one yet.
  [[nodiscard]] std::optional<int> leader() const;

 private:
  struct Server;
  void AskAll();
  void Ask(Server& server);

  std::function<Question()> ask_;
  boost::asio::io_context& io_;
  boost::asio::steady_timer timer_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<int> leaders_;  // in the order in which they became leaders
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_LEADER_WATCH_H_
