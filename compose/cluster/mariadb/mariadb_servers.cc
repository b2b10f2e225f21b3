// MariaDB: one server, or a Galera cluster. Clients reach a server by a unix socket in its folder.
// The members of a cluster reach each other directly, not through the proxy.
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "compose/cluster/mariadb/galera.h"
#include "compose/cluster/service.h"
#include "lib/base/check.h"
#include "lib/locks/registry.h"
#include "lib/mariadb/session.h"
#include "lib/os/mariadb_program.h"
#include "lib/os/run_tool.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr Duration kMemberPatience = std::chrono::milliseconds(200);
constexpr Duration kGaleraRejoinPatience = std::chrono::seconds(10);

// Returns the version in "mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for ...".
Result<std::string> VersionOfMariaDb(const std::string& program) {
  const RunResult run = TRY(RunToEnd({program, "--no-defaults", "--version"}));
  constexpr std::string_view kBefore = "Ver ";
  const size_t at = run.output.find(kBefore);
  if (!run.succeeded() || at == std::string::npos)
    return EnvironmentFailed(fmt::format("{}: does not tell its version", program));
  const size_t from = at + kBefore.size();
  return run.output.substr(from, run.output.find_first_of("- ", from) - from);
}

Result<ServerProgram> FindMariaDbServer(const std::string& path) {
  if (!HasMariaDb()) {
    return EnvironmentFailed(
        "MariaDB: built without its C client; install the Debian package libmariadb-dev "
        "(./setup.sh --services), and build again");
  }
  const std::string program = path.empty() ? TRY(FindMariaDb()).string() : path;
  return ServerProgram{.path = program, .version = TRY(VersionOfMariaDb(program))};
}

// A packet of MariaDB's protocol: the length of the body in three bytes, its number, and the body.
std::string MariaDbPacket(char number, const std::string& body) {
  std::string packet;
  for (size_t length = body.size(), byte = 0; byte < 3; ++byte, length >>= 8U)
    packet += static_cast<char>(length & 0xFFU);
  return packet + number + body;
}

// The answer to the greeting: what the client can do, the longest packet, a character set, 23 zero
// bytes, the user, and no password.
std::string LoginPacket() {
  constexpr uint32_t kProtocol41 = 0x200, kSecureConnection = 0x8000;
  const uint32_t abilities = kProtocol41 | kSecureConnection;
  std::string body(reinterpret_cast<const char*>(&abilities), sizeof abilities);
  body += std::string("\0\0\0\1\x21", 5) + std::string(23, '\0') + kMariaDbName;
  return MariaDbPacket(1, body + std::string(2, '\0'));
}

// The answers to a login, if it was sent, and to a query of one value.
class MariaDbAnswer {
 public:
  // Returns the value once the answer is complete; an empty text if the server refused.
  std::optional<std::string> Hear(std::string_view bytes) {
    unread_ += bytes;
    while (unread_.size() > kHeader) {
      const size_t length = LengthOf(unread_);
      if (unread_.size() < kHeader + length) break;
      const std::string body = unread_.substr(kHeader, length);
      unread_.erase(0, kHeader + length);
      if (std::optional<std::string> value = Read(body)) return value;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kHeader = 4;
  static size_t LengthOf(const std::string& packet) {
    size_t length = 0;
    for (size_t byte = 3; byte-- > 0;)
      length = length << 8U | static_cast<unsigned char>(packet[byte]);
    return length;
  }

  // The packets of a result: the number of columns, the column, EOF, the row, EOF.
  std::optional<std::string> Read(const std::string& body) {
    constexpr char kOk = '\0', kError = '\xFF', kEnd = '\xFE', kGreeting = '\x0A';
    if (body[0] == kError) return "";
    if (ends_ == 0 && (body[0] == kOk || (columns_ == 0 && body[0] == kGreeting)))
      return std::nullopt;
    if (body[0] == kEnd) return ++ends_ == 2 ? std::optional(value_) : std::nullopt;
    if (ends_ == 0) ++columns_;
    if (ends_ == 1) value_ = body.substr(1);  // after its length in one byte
    return std::nullopt;
  }

  std::string unread_;
  std::string value_;
  int columns_ = 0;
  int ends_ = 0;
};

Question MariaDbQuestion(const std::string& query,
                         std::function<bool(const std::string& value)> is_hoped) {
  constexpr char kQuery = 3;
  return {.bytes = MariaDbPacket(0, kQuery + query),
          .hear =
              [answer = std::make_shared<MariaDbAnswer>(), is_hoped = std::move(is_hoped)](
                  std::string_view bytes, bool) {
                const std::optional<std::string> value = answer->Hear(bytes);
                if (!value) return Question::Heard::kIncomplete;
                return is_hoped(*value) ? Question::Heard::kYes : Question::Heard::kNo;
              },
          .opening = LoginPacket()};
}

// Parses microseconds since the epoch.
std::optional<Duration> ReadMariaDbTime(const std::string& value) {
  int64_t us = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, us);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return std::chrono::microseconds(us);
}

class MariaDbServers final : public Service {
 public:
  using Service::Service;

