#include "compose/cluster/redis/external_reach.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>

#include "lib/base/file_kind.h"
#include "lib/base/words.h"
#include "lib/os/run_tool.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/redis/socket.h"

namespace doublehold {
namespace {

std::string Password() {
  const char* password = std::getenv(kPasswordVariable);
  return password == nullptr ? "" : password;
}

}  // namespace

std::vector<std::vector<std::string>> OpeningOf(const Endpoint& endpoint) {
  std::vector<std::vector<std::string>> commands;
  const std::string password = Password();
  if (!endpoint.user.empty()) {
    commands.push_back({"AUTH", endpoint.user, password});
  } else if (!password.empty()) {
    commands.push_back({"AUTH", password});
  }
  if (endpoint.database != 0) commands.push_back({"SELECT", std::to_string(endpoint.database)});
  return commands;
}

Greeting GreetingOf(const Endpoint& endpoint) {
  Greeting greeting;
  for (const std::vector<std::string>& command : OpeningOf(endpoint)) {
    greeting.bytes += FormatCommand(std::vector<std::string_view>(command.begin(), command.end()));
    ++greeting.commands;
  }
  return greeting;
}

Result<std::string> Resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    hints.ai_family = AF_INET6;
    if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0)
      return EnvironmentFailed(gai_strerror(error));
    freeaddrinfo(found);
    return EnvironmentFailed("has only addresses of IPv6, which are not supported");
  }
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr, text.data(),
            text.size());
  freeaddrinfo(found);
  return std::string(text.data());
}

Result<NodeAddress> Encrypt(const Service::Parts& parts, int node, const Endpoint& endpoint) {
  constexpr const char* kProgram = "stunnel";
  constexpr const char* kUsualAuthorities = "/etc/ssl/certs/ca-certificates.crt";
  const std::string missing = "stunnel: not found; install the Debian package stunnel4";
  if (TRY(RunToEnd({kProgram, "-version"}, {.with_errors = true, .if_missing = missing}))
          .output.empty())
    return EnvironmentFailed(missing);
  const char* chosen = std::getenv("SSL_CERT_FILE");  // as with every program that uses OpenSSL
  const std::string authorities = chosen == nullptr ? kUsualAuthorities : chosen;
  if (const std::string why = WhyNotReadable(authorities); !why.empty())
    return EnvironmentFailed(fmt::format(
        "{}{}: {}", chosen == nullptr ? "" : "SSL_CERT_FILE=", OnOneLine(authorities), why));
  // stunnel would accept connections, and close them without a reason.
  const NodeAddress server{
      .unix_path = {}, .host = TRY(Resolve(endpoint.host)), .port = endpoint.port};
  if (const std::string why = Socket().Connect(server, RealMono() + kExternalPatience);
      !why.empty())
    return EnvironmentFailed(why);
  const std::filesystem::path settings = parts.folder / fmt::format("tls-{}.conf", node);
  const std::filesystem::path socket = parts.folder / fmt::format("tls-{}.sock", node);
  in_addr ignored{};
  const bool is_number = inet_pton(AF_INET, endpoint.host.c_str(), &ignored) == 1;
  std::ofstream out(settings);
  out << fmt::format(
      "foreground = yes\npid =\nsyslog = no\n[node]\nclient = yes\naccept = {}\nconnect = {}\n"
      "verifyChain = yes\nCAfile = {}\n{} = {}\nTIMEOUTclose = 0\n",
      socket.string(), Place(endpoint), authorities, is_number ? "checkIP" : "checkHost",
      endpoint.host);
  out.close();
  if (!out) return EnvironmentFailed(fmt::format("{}: cannot be written", settings.string()));
  TRY(parts.start({ProcessRef::Kind::kSentinel, node}, fmt::format("tls-{}", node),
                  {.argv = {kProgram, settings.string()}}));
  const NodeAddress listens{.unix_path = socket.string(), .host = {}, .port = 0};
  const MonoTime give_up = RealMono() + kExternalPatience;
  // The file alone proves nothing: it exists before the program accepts connections.
  while (!Socket().Connect(listens, give_up).empty()) {
    if (RealMono() >= give_up)
      return EnvironmentFailed(
          fmt::format("stunnel does not start with the certificates in {}; nodes/tls-{}.log of the "
                      "run's folder says why",
                      OnOneLine(authorities), node));
    std::this_thread::sleep_for(kLookAgain);
  }
  return listens;
}

}  // namespace doublehold
