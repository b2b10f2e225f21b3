// The network between clients and nodes: one listening TCP port a link. Each connection is
// forwarded to the node, frame by frame, under the rules of the link.
//
// A link without rules forwards at once, in one write. Frames of one connection and direction are
// never reordered. When a client closes its connection, the frames that it has sent are still
// delivered.
//
// Thread rule: the thread that runs the io_context. No call blocks. Call Close (or destroy the
// proxy) while the io_context is alive; handlers that are still queued then do nothing.
#ifndef DOUBLEHOLD_FAULTS_PROXY_PROXY_H_
#define DOUBLEHOLD_FAULTS_PROXY_PROXY_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "faults/cluster.h"
#include "faults/proxy/greeting.h"
#include "faults/proxy/protocol.h"
#include "lib/base/address.h"
#include "lib/base/prng.h"
#include "lib/base/result.h"

namespace doublehold {

class Proxy {
 public:
  // `prng` is the source of randomness. Each rule draws from a stream of its own, numbered by the
  // order in which the rules are set.
  Proxy(boost::asio::io_context& io, Prng prng, std::string listen_on = "127.0.0.1");
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // Listens on a port that the kernel chooses, and returns it. Each accepted connection connects to
  // `upstream` once, and sends the greeting. If no node listens there, the connection is reset.
  // Rules act on the frames of `protocol`.
  [[nodiscard]] Result<uint16_t> AddLink(LinkId link, NodeAddress upstream,
                                         Protocol protocol = Protocol::kRedis,
                                         Greeting greeting = {});
  // Sets the upstream of connections that are accepted from now on.
  void Redirect(LinkId link, NodeAddress upstream);

  // Sets a rule for frames that arrive from now on. The rules of a link are tried in the order in
  // which they were set; the first match decides. `on_limit_reached` is called from the io_context,
  // never from within a call of this class, and never after ClearLink. The link must have been
  // added.
  RuleId SetLink(LinkId link, LinkRule rule);

  // Removes a rule. Frames that the rule delays or holds are released, in order, before ClearLink
  // returns. Returns the rule's report, or an empty report if the rule does not exist.
  RuleReport ClearLink(RuleId rule);
  // Returns the report of a rule so far.
  [[nodiscard]] RuleReport Report(RuleId rule) const;

  // Returns the traffic of a link so far; zeros if the link was not added.
  [[nodiscard]] LinkTraffic Traffic(LinkId link) const;

  // Resets the connections of a link, as a failed peer does. New connections are accepted.
  void ResetConnections(LinkId link);

  // Closes all ports and connections, and drops all rules and pending frames. Later calls have no
  // effect.
  void Close();

  // The number of connections that are open or have frames to deliver.
  [[nodiscard]] size_t connections() const;
  // The number of rules that are set.
  [[nodiscard]] size_t rules() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_PROXY_H_
