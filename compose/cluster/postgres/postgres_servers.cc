// PostgreSQL: one server, or a primary with a replica that streams from it. Each listens on a unix
// socket in its folder. Its data is copied from a template, which is created once on a machine.
// Clients may reach the primary through a pooler.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "compose/cluster/postgres/pooler.h"
#include "compose/cluster/postgres/postgres_question.h"
#include "compose/cluster/service.h"
#include "lib/base/check.h"
#include "lib/locks/registry.h"
#include "lib/os/postgres_program.h"
#include "lib/os/run_tool.h"
#include "lib/postgres/session.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Copies the template if there is no data. $3 is empty, or names an empty file to add that makes
// the server a replica. Runs in the child process, so that the supervisor does not wait for the
// copy.
constexpr const char* kCopyAndStart =
    "data=$1; template=$2; mark=$3; shift 3; [ -e \"$data\" ] || "
    "{ cp -a \"$template\" \"$data\" && { [ -z \"$mark\" ] || : > \"$data/$mark\"; }; } || exit 1; "
    "exec \"$@\"";
constexpr const char* kMarkOfReplica = "standby.signal";  // PostgreSQL removes it when promoted

constexpr Duration kStreamTimeout = 1s;  // of the question whether the replica streams
// Includes the time that the replica takes to replay what it has received.
constexpr Duration kPromotionTimeout = 10s;

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

// Parses microseconds since the epoch.
std::optional<Duration> ReadEpoch(const std::string& value) {
  int64_t us = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, us);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return std::chrono::microseconds(us);
}

// Returns the mode of the pooler between clients and the server. Empty: there is none.
std::string PoolingOf(const Plan& plan) {
  const auto pooling = plan.lock_options.find(kThroughPooler);
  return pooling == plan.lock_options.end() || pooling->second == kNoPooler ? "" : pooling->second;
}

class PostgresServers final : public Service {
 public:
  using Service::Service;

  Result<void> Prepare() override {
    template_ = TRY(FindTemplate(parts_.program));
    if (!HasReplica()) return {};
    PointAt(kFirst);
    const LinkId link{.client = 0, .node = kFirst, .peer = kReplica};
    stream_port_ = TRY(parts_.links.Add(link, AddressOf(kFirst), Protocol::kPostgres));
    return {};
  }

  Result<SpawnRequest> CommandOf(int node) override {
    SpawnRequest start{.argv = {"sh", "-c", kCopyAndStart, "postgres", DataOf(node).string(),
                                template_.string(), node == kReplica ? kMarkOfReplica : ""},
                       .never_root = true};
    const std::vector<std::string> command =
        PostgresCommand(parts_.program.path, DataOf(node), FolderOf(node), HasReplica());
    start.argv.insert(start.argv.end(), command.begin(), command.end());
    if (node == kReplica) {
      start.argv.insert(start.argv.end(),
                        {"-c", fmt::format("primary_conninfo=host={} port={} user={}",
                                           parts_.links.host(), stream_port_, kPostgresName)});
    }
    return start;
  }

  [[nodiscard]] NodeAddress AddressOf(int node) const override {
    return {.unix_path = PostgresSocket(FolderOf(node)).string()};
  }

