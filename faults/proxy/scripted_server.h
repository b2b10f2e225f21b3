// Test fixture: a server that plays one side of a recorded conversation.
#ifndef DOUBLEHOLD_FAULTS_PROXY_SCRIPTED_SERVER_H_
#define DOUBLEHOLD_FAULTS_PROXY_SCRIPTED_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/address.h"
#include "lib/base/check.h"

namespace doublehold {

// The server sends `reply` when all bytes of `request` have arrived; at once if there are none.
struct Exchange {
  std::string request;
  std::string reply;
};

// Serves one connection, on a thread of its own.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<Exchange> script)
      : script_(std::move(script)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof(address);
    CHECK(bind(listener_, any, bytes) == 0 && listen(listener_, 1) == 0);
    CHECK(getsockname(listener_, any, &bytes) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~ScriptedServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] NodeAddress address() const { return {.port = port_}; }
  // The number of exchanges whose request has arrived.
  [[nodiscard]] size_t answered() const { return answered_; }

 private:
  void Serve() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    for (const Exchange& exchange : script_) {
      std::string received(exchange.request.size(), '\0');
      if (!received.empty() && recv(client, received.data(), received.size(), MSG_WAITALL) !=
                                   static_cast<ssize_t>(received.size())) {
        break;
      }
      if (received != exchange.request) break;
      ++answered_;
      send(client, exchange.reply.data(), exchange.reply.size(), MSG_NOSIGNAL);
    }
    std::array<char, 64> rest{};
    while (recv(client, rest.data(), rest.size(), 0) > 0) {
    }
    close(client);
  }

  const std::vector<Exchange> script_;
  const int listener_;
  uint16_t port_ = 0;
  std::atomic<size_t> answered_ = 0;
  std::thread thread_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_SCRIPTED_SERVER_H_
