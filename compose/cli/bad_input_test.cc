// Bad input on the command line, tested with the whole program.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

struct BadInputCase {
  std::vector<std::string> words;
  int exit_code = 3;
  std::string says;  // part of the expected error, which is one line
};

TEST(CommandLine, HelpListsEachCommandAndTheFaultsOfANemesis) {
  const std::string help = RunProgram({"--help"}).out;
  EXPECT_NE(help.find("\n  explore --lock LOCK [options] "), std::string::npos) << help;
  EXPECT_NE(help.find("\n  run     [EXPERIMENT.toml] [options] "), std::string::npos) << help;
  const std::string run = RunProgram({"run", "--help"}).out;
  EXPECT_EQ(RunProgram({"help", "run"}).out, run);
  const auto listed = nlohmann::json::parse(RunProgram({"list", "nemesis", "--json"}).out);
  for (const nlohmann::json& member : listed.at("nemesis"))
    EXPECT_NE(run.find(member.at("name").get<std::string>()), std::string::npos) << member << run;
}

TEST(CommandLine, BadInputIsOneLineWithTheErrorItsPlaceAndASuggestion) {
  const TestFolder folder;
  const fs::path& in = folder.path();
  const std::string out = (in / "runs").string();
  WriteFile(in / "node5.toml",
            "[lock]\nname = 'redlock'\n[topology]\nnodes = 2\n[[fault]]\nkind = 'pause'\nnodes = "
            "[5]\nfor = '1s'\n");
  WriteFile(in / "endless.toml",
            "[lock]\nname = 'set-nx-px'\n[[fault]]\nkind = 'pause'\nclient = 1\n");
  WriteFile(in / "command.toml",
            "[[cell]]\nrow = 'a'\ncolumn = 'b'\nlock.driver = 'python3 my_lock.py'\n");
  WriteFile(in / "typo.toml", "[lock]\nname = 'set-nx-px'\nleese = '1s'\n");
  WriteFile(in / "kind.toml", "[lock]\nname = 'set-nx-px'\n[[fault]]\nkind = 'paus'\n");
  WriteFile(in / "control.toml",
            "[lock]\nname = 'set-nx-px'\n[[fault]]\nkind = \"pa\\n\\u001b[2J\"\n");
  WriteFile(in / "broken.toml", "[lock\n");
  ASSERT_EQ(mkfifo((in / "fifo").c_str(), 0600), 0);
  fs::create_symlink("loop", in / "loop");
  WriteFile(in / "huge.toml", "name = '" + std::string(2 << 20, 'a') +
                                  "'\n[[cell]]\nrow = 'a'\ncolumn = 'b'\nlock.name = 'none'\n");
  WriteFile(in / "broken-name.toml", "name = \"a\\nb\"\n[lock]\nname = 'none'\n");
  WriteFile(in / "broken-row.toml",
            "[experiment]\nlock.name = 'none'\n[[cell]]\nrow = \"a\\nb\"\ncolumn = 'c'\n");
  WriteFile(in / "huge-column.toml",
            "[experiment]\nlock.name = 'none'\n[[cell]]\nrow = 'a'\ncolumn = '" +
                std::string(2 << 20, 'b') + "'\n");
  WriteFile(in / "four.toml",
            "[experiment]\nlock.name = 'none'\n[[cell]]\nrow = ['a', 'b']\ncolumn = ['c', 'd']\n");
  fs::create_directory(in / "ended");
  WriteFile(in / "ended" / "verdict.json", "{}");
  WriteFile(in / "garbled.jsonl", "this is not a history\n");
  WriteFile(in / "empty.jsonl", "");
  WriteFile(in / "a.edn", "{:process 0, :type :invoke, :f :acquire, :value nil}\n");
  const std::vector<BadInputCase> cases{
      {{"run", "--lock", "redlok", "--out", out},
       3,
       "--lock: lock 'redlok' is unknown (did you mean 'redlock'?)"},
      {{"run", "--out", out}, 3, "no lock is named"},
      {{"run", "--lock", "none", "--direct", "--frames", "--out", out},
       3,
       "--frames: cannot be combined with --direct, because the proxy records frames"},
      {{"run", "--lock", "none", "--repeat", "2", "--frames", "--out", out},
       3,
       "--frames: only for one run, not for repeated runs"},
      {{"sweep", "--out", out}, 3, "no lock is named"},
      {{"sweep", "--lock", "none", "--faults", "pause,dorp-reply", "--out", out},
       3,
       "--faults: fault 'dorp-reply' is unknown (did you mean 'drop-reply'?)"},
      {{"sweep", "--lock", "none", "--faults", "pause, drop-reply , cras", "--out", out},
       3,
       "--faults: fault 'cras' is unknown (did you mean 'crash'?)"},
      {{"sweep", "--lock", "none", "--depth", "3", "--out", out}, 3, "--depth: must be 1 or 2"},
      {{"explore", "--lock", "none", "--depth", "-1"}, 3, "--depth: must be from 0 to 9"},
      {{"explore", "--lock", "none", "--cycles", "0"}, 3, "--cycles: must be from 1 to 100"},
      {{"explore", "--lock", "none", "--set", "workload.sections=2"},
       3,
       "workload.sections: only for real runs; use --cycles"},
      {{"run", "--lock", "none", "--set", "workload.sections=-1", "--out", out},
       3,
       "--set workload.sections=-1: -1 is not in 0..1000000000"},
      {{"explore", "--lock", "none", "--faults", "pause,cras"},
       3,
       "--faults: fault 'cras' is unknown (did you mean 'crash'?)"},
      {{"explore", "--lock", "none", "--faults", "kill:x"},
       3,
       "--faults: kill: 'x' is not a number of at least 1"},
      {{"explore", "--lock", "none", "--faults", "pause,kill,pause:2"},
       3,
       "--faults: fault 'pause' is named twice"},
      {{"explore", "--lock", "none", "--faults", ""}, 3, "--faults: is empty; use --depth 0"},
      {{"explore", "--lock", "set-nx-px", "--faults", "pause,promote"},
       3,
       "--faults: failover: topology single has no replicas; use --topology replicated"},
      {{"explore", "--lock", "driver"}, 3, "--lock: a driver is a separate program"},
      {{"explore", "--lock", "set-nx-px", "--topology", "sentinel"},
       3,
       "topology.name: sentinel is not simulated"},
      {{"explore", "--lock", "zookeeper", "--topology", "ensemble"},
       3,
       "topology.name: ensemble is not simulated; use single"},
      {{"explore", "--lock", "zookeeper", "--faults", "pause,node-clock"},
       3,
       "--faults: node-clock: the model of ZooKeeper has no wall clock"},
      {{"explore", "--lock", "etcd", "--faults", "forget-scripts"},
       3,
       "--faults: forget-scripts: it acts on Redis"},
      {{"explore", "--lock", "mariadb-get-lock"},
       3,
       "lock mariadb-get-lock keeps its keys in MariaDB, which is not simulated"},
      {{"explore", "--lock", "postgres-row"},
       3,
       "workload.store: a store in PostgreSQL is not simulated; use redis"},
      {{"explore", "--lock", "postgres-advisory", "--set", "lock.through-pooler=session"},
       3,
       "lock.through-pooler: PgBouncer is not simulated; use none"},
      {{"explore", "--lock", "postgres-lease", "--topology", "replicated"},
       3,
       "topology.name: replicated is not simulated; use single"},
      {{"explore", "--lock", "none", "--set", "faults=pause"},
       3,
       "explore chooses the faults itself: use an experiment without faults"},
      {{"explore", "--lock", "none", "--net", "proxy"},
       3,
       "--net: only for runs on real servers; explore simulates"},
      {{"explore", "--lock", "none", "--set", "topology.net=namespaces"},
       3,
       "topology.net: packets are not simulated"},
      {{"explore", "--lock", "none", "--set", "topology.direct=true"},
       3,
       "topology.direct: the simulation has no proxy to bypass"},
      {{"explore", "--driver", "redis-py"}, 3, "--driver: only for runs on real servers"},
      {{"explore", "--lock", "redis-py"}, 3, "--lock: a driver is a separate program"},
      {{"compare", "--locks", "redlock,redis-pi[sleep_ms=1,timeout=never]", "--out", out},
       3,
       "--locks: lock 'redis-pi' is unknown (did you mean 'redis-py'?)"},
      {{"explore", "--endpoint", "redis://h"}, 3, "--endpoint: only for runs on real servers"},
      {{"explore", "--speed", "10"}, 3, "--speed: only for runs on real servers"},
      {{"replay", "v1/lock.name=none/1/pause/9999:1"},
       3,
       "the replay string: choice 9999:1: the execution has only "},
      {{"replay", "v1/lock.name=set-nx-px/1/pause/0:7"},
       3,
       "the replay string: choice 0:7: this place has the choices 1 to 1"},
      {{"replay", "v1/lock.name=set-nx-px/1/pause/", "--curve"},
       3,
       "doublehold replay: --curve: this execution violates no claim"},
      {{"replay", "v1/lock.name=none/1//", "--curve", "0"},
       3,
       "--curve: must be from 1 to 1000000"},
      {{"replay", "v1/lock.name=none/1//", "--claim", "stock"}, 3, "--claim: only with --curve"},
      {{"replay"}, 3, "doublehold replay: name exactly one replay string"},
      {{"replay", ""}, 3, "'' is not a replay string: it has 1 part between slashes and needs 5"},
      {{"replay", "v1/lock.name=none/1/pause/", "--into", in.string()},
       3,
       "not empty: use a new or an empty folder"},
      {{"run", "--lock", "none", "--duration", "1s", "--into", (in / "ended").string()},
       3,
       "has a run already: use a new or an empty folder"},
      {{"run", "--lock", "none", "--duration", "1s", "--into", in.string()},
       3,
       "not empty: use a new or an empty folder, or --replace"},
      {{"run", "--lock", "none", "--replace", "--out", out},
       3,
       "--replace: needs --into, which names the folder"},
      {{"run", "--lock", "none", "--history", "binray", "--out", out},
       3,
       "--history: choice 'binray' is unknown (did you mean 'binary'?)"},
      {{"bisect"}, 3, "name one suite, for example findings"},
      {{"bisect", "findings"}, 3, "--cell: name the cell to run, ROW/COLUMN"},
      {{"bisect", "findings", "--cell", "redsync 4.13.0/"}, 3, "--cell: name one cell"},
      {{"bisect", "npc", "--cell", "redlock/pause"}, 3, "--cell: its lock is not a library's"},
      {{"bisect", "findings", "--cell", "redisson 4.7.0/queue"},
       3,
       "cell 'redisson 4.7.0/queue' is"},
      {{"bisect", "findings", "--cell", "redisson 4.7.0/reset"},
       3,
       "--claim: the cell expects no violation"},
      {{"bisect", "findings", "--cell", "redisson 4.7.0/reset", "--claim", "call-timout"},
       3,
       "did you mean 'call-timeout'?"},
      {{"bisect", (in / "command.toml").string(), "--cell", "a/b"},
       3,
       "--cell: its driver is a command, which has no versions"},
      {{"suite", "ncp", "--out", out}, 3, "suite 'ncp' is unknown (did you mean 'npc'?)"},
      {{"suite", (in / "four.toml").string(), "--shard", "99/100", "--out", out},
       3,
       "--shard 99/100: the suite has only 4 cells; use at most as many parts"},
      {{"suite", (in / "four.toml").string(), "--only", "a/", "--shard", "3/4", "--out", out},
       3,
       "--shard 3/4: the suite has only 2 cells; use at most as many parts"},
      {{"suite", (in / "four.toml").string(), "--into", in.string()},
       3,
       "not empty: use a new or an empty folder"},
      {{"suite", (in / "four.toml").string(), "--into", out, "--resume", out},
       3,
       "--resume, --into: only one of them is allowed"},
      {{"plan-shards", (in / "four.toml").string()}, 3, "--minutes is missing"},
      {{"plan-shards", (in / "four.toml").string(), "--minutes", "0.001"}, 3, "alone takes"},
      {{"plan-shards", (in / "four.toml").string(), "--minutes", "9", "--times", in.string()},
       3,
       "has no readable suite.json"},
      {{"run", (in / "fifo").string(), "--out", out}, 3, "fifo: is a FIFO, not a file"},
      {{"run", (in / "loop").string(), "--out", out}, 3, "loop: Too many levels of symbolic links"},
      {{"run", "/dev/null", "--out", out}, 3, "/dev/null: is a device, not a file"},
      {{"run", "--plan", (in / "fifo").string(), "--out", out}, 3, "fifo: is a FIFO, not a file"},
      {{"run", "--plan", (in / "loop").string(), "--out", out}, 3, "Too many levels of symbolic"},
      {{"suite", (in / "fifo").string(), "--out", out}, 3, "fifo: is a FIFO, not a file"},
      {{"check", (in / "fifo").string()}, 3, "fifo: is a FIFO, not a file"},
      {{"check", (in / "loop").string()}, 3, "loop: Too many levels of symbolic links"},
      {{"check", (in / "fifo").string(), "--model", "mutex"}, 3, "is a FIFO, not a file"},
      {{"check", (in / "loop").string(), "--model", "mutex"}, 3, "Too many levels of symbolic"},
      {{"export", "/dev/null"}, 3, "/dev/null: is a device, not a file"},
      {{"replay", (in / "fifo" / "trace.json").string()}, 3, "trace.json: no such file"},
      {{"run", "--lock", "none", "--into", (in / "loop").string()}, 3, "Too many levels of symbol"},
      {{"run", "--lock", "none", "--into", (in / "a\nb").string()},
       3,
       "a\\nb: must not have control characters"},
      {{"run", (in / "huge.toml").string(), "--out", out}, 3, "huge.toml:1: name: name 'aaa"},
      {{"run", (in / "huge.toml").string(), "--out", out}, 3, "must have at most 250 bytes"},
      {{"run", (in / "broken-name.toml").string(), "--out", out},
       3,
       "broken-name.toml:1: name: name 'a\\nb': must not have control characters"},
      {{"suite", (in / "huge.toml").string(), "--out", out}, 3, "must have at most 250 bytes"},
      {{"suite", (in / "broken-row.toml").string(), "--out", out},
       3,
       "broken-row.toml: cell 1: row name 'a\\nb': must not have control characters"},
      {{"suite", (in / "huge-column.toml").string(), "--out", out},
       3,
       "huge-column.toml: cell 1: column name 'bbb"},
      {{"run", "--lock", std::string(100'000, 'x'), "--out", out}, 3, "(100000 bytes)' is unknown"},
      {{"run", "--lock", "none", "--clients", std::string(100'000, 'x'), "--out", out},
       3,
       "--clients: 'xxx"},
      {{"check", std::string(100'000, 'x')}, 3, "check: xxx"},
      {{"replay", std::string(100'000, 'x')}, 3, "replay: 'xxx"},
      {{std::string(100'000, 'x')}, 3, "(100000 bytes)' is unknown"},
      {{"replay", "no-such/trace.json"}, 3, "no-such/trace.json: no such file"},
      {{"explore", "--lock", "none", "--strategy", "pcd"},
       3,
       "--strategy: strategy 'pcd' is unknown (did you mean 'pct'?)"},
      {{"explore", "--lock", "none", "--strategy", "pct"},
       3,
       "--strategy pct: needs a number of executions, such as --budget 100000"},
      {{"explore", "--lock", "none", "--jobs", "0"}, 3, "--jobs: must be from 1 to 256"},
      {{"explore", "--lock", "none", "--shard", "3"}, 3, "--shard 3: must have the form"},
      {{"explore", "--lock", "none", "--shard", "5/4"}, 3, "the part must be from 1 to 4"},
      {{"explore", "--lock", "none", "--shard", "1/65"}, 3, "--shard: at most 64 parts"},
      {{"explore", "--all", "--shard", "1/4"}, 3, "--shard: not with --all"},
      {{"explore", "--lock", "none", "--memory-mb", "0"},
       3,
       "--memory-mb: must be from 1 to 1000000"},
      {{"explore", "--lock", "set-nx-px", "--depth", "9", "--clients", "50", "--cycles", "100"},
       3,
       "executions are within the bounds, but --budget is 10000000"},
      {{"explore", "--lock", "redlock", "--depth", "9", "--delay-bound", "9", "--budget", "0"},
       3,
       "executions are within the bounds, more than can be run"},
      {{"explore", "--lock", "set-nx-px", "--depth", "2", "--budget", "500"},
       3,
       "executions are within the bounds, but --budget is 500: --depth 1 has about "},
      {{"run", "--lock", "none", "--claims", "exclusion,release-reslt", "--out", out},
       3,
       "claim 'release-reslt' is unknown (did you mean 'release-result'?)"},
      {{"sweep", "--lock", "none", "--clients", "1", "--out", out},
       3,
       "--clients: must be at least 2, or no client contends for the lock"},
      {{"sweep", "--lock", "none", "--nemesis", "pause", "--duration", "4s", "--out", out},
       3,
       "sweep chooses the faults itself: use an experiment without faults"},
      {{"sweep", "--lock", "none", "--set", "topology.direct=true", "--out", out},
       3,
       "topology.direct: sweep needs the proxy, which observes the protocol"},
      {{"sweep", "--lock", "none", "--set", "workload.threads=2", "--out", out},
       3,
       "workload.threads: sweep needs clients with one session"},
      {{"run", "--lock", "none", "--duration", "5", "--out", out},
       3,
       "--duration: '5' has no unit (ns, us, ms, s, m, h): did you mean 5s?"},
      {{"run", "--lock", "none", "--lease", "0s", "--out", out},
       3,
       "--lease: must be at least 1ms"},
      {{"run", "--lock", "none", "--stock", "-1", "--out", out}, 3, "--stock: "},
      {{"run", "--lock", "none", "--clients", "0", "--out", out},
       3,
       "--clients: 0 is not in 1..256"},
      {{"run", "--lock", "none", "--clients", "99999999999999999999", "--out", out},
       3,
       "--clients: 99999999999999999999 is not in 1..256"},
      {{"run", "--lock", "none", "--faults", "puase", "--out", out}, 3, "did you mean 'pause'?"},
      {{"run", "--lock", "none", "--clientz", "2", "--out", out}, 3, "did you mean '--clients'?"},
      {{"run", "--lock", "none", "--set", "claims=exclusin", "--out", out},
       3,
       "did you mean 'exclusion'?"},
      {{"run", "--lock", "set-nx-px", "--nodes", "5", "--out", out},
       3,
       "uses exactly 1 node, not 5"},
      {{"run", "--lock", "redlock", "--direct", "--faults", "network", "--out", out},
       3,
       "'direct' bypasses"},
      {{"run", (in / "node5.toml").string(), "--out", out},
       3,
       "node 5 does not exist: the run has nodes 1..2"},
      {{"run", (in / "endless.toml").string(), "--out", out}, 3, "never heals"},
      {{"run", (in / "typo.toml").string(), "--out", out}, 3, "typo.toml:3: lock.leese: "},
      {{"run", (in / "kind.toml").string(), "--out", out}, 3, "kind.toml:4: "},
      {{"run", (in / "control.toml").string(), "--out", out},
       3,
       "fault 'pa\\n\\x1b[2J' is unknown"},
      {{"run", (in / "broken.toml").string(), "--out", out}, 3, "broken.toml:1: "},
      {{"run", (in / "missing.toml").string(), "--out", out}, 3, "missing.toml: no such file"},
      {{"run", "--plan", (in / "node5.toml").string(), "--out", out}, 3, "not JSON"},
      {{"run", in.string(), "--out", out}, 3, "is a folder; name a TOML file"},
      {{"run", "--plan", in.string(), "--out", out}, 3, "is a folder; name a plan.json"},
      {{"suite", (in / "typo.toml").string(), "--shard", "9/8", "--out", out},
       3,
       "--shard 9/8: the part must be from 1 to 8"},
      {{"suite", (in / "typo.toml").string(), "--shard", "3of8", "--out", out},
       3,
       "--shard 3of8: must have the form PART/PARTS, such as 3/8, or auto/8"},
      {{"suite", (in / "typo.toml").string(), "--until", "rat < 1", "--out", out},
       3,
       "--until 'rat < 1': it begins with 'rat' (did you mean 'rate'?)"},
      {{"suite", (in / "typo.toml").string(), "--until", "rate < 2", "--out", out},
       3,
       "the limit '2' is not from 1e-9 to below 1 (did you mean '2%'?)"},
      {{"suite", (in / "typo.toml").string(), "--until", "", "--out", out}, 3, "it is empty"},
      {{"run", "--lock", "none", "--until", "rate < 2", "--out", out}, 3, "did you mean '2%'?"},
      {{"run", "--lock", "none", "--repeat", "2", "--into", (in / "x").string(), "--out", out},
       3,
       "--into: only for one run"},
      {{"run", "--lock", "none", "--jobs", "2", "--out", out},
       3,
       "--jobs: needs --repeat or --until"},
      {{"suite", (in / "typo.toml").string(), "--matrix", "--json", "--out", out},
       3,
       "--matrix, --cases, --json: only one of them is allowed"},
      {{"suite", (in / "typo.toml").string(), "--repeat", "0", "--out", out},
       3,
       "--repeat: must be from 1 to 100000"},
      {{"suite", (in / "missing.toml").string(), "--out", out}, 3, "missing.toml: no such file"},
      {{"suite", (in / "typo.toml").string(), "--out", out}, 3, "nothing to run"},
      {{"run", "--lock", "none", "--out", "/dev/null/runs"}, 3, "cannot be written"},
      {{"check", (in / "garbled.jsonl").string()}, 3, "garbled.jsonl:1: "},
      {{"check", (in / "empty.jsonl").string()}, 3, "empty.jsonl"},
      {{"check", (in / "missing.jsonl").string()}, 3, "missing.jsonl: no such file"},
      {{"check", (in / "a.edn").string()}, 3, "a.edn: a history in EDN needs a model"},
      {{"check"}, 3, "name exactly one run folder"},
      {{"check", "x.edn", "--model", "mutexx"}, 3, "did you mean 'mutex'?"},
      {{"check", "x.edn", "--permits", "2"}, 3, "--permits: needs --model NAME"},
      {{"check", "x.edn", "--model", "semaphore", "--permits", "0"},
       3,
       "--permits 0: must be a whole number of at least 1"},
      {{"check", "x.edn", "--model", "mutex", "--permits", "2"},
       3,
       "--permits: model mutex does not take this option"},
      {{"check", "x.edn", "--model", "key-value", "--initial", "2"},
       3,
       "--initial: model key-value does not take this option"},
      {{"check", "x.edn", "--model", "semaphore", "--lease-grace", "2ms"},
       3,
       "--lease-grace: model semaphore does not take this option"},
      {{"check", "x.edn", "--model", "register", "--release-failed-means", "ok"},
       3,
       "--release-failed-means: model register does not take this option"},
      {{"check", "missing.edn", "--model", "mutex"}, 3, "missing.edn: cannot be read"},
      {{"check", "x.edn", "--lenient"}, 3, "--lenient: needs --model NAME"},
      {{"check", "x.edn", "--model", "mutex", "--lease-grace", "2"}, 3, "--lease-grace: "},
      {{"check", (in / "garbled.jsonl").string(), "--model", "mutex", "--format", "jsonnl"},
       3,
       "did you mean 'jsonl'?"},
      {{"check", (in / "garbled.jsonl").string(), "--model", "mutex"},
       3,
       "garbled.jsonl:1: not JSON"},
      {{"export", "missing.bin"}, 3, "missing.bin: no such file"},
      {{"export", "x", "--format", "end"}, 3, "did you mean 'edn'?"},
      {{"list", "locks", "--json", "--markdown"},
       3,
       "--json, --markdown: only one of them is allowed"},
      {{"doctor", "faults"}, 3, "'faults': doctor takes no arguments, only options"},
      {{"driver", "chek"}, 3, "command 'chek' is unknown (did you mean 'check'?)"},
      {{"list", "loks"}, 3, "did you mean 'locks'?"},
      {{"chekc"}, 3, "did you mean 'check'?"},
      {{"run", "--lock", "none", "--redis-server", "/nonexistent", "--out", out},
       4,
       "install the Debian package"},
      {{"run", "--lock", "none", "--redis-server", "/bin/echo", "--out", out},
       4,
       "not a redis-server"},
  };
  for (const BadInputCase& test : cases) {
    const Finished finished = RunProgram(test.words);
    EXPECT_EQ(finished.exit_code, test.exit_code) << test.says << "\n" << finished.err;
    EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
    EXPECT_LT(finished.err.size(), 5000U) << test.says;
    EXPECT_NE(finished.err.find(test.says), std::string::npos)
        << finished.err << "does not say: " << test.says;
    EXPECT_FALSE(fs::exists(out)) << "something was written: " << test.says;
  }
}

// Descriptors run out at several places in the program. Each place reports the lack of descriptors
// as the reason.
TEST(CommandLine, AFailureForLackOfDescriptorsNamesThatReason) {
  for (const char* limit : {"8", "12", "18", "28"}) {
    const TestFolder folder;
    const Result<RunResult> run = RunToEnd(
        {"/bin/sh", "-c",
         "ulimit -n $0; exec \"$1\" run --lock redlock --clients 3 --duration 300ms --into \"$2\"",
         limit, BinaryDir() + "/doublehold", (folder.path() / "run").string()},
        {.with_errors = true});
    ASSERT_TRUE(run.has_value()) << run.error().message;
    EXPECT_EQ(WEXITSTATUS(run->status), 4) << limit << run->output;
    EXPECT_NE(run->output.find("Too many open files"), std::string::npos) << limit << run->output;
  }
}

}  // namespace
}  // namespace doublehold
