#include "bench/protocol_latency.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/forwarders.h"
#include "lib/base/check.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int kLatencyBlocks = 11;
constexpr int kCalls = 2000;  // in a block

// What client and server say: the server's greeting, the client's hello and its answer, and then
// one request and its answer again and again. Each is one packet.
struct Talk {
  const char* name;
  Protocol protocol;
  std::string greeting, hello, welcome, request, reply;
};

// A literal with its zeros.
template <size_t kBytes>
std::string Bytes(const char (&text)[kBytes]) {
  return {text, kBytes - 1};
}
std::string BigEndian(uint32_t number) {
  const uint32_t bytes = htonl(number);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}
std::string Jute(const std::string& body) {
  return BigEndian(static_cast<uint32_t>(body.size())) + body;
}
std::string Typed(char type, const std::string& body) {
  return type + BigEndian(static_cast<uint32_t>(body.size()) + 4) + body;
}
std::string Packet(char number, const std::string& body) {
  return std::string{static_cast<char>(body.size()), 0, 0, number} + body;
}

std::vector<Talk> MakeTalks() {
  const std::string ready = Typed('Z', "I");
  const std::string end = Bytes("\xfe\0\0\2\0");
  return {
      {"redis", Protocol::kRedis, "", "", "", "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n",
       "+OK\r\n"},
      {"zookeeper", Protocol::kZooKeeper, "", Jute(std::string(45, '\0')),
       Jute(std::string(37, '\0')),
       Jute(BigEndian(1) + BigEndian(3) + Jute("/lock/a") + Bytes("\0")),
       Jute(BigEndian(1) + std::string(12, '\0') + std::string(68, '\0'))},
      {"postgres", Protocol::kPostgres, "",
       BigEndian(23) + BigEndian(196608) + Bytes("user\0postgres\0\0"),
       Typed('R', BigEndian(0)) + ready, Typed('Q', Bytes("SELECT 1\0")),
       Typed('T', std::string(27, '\0')) + Typed('D', Bytes("\0\1\0\0\0\1") + "1") +
           Typed('C', Bytes("SELECT 1\0")) + ready},
      {"mysql", Protocol::kMySql, Packet(0, "\x0a" + Bytes("10.11\0")),
       Packet(1, std::string(4, '\0') + std::string(40, 'u')), Packet(2, Bytes("\0\0\0\2\0\0\0")),
       Packet(0, "\3SELECT 1"),
       Packet(1, "\1") + Packet(2, "\3def") + Packet(3, end) + Packet(4, Bytes("\1") + "1") +
           Packet(5, end)},
      {"http", Protocol::kHttp, "", "", "",
       "POST /v3/kv/range HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
       "14\r\n\r\n{\"key\":\"Zm9v\"}",
       "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"},
  };
}

void SendAll(int fd, std::string_view bytes) {
  CHECK(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

// Returns false when the other side has closed the connection.
bool ReceiveAll(int fd, size_t bytes) {
  std::array<char, 4096> buffer{};
  while (bytes > 0) {
    const ssize_t got = recv(fd, buffer.data(), std::min(bytes, buffer.size()), 0);
    if (got <= 0) return false;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

void DoNotDelay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Serves one connection after the other.
std::unique_ptr<Forwarder> StartServer(const Talk& talk) {
  return std::make_unique<Forwarder>(Place::kOneCore, 1, [&](int ports) {
    uint16_t port = 0;
    const int listener = ListenAnywhere(port);
    Tell(ports, port);
    for (;;) {
      const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      DoNotDelay(client);
      SendAll(client, talk.greeting);
      if (ReceiveAll(client, talk.hello.size())) SendAll(client, talk.welcome);
      while (ReceiveAll(client, talk.request.size())) SendAll(client, talk.reply);
      close(client);
    }
  });
}

int ConnectTo(const Talk& talk, uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  CHECK(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  DoNotDelay(fd);
  CHECK(ReceiveAll(fd, talk.greeting.size()));
  SendAll(fd, talk.hello);
  CHECK(ReceiveAll(fd, talk.welcome.size()));
  return fd;
}

double MedianMicroseconds(const Talk& talk, uint16_t port) {
  const int fd = ConnectTo(talk, port);
  std::vector<int64_t> taken_ns;
  for (int call = 0; call < kCalls; ++call) {
    const MonoTime begun = RealMono();
    SendAll(fd, talk.request);
    CHECK(ReceiveAll(fd, talk.reply.size()));
    taken_ns.push_back(ToNs(RealMono() - begun));
  }
  close(fd);
  std::ranges::nth_element(taken_ns, taken_ns.begin() + kCalls / 2);
  return static_cast<double>(taken_ns[kCalls / 2]) / 1000.0;
}

}  // namespace

json MeasureProtocols() {
  const std::vector<Talk> talks = MakeTalks();
  std::vector<std::unique_ptr<Forwarder>> servers;
  std::vector<std::unique_ptr<Forwarder>> proxies;
  for (const Talk& talk : talks) {
    servers.push_back(StartServer(talk));
    proxies.push_back(
        StartProxy(Place::kOneCore, {.port = servers.back()->port()}, 1, {}, talk.protocol));
  }
  json result;
  for (int block = 0; block < kLatencyBlocks; ++block) {
    for (size_t i = 0; i < talks.size(); ++i) {
      json& times = result[talks[i].name];
      times["direct_us"].push_back(MedianMicroseconds(talks[i], servers[i]->port()));
      times["proxy_us"].push_back(MedianMicroseconds(talks[i], proxies[i]->port()));
    }
  }
  return result;
}

}  // namespace doublehold