  [[nodiscard]] NodeAddress ClientAddressOf(int node) const override {
    return HasPooler(node) ? NodeAddress{.unix_path = PoolerSocket(PoolerFolder()).string()}
                           : RefereeAddressOf(node);
  }
  [[nodiscard]] NodeAddress RefereeAddressOf(int node) const override {
    return HasReplica() && node == kFirst
               ? NodeAddress{.unix_path = PostgresSocket(LeaderFolder()).string()}
               : AddressOf(node);
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

  Result<void> Begin() override {
    if (!HasPooler(kFirst)) return {};
    const fs::path server = HasReplica() ? LeaderFolder() : FolderOf(kFirst);
    return parts_.start({ProcessRef::Kind::kSentinel, 1}, "pooler",
                        TRY(PoolerCommand(PoolerFolder(), server, PoolingOf(parts_.plan))));
  }

  std::string FindMissing() override {
    std::error_code code;
    if (HasPooler(kFirst) && !fs::exists(PoolerSocket(PoolerFolder()), code))
      return "the pooler does not listen";
    if (!HasReplica()) return "";
    const Answered streams =
        AskNow(AddressOf(kReplica),
               PostgresQuestion("SELECT count(*) FROM pg_stat_wal_receiver WHERE status = "
                                "'streaming'",
                                [](const std::string& value) { return value == "1"; }),
               kStreamTimeout);
    return streams == Answered::kYes ? "" : "the replica does not stream";
  }

  [[nodiscard]] std::vector<LinkId> PeerLinks() const override {
    if (!HasReplica()) return {};
    return {{.client = 0, .node = kFirst, .peer = kReplica}};
  }

  [[nodiscard]] bool IsLeader(int node) const override { return node == leader_; }

  // The old primary goes on, and no client reaches it any more.
  void Promote(int node, Promotion /*how*/, std::function<void(bool)> done) override {
    const Question promote = PostgresQuestion(
        "SELECT pg_promote()", [](const std::string& value) { return value == "t"; });
    AskOnce(parts_.io, AddressOf(node), promote, kPromotionTimeout,
            [this, node, on_done = std::move(done)](Answered how, const std::string& /*why*/) {
              if (how != Answered::kYes) return on_done(false);
              leader_ = node;
              PointAt(node);
              for (int client = 1; client <= parts_.plan.clients; ++client)
                parts_.links.Reset({client, kFirst});
              on_done(true);
            });
  }

  Rejoining AfterRestart(int /*node*/) override { return {}; }

  // Only renames the data, since a removal takes long. The folder goes at the end of the run.
  void ForgetData(int node) override {
    std::error_code ignored;  // there may be none yet
    fs::rename(DataOf(node), DataOf(node).string() + fmt::format(".{}", ++forgotten_), ignored);
  }

 private:
  static constexpr int kFirst = 1;  // the primary at the start, and the address of clients
  static constexpr int kReplica = 2;

  [[nodiscard]] bool HasReplica() const { return parts_.plan.replicas > 0; }
  [[nodiscard]] bool HasPooler(int node) const {
    return node == kFirst && !PoolingOf(parts_.plan).empty();
  }
  [[nodiscard]] fs::path DataOf(int node) const { return FolderOf(node) / "data"; }
  [[nodiscard]] fs::path LeaderFolder() const { return parts_.folder / "leader"; }
  [[nodiscard]] fs::path PoolerFolder() const { return parts_.folder / "pooler"; }

  // Leads clients to this node's socket. Renames, so that there is always one.
  void PointAt(int node) const {
    const fs::path name = PostgresSocket(LeaderFolder());
    const fs::path fresh = LeaderFolder() / "next";
    fs::create_directories(LeaderFolder());
    fs::create_symlink(PostgresSocket(FolderOf(node)), fresh);
    fs::rename(fresh, name);
  }

  fs::path template_;
  uint16_t stream_port_ = 0;  // of the link on which the replica follows the primary
  int leader_ = kFirst;
  int forgotten_ = 0;
};

}  // namespace

ServiceEntry PostgresEntry() {
  return {.facts = {.name = kPostgresService,
                    .title = "PostgreSQL",
                    .topologies = {"single", "replicated"},
                    .tells_time = true,
                    .most_replicas = 1,
                    .hands_over = false,
                    .data = {"empty", "aof"}},
          .protocol = Protocol::kPostgres,
          .find = FindPostgresServer,
          .make = [](Service::Parts parts) -> std::unique_ptr<Service> {
            return std::make_unique<PostgresServers>(std::move(parts));
          }};
}

}  // namespace doublehold
