#include "faults/proxy/proxy.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "faults/proxy/rules.h"
#include "faults/proxy/session.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

using boost::asio::posix::descriptor_base;
using boost::system::error_code;

// Fits one recv of a pipelining client; a larger buffer is not faster.
constexpr size_t kScratchBytes = 65'536;
constexpr int kBacklog = 1024;
// When the process has no descriptor left, a connection waits in the backlog.
constexpr Duration kAcceptAgain = 10ms;

Result<uint16_t> Listen(int fd, const std::string& host) {
  // On loopback nothing is lost or queued, so a congestion control that paces sends, such as bbr,
  // only costs time. Accepted connections inherit this setting. If the system refuses it, the
  // default works as well.
  constexpr std::string_view kPlainest = "reno";
  if (fd < 0)
    return EnvironmentFailed(fmt::format("cannot listen on {}: {}", host, std::strerror(errno)));
  setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kPlainest.data(), kPlainest.size());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  socklen_t bytes = sizeof(address);
  if (bind(fd, any, bytes) != 0 || listen(fd, kBacklog) != 0 || getsockname(fd, any, &bytes) != 0) {
    return EnvironmentFailed(fmt::format("cannot listen on {}: {}", host, std::strerror(errno)));
  }
  return ntohs(address.sin_port);
}

}  // namespace

class Proxy::Impl : public std::enable_shared_from_this<Proxy::Impl> {
 public:
  Impl(boost::asio::io_context& io, Prng prng, std::string listen_on)
      : io_(io),
        prng_(prng),
        listen_on_(std::move(listen_on)),
        poller_(Poller::Create(io)),
        scratch_(kScratchBytes) {}

  Result<uint16_t> AddLink(LinkId id, NodeAddress upstream, Protocol protocol, Greeting greeting);
  void Redirect(LinkId id, NodeAddress upstream);
  RuleId SetLink(LinkId id, LinkRule spec);
  RuleReport ClearLink(RuleId id);
  [[nodiscard]] RuleReport Report(RuleId id) const;
  [[nodiscard]] LinkTraffic Traffic(LinkId id) const;
  void ResetConnections(LinkId id);
  void Close();
  [[nodiscard]] size_t connections() const;
  [[nodiscard]] size_t rules() const { return rules_.size(); }

 private:
  struct Link {
    Link(boost::asio::io_context& io, NodeAddress leads_to, Protocol protocol, Greeting greets,
         int listener)
        : upstream(std::move(leads_to)),
          protocol(protocol),
          greeting(std::move(greets)),
          listener(io, listener),
          accept_again(io) {}
    NodeAddress upstream;
    const Protocol protocol;
    const Greeting greeting;
    boost::asio::posix::stream_descriptor listener;
    boost::asio::steady_timer accept_again;
    LinkRules rules;
    LinkTraffic traffic;
    std::set<std::shared_ptr<ProxySession>> sessions;
  };
  struct SetRule {
    LinkId link;
    std::shared_ptr<ActiveRule> rule;
  };

  void WaitForClient(Link& link);
  void Accept(Link& link);
  void Open(Link& link, int client);

  boost::asio::io_context& io_;
  Prng prng_;
  std::string listen_on_;
  std::shared_ptr<Poller> poller_;
  SpinBudget spin_;
  std::vector<char> scratch_;
  // Map nodes keep their addresses: sessions refer to a link's rules.
  std::map<LinkId, Link> links_;
  std::map<RuleId, SetRule> rules_;
  RuleId last_rule_ = 0;
  bool closed_ = false;
};

Result<uint16_t> Proxy::Impl::AddLink(LinkId id, NodeAddress upstream, Protocol protocol,
                                      Greeting greeting) {
  CHECK(!closed_ && !links_.contains(id));
  constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
  if (upstream.unix_path.size() > kMaxPath) {
    return EnvironmentFailed(
        fmt::format("socket path {} has {} bytes, the system allows {}: choose a shorter folder",
                    upstream.unix_path, upstream.unix_path.size(), kMaxPath));
  }
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  Result<uint16_t> port = Listen(fd, listen_on_);
  if (!port) {
    if (fd >= 0) close(fd);
    return port;
  }
  const auto [at, added] =
      links_.try_emplace(id, io_, std::move(upstream), protocol, std::move(greeting), fd);
  WaitForClient(at->second);
  return port;
}

void Proxy::Impl::Redirect(LinkId id, NodeAddress upstream) {
  const auto link = links_.find(id);
  CHECK(link != links_.end());
  link->second.upstream = std::move(upstream);
}

void Proxy::Impl::WaitForClient(Link& link) {
  link.listener.async_wait(descriptor_base::wait_read,
                           [&link, weak = weak_from_this()](error_code error) {
                             const std::shared_ptr<Impl> self = weak.lock();
                             if (self && !self->closed_ && !error) self->Accept(link);
                           });
}

