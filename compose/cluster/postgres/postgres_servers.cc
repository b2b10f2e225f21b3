// PostgreSQL: one server, which listens on a unix socket in its folder. Its data is copied from a
// template, which is created once on a machine.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "compose/cluster/service.h"
#include "lib/base/check.h"
#include "lib/locks/registry.h"
#include "lib/os/postgres_program.h"
#include "lib/os/run_tool.h"
#include "lib/postgres/session.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Copies the template if there is no data. Runs in the child, so that the copy holds up nobody.
constexpr const char* kCopyAndStart =
    "data=$1; template=$2; shift 2; "
    "[ -e \"$data\" ] || cp -a \"$template\" \"$data\" || exit 1; exec \"$@\"";

// Returns the version in "postgres (PostgreSQL) 15.6 (Debian 15.6-0+deb12u1)".
Result<std::string> VersionOfPostgres(const std::string& program) {
  const RunResult run = TRY(RunToEnd({program, "--version"}));
  std::string version = run.output.substr(std::min(run.output.find(") ") + 2, run.output.size()));
  version.resize(std::min(version.size(), version.find_first_of(" \n")));
  if (run.succeeded() && !version.empty()) return version;
  return EnvironmentFailed(fmt::format("{}: does not tell its version", program));
}

Result<ServerProgram> FindPostgresServer(const std::string& path) {
  if (!HasPostgres()) {
    return EnvironmentFailed(
        "PostgreSQL: built without libpq; install the Debian package libpq-dev "
        "(./setup.sh --services), and build again");
  }
  const std::string program = path.empty() ? TRY(FindPostgres()).string() : path;
  return ServerProgram{.path = program, .version = TRY(VersionOfPostgres(program))};
}

// Returns the folder of the template in the cache. Creates it beside, and renames it, so that it is
// always complete, and several runs may create it at once.
Result<fs::path> FindTemplate(const ServerProgram& program) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const fs::path base = cache != nullptr && *cache != '\0' ? fs::path(cache)
                        : home != nullptr                  ? fs::path(home) / ".cache"
                                                           : fs::temp_directory_path();
  const fs::path folder = base / "doublehold" / ("postgres-" + program.version);
  std::error_code code;
  if (fs::exists(folder / "PG_VERSION", code)) return folder;
  const fs::path fresh = folder.string() + fmt::format(".{}", getpid());
  fs::create_directories(folder.parent_path(), code);
  if (code) {
    return EnvironmentFailed(fmt::format("{}: {}", folder.parent_path().string(), code.message()));
  }
  TRY(CreatePostgresData(program.path, fresh));
  fs::rename(fresh, folder, code);
  if (code) fs::remove_all(fresh, code);
  if (fs::exists(folder / "PG_VERSION", code)) return folder;
  return EnvironmentFailed(fmt::format("{}: cannot be created", folder.string()));
}

// A message of PostgreSQL's protocol: a type, unless it is 0, the length, and the body.
std::string PostgresMessage(char type, const std::string& body) {
  const uint32_t bytes = htonl(static_cast<uint32_t>(body.size() + sizeof bytes));
  std::string message(type == 0 ? 0 : 1, type);
  message.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return message + body;
}

std::string StartupMessage() {
  std::string body("\0\3\0\0", 4);  // version 3.0 of the protocol
  for (const char* text : {"user", kPostgresName, "database", kPostgresName, ""})
    body.append(text, std::strlen(text) + 1);
  return PostgresMessage(0, body);
}

// The answer to the startup message, if it was sent, and to a query of one value.
class QueryAnswer {
 public:
  // Returns the value once the answer is complete; an empty text if the server refused.
  std::optional<std::string> Hear(std::string_view bytes, bool ended) {
    unread_ += bytes;
    while (unread_.size() >= kHeader) {
      const size_t end = 1 + Number(1);
      if (unread_.size() < end) break;
      const char type = unread_.front();
      // A row: the number of values, the length of the first value, the value.
      if (type == 'D' && end > kHeader + 6) value_ = unread_.substr(kHeader + 6, Number(7));
      if (type == 'E') refused_ = true;
      unread_.erase(0, end);
      // The first ReadyForQuery may be the end of the startup.
      if (type == 'Z' && (refused_ || !value_.empty())) return refused_ ? "" : value_;
    }
    return ended && refused_ ? std::optional(std::string()) : std::nullopt;
  }

