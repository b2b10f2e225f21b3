// Measures the cost of the proxy and the precision of its delays. Compares the proxy with a direct
// connection, with a minimal forwarding loop, and with Toxiproxy if its program is given. The
// compared sides take turns in short blocks, pinned to the same cores. Prints JSON.
//
//   bench_proxy [--toxiproxy PROGRAM] [--only ways|pipeline|delays] [redis-server]
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/forwarders.h"
#include "bench/hiccups.h"
#include "bench/servers.h"
#include "lib/base/check.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using nlohmann::json;
using Action = LinkRule::Action;

constexpr int kBlocks = 11;
constexpr Duration kBlock = 200ms;
constexpr size_t kPipeline = 16;
constexpr int kManyClients = 50;
constexpr Duration kHiccup = 300us;  // a core that wakes later than this counts as not running
constexpr Duration kShortly = 1ms;
constexpr int kStaggered = 20;  // number of links, whose requests follow one another

constexpr std::string_view kSet = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
constexpr std::string_view kOk = "+OK\r\n";

// A blocking connection that sends SET k v.
class RawClient {
 public:
  explicit RawClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  void Send(std::string_view bytes = kSet) const {
    CHECK(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
  }
  void Receive(size_t replies = 1) const {
    std::array<char, 4096> buffer{};
    for (size_t left = replies * kOk.size(); left > 0;) {
      const ssize_t got = recv(fd_, buffer.data(), std::min(left, buffer.size()), 0);
      CHECK(got > 0);
      left -= static_cast<size_t>(got);
    }
  }

 private:
  int fd_;
};

struct Measured {
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
};

Measured Summary(std::vector<int64_t>& taken_ns, Duration elapsed) {
  const auto at = [&](double share) {
    const auto place =
        static_cast<std::ptrdiff_t>(share * static_cast<double>(taken_ns.size() - 1));
    std::ranges::nth_element(taken_ns, taken_ns.begin() + place);
    return static_cast<double>(taken_ns[static_cast<size_t>(place)]) / 1000.0;
  };
  return {static_cast<double>(taken_ns.size()) / ToSeconds(elapsed), at(0.5), at(0.99)};
}

Measured OneByOne(const RawClient& client) {
  std::vector<int64_t> taken_ns;
  const MonoTime begun = RealMono();
  MonoTime now = begun;
  while (now < begun + kBlock) {
    client.Send();
    client.Receive();
    const MonoTime after = RealMono();
    taken_ns.push_back(ToNs(after - now));
    now = after;
  }
  return Summary(taken_ns, now - begun);
}

double Pipelined(const RawClient& client) {
  std::string commands;
  for (size_t i = 0; i < kPipeline; ++i) commands += kSet;
  int64_t count = 0;
  const MonoTime begun = RealMono();
  while (RealMono() < begun + kBlock) {
    client.Send(commands);
    client.Receive(kPipeline);
    count += kPipeline;
  }
  return static_cast<double>(count) / ToSeconds(RealMono() - begun);
}

using RawClients = std::vector<std::unique_ptr<RawClient>>;

RawClients ManyClients(uint16_t port, int count) {
  RawClients clients;
  for (int i = 0; i < count; ++i) clients.push_back(std::make_unique<RawClient>(port));
  return clients;
}

// Each client sends its next request as soon as it has a reply.
Measured AllAtOnce(const RawClients& clients) {
  const int ready = epoll_create1(EPOLL_CLOEXEC);
  std::vector<MonoTime> sent(clients.size());
  for (size_t i = 0; i < clients.size(); ++i) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    CHECK(epoll_ctl(ready, EPOLL_CTL_ADD, clients[i]->fd(), &event) == 0);
    sent[i] = RealMono();
    clients[i]->Send();
  }
  std::vector<int64_t> taken_ns;
  std::array<epoll_event, kManyClients> events{};
  const MonoTime begun = RealMono();
  size_t waiting = clients.size();
  MonoTime now = begun;
  while (waiting > 0) {
    const int count = epoll_wait(ready, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const size_t number = events[static_cast<size_t>(i)].data.u64;
      clients[number]->Receive();
      now = RealMono();
      taken_ns.push_back(ToNs(now - sent[number]));
      sent[number] = now;
      if (now < begun + kBlock) {
        clients[number]->Send();
      } else {
        --waiting;
      }
    }
  }
  close(ready);
  return Summary(taken_ns, now - begun);
}

json Series(const std::vector<Measured>& blocks, double Measured::*what) {
  json values = json::array();
  for (const Measured& block : blocks) values.push_back(block.*what);
  return values;
}

// The connections from a client to the server, by name: direct, or through a forwarder.
struct Ways {
  std::map<std::string, uint16_t> ports;
  std::vector<std::unique_ptr<Forwarder>> forwarders;
};

Ways OpenWays(Place place, const BenchServers& servers, uint16_t direct_port,
              const std::string& toxiproxy) {
  Ways ways;
  ways.ports["direct"] = direct_port;
  const auto add = [&](const std::string& name, std::unique_ptr<Forwarder> forwarder) {
    ways.ports[name] = forwarder->port();
    ways.forwarders.push_back(std::move(forwarder));
  };
  add("proxy", StartProxy(place, {.unix_path = servers.Socket(0)}, 1, {}));
  add("bare", StartBareLoop(place, servers.Socket(0)));
  if (!toxiproxy.empty()) add("toxiproxy", StartToxiproxy(place, toxiproxy, direct_port));
  return ways;
}