void Proxy::Impl::Accept(Link& link) {
  for (;;) {
    const int client =
        accept4(link.listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client >= 0) {
      Open(link, client);
      continue;
    }
    if (errno == EAGAIN) return WaitForClient(link);
    if (errno == EINTR || errno == ECONNABORTED) continue;
    break;
  }
  link.accept_again.expires_after(kAcceptAgain);
  link.accept_again.async_wait([&link, weak = weak_from_this()](error_code error) {
    const std::shared_ptr<Impl> self = weak.lock();
    if (self && !self->closed_ && !error) self->Accept(link);
  });
}

void Proxy::Impl::Open(Link& link, int client) {
  const int on = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // The link owns the session. A session that ends removes itself from the link.
  auto entry = std::make_shared<std::weak_ptr<ProxySession>>();
  auto session = std::make_shared<ProxySession>(
      SessionEnv{*poller_, spin_, scratch_}, link.rules, link.traffic, MakeWire(link.protocol),
      link.upstream, link.greeting, client, [&link, entry] {
        if (auto over = entry->lock()) link.sessions.erase(over);
      });
  *entry = session;
  link.sessions.insert(session);
  session->Start();
}

RuleId Proxy::Impl::SetLink(LinkId id, LinkRule spec) {
  if (closed_) return 0;
  const auto link = links_.find(id);
  CHECK(link != links_.end());
  const RuleId number = ++last_rule_;
  auto rule = std::make_shared<ActiveRule>(io_, number, std::move(spec),
                                           Prng(prng_.Next(), "rule", number));
  link->second.rules.Add(rule);
  rules_[rule->id()] = {id, rule};
  return rule->id();
}

RuleReport Proxy::Impl::ClearLink(RuleId id) {
  const auto found = rules_.find(id);
  if (found == rules_.end()) return {};
  const SetRule set = std::move(found->second);
  rules_.erase(found);
  Link& link = links_.at(set.link);
  set.rule->Clear();
  link.rules.Remove(*set.rule);
  // Iterates over a copy, because a session that finishes removes itself.
  const auto sessions = link.sessions;
  for (const std::shared_ptr<ProxySession>& session : sessions) session->Release(*set.rule);
  return set.rule->report();
}

RuleReport Proxy::Impl::Report(RuleId id) const {
  const auto found = rules_.find(id);
  return found == rules_.end() ? RuleReport{} : found->second.rule->report();
}

LinkTraffic Proxy::Impl::Traffic(LinkId id) const {
  const auto found = links_.find(id);
  return found == links_.end() ? LinkTraffic{} : found->second.traffic;
}

void Proxy::Impl::ResetConnections(LinkId id) {
  if (closed_) return;
  const auto link = links_.find(id);
  CHECK(link != links_.end());
  // Iterates over a copy, because a session that ends removes itself.
  const auto sessions = link->second.sessions;
  for (const std::shared_ptr<ProxySession>& session : sessions) session->Reset();
}

void Proxy::Impl::Close() {
  if (closed_) return;
  closed_ = true;
  for (auto& [id, set] : rules_) set.rule->Clear();
  rules_.clear();
  for (auto& [id, link] : links_) {
    for (const std::shared_ptr<ProxySession>& session : link.sessions) session->Abort();
    link.sessions.clear();
    error_code ignored;
    link.accept_again.cancel(ignored);
    link.listener.close(ignored);
  }
  poller_->Close();
}

size_t Proxy::Impl::connections() const {
  size_t sum = 0;
  for (const auto& [id, link] : links_) sum += link.sessions.size();
  return sum;
}

Proxy::Proxy(boost::asio::io_context& io, Prng prng, std::string listen_on)
    : impl_(std::make_shared<Impl>(io, prng, std::move(listen_on))) {}
Proxy::~Proxy() { impl_->Close(); }

Result<uint16_t> Proxy::AddLink(LinkId link, NodeAddress upstream, Protocol protocol,
                                Greeting greeting) {
  return impl_->AddLink(link, std::move(upstream), protocol, std::move(greeting));
}
void Proxy::Redirect(LinkId link, NodeAddress upstream) {
  impl_->Redirect(link, std::move(upstream));
}
RuleId Proxy::SetLink(LinkId link, LinkRule rule) { return impl_->SetLink(link, std::move(rule)); }
RuleReport Proxy::ClearLink(RuleId rule) { return impl_->ClearLink(rule); }
RuleReport Proxy::Report(RuleId rule) const { return impl_->Report(rule); }
LinkTraffic Proxy::Traffic(LinkId link) const { return impl_->Traffic(link); }
void Proxy::ResetConnections(LinkId link) { impl_->ResetConnections(link); }
void Proxy::Close() { impl_->Close(); }
size_t Proxy::connections() const { return impl_->connections(); }
size_t Proxy::rules() const { return impl_->rules(); }

}  // namespace doublehold
