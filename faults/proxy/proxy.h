// The network between clients and nodes: one listening TCP port a link, each connection forwarded
// to where the node listens, frame by frame, under the rules that are set on the link.
//
// A link without rules forwards at once, in one write. Frames of one connection and direction never
// overtake each other. What was received stays on its way: when a client closes, the frames it sent
// are still delivered, as bytes in flight are.
//
// Thread rule: the thread that runs the io_context. Nothing waits. Call Close (or destroy) it while
// the io_context is alive; handlers that are still queued then do nothing.
#ifndef DOUBLEHOLD_FAULTS_PROXY_PROXY_H_
#define DOUBLEHOLD_FAULTS_PROXY_PROXY_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "faults/cluster.h"
#include "lib/base/prng.h"
#include "lib/base/result.h"
#include "lib/redis/address.h"

namespace doublehold {

class Proxy {
 public:
  // `prng` draws what rules leave to chance: each has a stream of its own, by the order in which
  // they are set.
  Proxy(boost::asio::io_context& io, Prng prng, std::string listen_on = "127.0.0.1");
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // Listens at a port the kernel chooses, and answers it. Nothing need listen at `upstream` yet: it
  // is connected to once for each connection accepted, and a connection whose node is not there is
  // reset.
  [[nodiscard]] Result<uint16_t> AddLink(LinkId link, NodeAddress upstream);
  // Where connections of the link that are accepted from now on lead.
  void Redirect(LinkId link, NodeAddress upstream);

  // For frames that arrive from now on. Rules of a link are asked in the order they were set; the
  // first that matches decides. `on_spent` is called from the io_context, never from inside a call
  // of this class, and never after ClearLink. The link must have been added.
  RuleId SetLink(LinkId link, LinkRule rule);

  // Removes a rule: what it still delays or holds is released at once, in order, before this
  // returns. Answers what it did; nothing for a rule that is not there.
  RuleReport ClearLink(RuleId rule);
  // What a rule has done so far.
  [[nodiscard]] RuleReport Report(RuleId rule) const;

  // Resets the connections of a link, as a lost or moved peer does; new ones are accepted.
  void ResetConnections(LinkId link);

  // Closes ports and connections and forgets all rules and pending frames. Later calls do nothing.
  void Close();

  // Connections that are open, or have frames still to deliver.
  [[nodiscard]] size_t connections() const;
  // Rules that were set and not removed.
  [[nodiscard]] size_t rules() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_PROXY_H_