json CompareWays(const Ways& ways) {
  std::map<std::string, RawClients> clients;
  std::map<std::string, std::vector<Measured>> one;
  std::map<std::string, std::vector<Measured>> many;
  for (const auto& [name, port] : ways.ports) clients[name] = ManyClients(port, kManyClients);
  for (int block = 0; block < kBlocks; ++block) {
    for (const auto& [name, all] : clients) {
      one[name].push_back(OneByOne(*all.front()));
      many[name].push_back(AllAtOnce(all));
    }
  }
  json result;
  for (const auto& [name, port] : ways.ports) {
    for (const auto& [key, blocks] : {std::pair{"one", &one[name]}, {"many", &many[name]}}) {
      result[key][name] = {{"per_s", Series(*blocks, &Measured::per_second)},
                           {"p50_us", Series(*blocks, &Measured::p50_us)},
                           {"p99_us", Series(*blocks, &Measured::p99_us)}};
    }
  }
  return result;
}

// All processes share one core. On two cores the benchmark would measure wake-ups between the
// cores.
json MeasurePipeline(const BenchServers& servers) {
  servers.Pin(Place::kOneCore);
  PinTo(Place::kOneCore);
  const auto proxy = StartProxy(Place::kOneCore, {.unix_path = servers.Socket(0)}, 1, {});
  const auto bare = StartBareLoop(Place::kOneCore, servers.Socket(0));
  const RawClient through(proxy->port());
  const RawClient looped(bare->port());
  json result{{"proxy_per_s", json::array()}, {"bare_per_s", json::array()}};
  for (int block = 0; block < kBlocks; ++block) {
    result["proxy_per_s"].push_back(Pipelined(through));
    result["bare_per_s"].push_back(Pipelined(looped));
  }
  return result;
}

void SleepUntil(MonoTime time) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(time.time_since_epoch()));
}

// Returns the median round trip of requests sent at intervals of `apart`. With a long interval the
// processes sleep between two requests, and wake slowly.
Duration RoundTrip(const RawClient& client, Duration apart, int count) {
  std::vector<Duration> taken;
  for (MonoTime next = RealMono(); count > 0; --count, next += apart) {
    SleepUntil(next);
    const MonoTime sent = RealMono();
    client.Send();
    client.Receive();
    taken.push_back(RealMono() - sent);
  }
  std::ranges::sort(taken);
  return taken[taken.size() / 2];
}

// Measures how late each reply arrives, compared with the requested delay. The links take turns, so
// that the replies arrive one by one, in the order of the links.
json MeasureDelay(const BenchServers& servers, Duration delay, int rounds) {
  const Duration apart = delay / (kStaggered + 1);
  const auto plain = StartProxy(Place::kOneCore, {.unix_path = servers.Socket(0)}, 1, {});
  const auto proxy = StartProxy(Place::kOneCore, {.unix_path = servers.Socket(0)}, kStaggered,
                                {{.action = Action::kDelay, .delay = delay}});
  const Duration round_trip = RoundTrip(RawClient(plain->port()), apart, 2 * kStaggered);
  RawClients clients;
  for (size_t link = 0; link < proxy->ports(); ++link) {
    clients.push_back(std::make_unique<RawClient>(proxy->port(link)));
  }
  json late_us = json::array();
  int left_out = 0;
  const Hiccups hiccups(kHiccup);
  for (int round = 0; round < rounds; ++round) {
    std::vector<MonoTime> sent;
    MonoTime next = RealMono();
    for (const auto& client : clients) {
      SleepUntil(next);
      next += apart;
      sent.push_back(RealMono());
      client->Send();
    }
    for (size_t i = 0; i < clients.size(); ++i) {
      clients[i]->Receive();
      const MonoTime received = RealMono();
      const Duration late = received - sent[i] - delay - round_trip;
      // Skips a reply if a core did not run when the request was sent, or near the end of the
      // delay.
      if (hiccups.During(sent[i], sent[i] + kShortly) ||
          hiccups.During(sent[i] + delay - kShortly, received)) {
        ++left_out;
        continue;
      }
      late_us.push_back(static_cast<double>(late.count()) / 1000.0);
    }
  }
  return {{"asked_ms", static_cast<double>(delay.count()) / 1e6},
          {"round_trip_us", static_cast<double>(round_trip.count()) / 1000.0},
          {"left_out", left_out},
          {"late_us", late_us}};
}

json MeasureDelays(const BenchServers& servers) {
  servers.Pin(Place::kOtherCore);
  PinTo(Place::kOtherCore);
  json delays = json::array();
  for (const auto& [delay, rounds] :
       {std::pair<Duration, int>{5ms, 20}, {50ms, 8}, {500ms, 3}, {2s, 2}}) {
    delays.push_back(MeasureDelay(servers, delay, rounds));
  }
  return delays;
}

int Main(const std::string& redis_server, const std::string& toxiproxy, const std::string& only) {
  const auto wanted = [&](std::string_view part) { return only.empty() || only == part; };
  // Sleeping threads wake without timer slack, as in a client of a run.
  prctl(PR_SET_TIMERSLACK, 1);
  const BenchServers servers(redis_server, 1);
  const uint16_t port = OpenPort(servers.Socket(0));
  servers.Pin(Place::kOneCore);
  PinTo(Place::kOneCore);
  json result;
  if (wanted("ways")) {
    const Ways ways = OpenWays(Place::kOneCore, servers, port, toxiproxy);
    result = CompareWays(ways);
  }
  if (wanted("pipeline")) result["pipeline"] = MeasurePipeline(servers);
  if (wanted("delays")) result["delays"] = MeasureDelays(servers);
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) {
  std::string toxiproxy;
  std::string only;
  std::string redis_server = "redis-server";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--toxiproxy" && i + 1 < argc) {
      toxiproxy = argv[++i];
    } else if (std::string_view(argv[i]) == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      redis_server = argv[i];
    }
  }
  return doublehold::Main(redis_server, toxiproxy, only);
}