  Result<void> Prepare() override {
    if (ServersOf(parts_.plan) == 1) return {};
    const fs::path folder = parts_.folder / "galera";
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return EnvironmentFailed(fmt::format("{}: {}", folder.string(), code.message()));
    galera_ = TRY(Galera::Create(parts_.program.path, folder, ServersOf(parts_.plan)));
    return {};
  }

  Result<SpawnRequest> CommandOf(int node) override {
    if (galera_) return galera_->StartOf(node, DataOf(node), AddressOf(node).unix_path);
    std::error_code code;
    fs::create_directories(DataOf(node), code);
    if (code) {
      return EnvironmentFailed(fmt::format("{}: {}", DataOf(node).string(), code.message()));
    }
    return SpawnRequest{
        .argv = MariaDbCommand(parts_.program.path, DataOf(node), AddressOf(node).unix_path)};
  }

  [[nodiscard]] NodeAddress AddressOf(int node) const override {
    return {.unix_path = (FolderOf(node) / "socket").string()};
  }

  [[nodiscard]] Question Ping() const override {
    return MariaDbQuestion("SELECT 1", [](const std::string& value) { return value == "1"; });
  }

  [[nodiscard]] std::optional<Question> AskTime(TellTime tell) const override {
    return MariaDbQuestion("SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)",
                           [tell = std::move(tell)](const std::string& value) {
                             const std::optional<Duration> time = ReadMariaDbTime(value);
                             if (time) tell(*time);
                             return time.has_value();
                           });
  }

  void Operate(int /*node*/, const std::vector<std::string>& /*command*/, Duration /*timeout*/,
               std::function<void(CallResult)> /*answer*/) override {
    CHECK(false);  // the plan refuses operators' commands
  }

  std::string FindMissing() override {
    for (int node = 1; galera_ && node <= ServersOf(parts_.plan); ++node) {
      if (AskNow(AddressOf(node), IsSynced(), kMemberPatience) != Answered::kYes)
        return fmt::format("MariaDB {} is no synced member of the Galera cluster", node);
    }
    return "";
  }

  Rejoining AfterRestart(int /*node*/) override {
    if (!galera_) return {};
    return {.question = IsSynced, .patience = kGaleraRejoinPatience};
  }

  // Only renames the data, since a removal takes long. The folder goes at the end of the run.
  void ForgetData(int node) override {
    std::error_code ignored;  // there may be none yet
    fs::rename(DataOf(node), DataOf(node).string() + fmt::format(".{}", ++forgotten_), ignored);
  }

 private:
  [[nodiscard]] fs::path DataOf(int node) const { return FolderOf(node) / "data"; }
  static Question IsSynced() {
    return MariaDbQuestion(
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
        "WHERE VARIABLE_NAME = 'wsrep_local_state_comment'",
        [](const std::string& value) { return value == "Synced"; });
  }

  std::optional<Galera> galera_;
  int forgotten_ = 0;
};

}  // namespace

ServiceEntry MariaDbEntry() {
  return {.facts = {.name = kMariaDbService,
                    .title = "MariaDB",
                    .topologies = {"single", "ensemble"},
                    .tells_time = true,
                    .data = {"empty", "aof"},
                    .data_in_ensemble = {"aof"}},
          .protocol = Protocol::kMySql,
          .find = FindMariaDbServer,
          .make = [](Service::Parts parts) -> std::unique_ptr<Service> {
            return std::make_unique<MariaDbServers>(std::move(parts));
          }};
}

}  // namespace doublehold
