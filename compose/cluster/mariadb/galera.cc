#include "compose/cluster/mariadb/galera.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

#include "lib/base/words.h"
#include "lib/os/mariadb_program.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// A dead member must leave the cluster before it can join again. With Galera's defaults, this takes
// longer than most runs.
constexpr const char* kFasterThanUsual =
    "pc.announce_timeout=PT0.5S;gmcast.peer_timeout=PT1S;evs.suspect_timeout=PT1S;"
    "evs.inactive_timeout=PT2S;evs.install_timeout=PT2S;evs.inactive_check_period=PT0.2S;"
    "evs.keepalive_period=PT0.2S;evs.join_retrans_period=PT0.2S";

constexpr const char* kGaleraLibrary = "/usr/lib/galera/libgalera_smm.so";  // Debian's package

// Runs in the child process, so that the supervisor does not wait for the copy.
constexpr const char* kRenewAndStart =
    "data=$1; template=$2; shift 2; rm -rf \"$data\"; "
    "cp -a \"$template\" \"$data\" || exit 1; exec \"$@\"";

// A server runs this program to send (donor) or to receive (joiner) a whole state. Both started
// from the template's state, {0}, so the program copies nothing. With --bypass, the donor then
// sends the writes after that state. Without --bypass, the donor no longer has them, and the join
// fails.
constexpr const char* kTransferScript = R"(#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    --role) role=$2 ;;
    --bypass) bypass=yes ;;
  esac
  shift
done
if [ "$role" = joiner ]; then
  echo "ready 127.0.0.1"
  echo {0}
else
  [ "$bypass" = yes ] || exit 1
  echo "done {0}"
fi
)";
constexpr const char* kTransferMethod = "template";

// Returns the state in grastate.dat, "UUID:NUMBER", or an empty text.
std::string StateIn(const fs::path& file) {
  std::ifstream in(file);
  std::string uuid, number;
  for (std::string word; in >> word;) {
    if (word == "uuid:") in >> uuid;
    if (word == "seqno:") in >> number;
  }
  return number.empty() || number == "-1" ? "" : uuid + ":" + number;
}

}  // namespace

Result<Galera> Galera::Create(const fs::path& mariadb, const fs::path& folder, int members) {
  if (std::error_code code; !fs::exists(kGaleraLibrary, code)) {
    return EnvironmentFailed(
        fmt::format("MariaDB: {} does not exist; install the Debian package galera-4 "
                    "(./setup.sh --services)",
                    kGaleraLibrary));
  }
  Galera galera;
  galera.mariadb_ = mariadb;
  galera.folder_ = folder;
  galera.members_ = members;
  galera.ports_ = TRY(HeldPorts::Take(2 * static_cast<size_t>(members)));
  TRY(galera.CreateTemplate());
  TRY(galera.WriteTransferScript());
  return galera;
}

// Founds a cluster of one member, which writes its state when it ends.
Result<void> Galera::CreateTemplate() {
  const fs::path statement = folder_ / "shutdown.sql";
  std::error_code code;
  fs::create_directories(Template() / "mysql", code);  // where members keep the cluster's tables
  std::ofstream(statement) << "SHUTDOWN;\n";
  std::vector<std::string> command = CommandOf(1, Template(), folder_ / "socket", "");
  command.push_back("--init-file=" + statement.string());
  const RunResult run = TRY(RunToEnd(command, {.with_errors = true}));
  fs::remove(Template() / "galera.cache", code);
  if (run.succeeded() && !StateIn(Template() / "grastate.dat").empty()) return {};
  const size_t tail = run.output.size() - std::min<size_t>(run.output.size(), 300);
  return EnvironmentFailed(fmt::format("{}: cannot found a Galera cluster: {}", mariadb_.string(),
                                       OnOneLine(run.output.substr(tail))));
}

Result<void> Galera::WriteTransferScript() const {
  const fs::path script = folder_ / fmt::format("wsrep_sst_{}", kTransferMethod);
  std::ofstream out(script);
  out << fmt::format(fmt::runtime(kTransferScript), StateIn(Template() / "grastate.dat"));
  out.close();
  std::error_code code;
  fs::permissions(script, fs::perms::owner_all, code);
  if (!out || code) return EnvironmentFailed(script.string() + ": cannot be written");
  return {};
}

std::vector<std::string> Galera::CommandOf(int member, const fs::path& data, const fs::path& socket,
                                           const std::string& cluster) const {
  std::vector<std::string> command = MariaDbCommand(mariadb_, data, socket);
  const std::string options = fmt::format(
      "gmcast.listen_addr=tcp://127.0.0.1:{};ist.recv_addr=127.0.0.1:{};gcache.size=4M;{}",
      PeerPort(member), TransferPort(member), kFasterThanUsual);
  for (const std::string& setting :
       {std::string("--wsrep-on=ON"), fmt::format("--wsrep-provider={}", kGaleraLibrary),
        "--wsrep-provider-options=" + options, std::string("--wsrep-cluster-name=doublehold"),
        "--wsrep-cluster-address=gcomm://" + cluster, std::string("--wsrep-node-address=127.0.0.1"),
        fmt::format("--wsrep-sst-method={}", kTransferMethod), std::string("--binlog-format=ROW"),
        std::string("--innodb-autoinc-lock-mode=2")})
    command.push_back(setting);
  return command;
}

SpawnRequest Galera::StartOf(int member, const fs::path& data, const fs::path& socket) {
  std::string cluster;
  for (int other = 1; other <= members_; ++other) {
    if (other == member) continue;
    cluster += fmt::format("{}127.0.0.1:{}", cluster.empty() ? "" : ",", PeerPort(other));
  }
  if (member == 1 && !std::exchange(is_founded_, true)) cluster.clear();
  const char* path = std::getenv("PATH");
  SpawnRequest start{
      .argv = {"sh", "-c", kRenewAndStart, "galera", data.string(), Template().string()},
      .environment = {fmt::format("PATH={}:{}", folder_.string(), path == nullptr ? "" : path)}};
  const std::vector<std::string> command = CommandOf(member, data, socket, cluster);
  start.argv.insert(start.argv.end(), command.begin(), command.end());
  return start;
}

}  // namespace doublehold
