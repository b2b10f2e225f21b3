#include "compose/cluster/links.h"

namespace doublehold {

Result<uint16_t> Links::Add(LinkId link, const NodeAddress& to, Protocol protocol,
                            const Greeting& greeting) {
  const Result<uint16_t> port = proxy_.AddLink(link, to, protocol, greeting);
  if (port && cuts_ != nullptr) cuts_->AddLink(link, *port);
  return port;
}

void Links::Redirect(LinkId link, const NodeAddress& to) {
  if (cuts_ != nullptr && !cuts_->links().contains(link)) return;
  proxy_.Redirect(link, to);
}

void Links::FollowTakeover(LinkId link, const NodeAddress& to) {
  Redirect(link, to);
  Reset(link);
  if (tell_of_takeover_) tell_of_takeover_(link.node);
}

std::string Links::HostOf(int node) const {
  const OwnNetwork own = NetworkOf({ProcessRef::Kind::kNode, node});
  return own.host.empty() ? "127.0.0.1" : own.host;
}

OwnNetwork Links::NetworkOf(ProcessRef ref) const {
  if (network_ == nullptr) return {};
  return {.fd = network_->Of(ref), .host = network_->AddressOf(ref)};
}

}  // namespace doublehold