 private:
  static constexpr size_t kHeader = 5;

  [[nodiscard]] size_t Number(size_t at) const {
    uint32_t number = 0;
    std::memcpy(&number, unread_.data() + at, sizeof number);
    return ntohl(number);
  }

  std::string unread_;
  std::string value_;
  bool refused_ = false;
};

Question PostgresQuestion(const char* query,
                          std::function<bool(const std::string& value)> is_hoped) {
  return {.bytes = PostgresMessage('Q', std::string(query, std::strlen(query) + 1)),
          .hear =
              [answer = std::make_shared<QueryAnswer>(), is_hoped = std::move(is_hoped)](
                  std::string_view bytes, bool ended) {
                const std::optional<std::string> value = answer->Hear(bytes, ended);
                if (!value) return Question::Heard::kIncomplete;
                return is_hoped(*value) ? Question::Heard::kYes : Question::Heard::kNo;
              },
          .opening = StartupMessage()};
}

// Parses microseconds since the epoch.
std::optional<Duration> ReadEpoch(const std::string& value) {
  int64_t us = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, us);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return std::chrono::microseconds(us);
}

class PostgresServers final : public Service {
 public:
  using Service::Service;

  Result<void> Prepare() override {
    template_ = TRY(FindTemplate(parts_.program));
    return {};
  }

  Result<SpawnRequest> CommandOf(int node) override {
    SpawnRequest start{
        .argv = {"sh", "-c", kCopyAndStart, "postgres", DataOf(node).string(), template_.string()},
        .never_root = true};
    const std::vector<std::string> command =
        PostgresCommand(parts_.program.path, DataOf(node), FolderOf(node));
    start.argv.insert(start.argv.end(), command.begin(), command.end());
    return start;
  }

  [[nodiscard]] NodeAddress AddressOf(int node) const override {
    return {.unix_path = PostgresSocket(FolderOf(node)).string()};
  }

  [[nodiscard]] Question Ping() const override {
    return PostgresQuestion("SELECT 1", [](const std::string& value) { return value == "1"; });
  }

  [[nodiscard]] std::optional<Question> AskTime(TellTime tell) const override {
    return PostgresQuestion("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
                            [tell = std::move(tell)](const std::string& value) {
                              const std::optional<Duration> time = ReadEpoch(value);
                              if (time) tell(*time);
                              return time.has_value();
                            });
  }

  void Operate(int /*node*/, const std::vector<std::string>& /*command*/, Duration /*timeout*/,
               std::function<void(CallResult)> /*answer*/) override {
    CHECK(false);  // the plan refuses operators' commands
  }

  Rejoining AfterRestart(int /*node*/) override { return {}; }

  // Only renames the data, since a removal takes long. The folder goes at the end of the run.
  void ForgetData(int node) override {
    std::error_code ignored;  // there may be none yet
    fs::rename(DataOf(node), DataOf(node).string() + fmt::format(".{}", ++forgotten_), ignored);
  }

 private:
  [[nodiscard]] fs::path DataOf(int node) const { return FolderOf(node) / "data"; }

  fs::path template_;
  int forgotten_ = 0;
};

}  // namespace

ServiceEntry PostgresEntry() {
  return {.facts = {.name = kPostgresService,
                    .title = "PostgreSQL",
                    .topologies = {"single"},
                    .tells_time = true,
                    .data = {"empty", "aof"}},
          .protocol = Protocol::kPostgres,
          .find = FindPostgresServer,
          .make = [](Service::Parts parts) -> std::unique_ptr<Service> {
            return std::make_unique<PostgresServers>(std::move(parts));
          }};
}

}  // namespace doublehold
