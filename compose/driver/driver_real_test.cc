// Tests runs whose lock a driver serves. They are judged like other runs. A driver is stopped,
// killed and ended together with its client.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Debian's python3, because another python3 may be a script that starts several processes.
const std::string kPython = "/usr/bin/python3 ";
const std::string kDriverTemplate =
    kPython + SourceDir() + "/drivers/template.py";  // follows every rule of the protocol

// A driver that grants every acquire, so it excludes nobody. Misbehaves in one way at one
// operation.
constexpr const char* kLiar = R"(
import json, sys, time
at, how, whose = (sys.argv[1:] + ["", "", ""])[:3]  # whose: the referee's alone, if it is said
def out(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
OKS = {"hello": {"protocol": 1, "name": "liar", "version": "1", "can": ["lease"]}, "acquire": {"grant": "g"}}
for line in sys.stdin:
    request = json.loads(line)
    right = json.dumps({"id": request["id"], "ok": OKS.get(request["op"], {})})
    if request["op"] == "setup" and whose == "referee" and request["client"] != 0:
        at = "nothing"
    if request["op"] != at:
        out(right)
        if request["op"] == "bye":
            break
    elif how == "garbage":
        out("Traceback (most recent call last):")
    elif how == "twice":
        out(right)
        out(right)
    elif how == "unasked":
        out('{"id":4711,"ok":{}}')
    elif how == "long":
        for _ in range(100):
            sys.stdout.write("x" * 1000000)
        out("")
    elif how == "exits":
        print("I have had enough", file=sys.stderr)
        sys.exit(3)
    elif how == "closes":
        sys.stdout.close()
        __import__("os").close(1)
        time.sleep(1000)
    elif how == "stays":
        out(right)
        time.sleep(1000)
    elif how != "never":
        sys.exit("no such way: " + how)
)";

// Adds a token to each grant of the template. Nobody else is granted the lock while it is held, so
// tokens rise.
constexpr const char* kTokens = R"(
import json, sys, time
falling = sys.argv[1:] == ["falling"]
for line in sys.stdin:
    answer = json.loads(line)
    ok = answer.get("ok", {})
    if "can" in ok:
        ok["can"].append("token")
    if "grant" in ok:
        ok["token"] = 2**60 - time.monotonic_ns() if falling else time.monotonic_ns()
    print(json.dumps(answer), flush=True)
)";

struct Driven {
  explicit Driven(const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "--clients", "2", "--into",
                                   (folder.path() / "run").string()};
    words.insert(words.end(), more.begin(), more.end());
    if (std::ranges::find(more, "--lease") == more.end())
      words.insert(words.end(), {"--lease", "400ms"});
    if (std::ranges::find(more, "--duration") == more.end())
      words.insert(words.end(), {"--duration", "1s"});
    program.emplace(words);
  }
  [[nodiscard]] nlohmann::json Verdict() const {
    return ReadJson(folder.path() / "run" / "verdict.json");
  }

  TestFolder folder;
  std::optional<Program> program;
};

class Drivers : public ::testing::Test {
 protected:
  // Commands for --driver.
  std::string WithTokens(const std::string& how) {
    WriteFile(folder_.path() / "tokens.py", kTokens);
    return kDriverTemplate + " | " + kPython + (folder_.path() / "tokens.py").string() + " " + how;
  }
  // Throws in every other acquire.
  std::string Throwing() {
    WriteFile(folder_.path() / "throwing.py", R"(
import template
class Throwing(template.Library):
    acquires = 0
    def acquire(self, **arguments):
        Throwing.acquires += 1
        if Throwing.acquires % 2:
            raise RuntimeError("out of luck")
        return super().acquire(**arguments)
template.Driver(Throwing).run()
)");
    return "PYTHONPATH=" + SourceDir() + "/drivers " + kPython +
           (folder_.path() / "throwing.py").string();
  }
  std::string Liar(const std::string& arguments = "") {
    WriteFile(folder_.path() / "liar.py", kLiar);
    return kPython + (folder_.path() / "liar.py").string() + " " + arguments;
  }

  TestFolder folder_;
};

std::string TextOfDriver(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns the state of a process, such as 'R', 'S' or 'T' (stopped). Returns 0 if there is no such
// process.
char ReadProcessState(pid_t process) {
  const std::string stat = TextOfDriver(fs::path("/proc") / std::to_string(process) / "stat");
  const size_t name_ends = stat.rfind(") ");
  return name_ends == std::string::npos ? '\0' : stat[name_ends + 2];
}

// Returns the driver processes and the shells that wait for them. Excludes doublehold's own
// processes, which have the driver's name among their arguments.
std::vector<pid_t> ListDrivers(const Program& program) {
  std::vector<pid_t> found = program.Descendants();
  std::erase_if(found, [](pid_t process) {
    const fs::path folder = fs::path("/proc") / std::to_string(process);
    std::error_code code;
    return fs::read_symlink(folder / "exe", code).filename() == "doublehold" ||
           TextOfDriver(folder / "cmdline").find(".py") == std::string::npos;
  });
  return found;
}

void ExpectNothingLeftDriver(const Program& program) {
  EXPECT_TRUE(program.Descendants().empty());
  EXPECT_EQ(program.TemporaryFiles(), 0u);
}

TEST_F(Drivers, ALockServedByADriverIsJudgedLikeOtherLocks) {
  Driven run({"--driver", kDriverTemplate});
  EXPECT_EQ(run.program->Wait(), 0) << run.program->Out() << run.program->Err();
  EXPECT_EQ(run.Verdict().at("overall"), "valid");
  EXPECT_GT(run.Verdict().at("grants").get<int>(), 10);
  for (const char* claim : {"exclusion", "lease-exclusion", "stock", "liveness"})
    EXPECT_EQ(FindClaimJson(run.Verdict(), claim).at("outcome"), "valid") << claim;
  EXPECT_EQ(run.Verdict().at("library").at("name"), "template");
  EXPECT_EQ(run.Verdict().at("library").at("errors").at("texts"), nlohmann::json::array());
  EXPECT_NE(
      run.program->Out().find("\nthe lock is template 1, served by a driver; holds are timed "),
      std::string::npos)
      << run.program->Out();
  const nlohmann::json plan = ReadJson(run.folder.path() / "run" / "plan.json");
  EXPECT_EQ(plan.at("lock"), "driver");
  EXPECT_EQ(plan.at("driver").at("name"), "template");
  ExpectNothingLeftDriver(*run.program);

  const Finished finished =
      RunProgram({"run", "--plan", (run.folder.path() / "run/plan.json").string(), "--into",
                  (run.folder.path() / "again").string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
}

TEST_F(Drivers, TheShellTemplateServesALockToo) {
  Driven run(
      {"--driver", std::string("sh ") + SourceDir() + "/drivers/template.sh", "--lease", "2s"});
  EXPECT_EQ(run.program->Wait(), 0) << run.program->Out() << run.program->Err();
  EXPECT_EQ(run.Verdict().at("overall"), "valid");
  EXPECT_GT(run.Verdict().at("grants").get<int>(), 2);
  ExpectNothingLeftDriver(*run.program);
}

// Its first acquire takes longer than the run.
TEST_F(Drivers, ADriverIsWarmBeforeTheRunBegins) {
  WriteFile(folder_.path() / "cold.py", R"(
import json, sys, time
cold = True
for line in sys.stdin:
    op = json.loads(line)["op"]
    if op == "acquire" and cold:
        time.sleep(2)
        cold = False
    print(line, end="", flush=True)
)");
  Driven run(
      {"--driver", kPython + (folder_.path() / "cold.py").string() + " | " + kDriverTemplate});
  EXPECT_EQ(run.program->Wait(), 0) << run.program->Out() << run.program->Err();
  EXPECT_GT(run.Verdict().at("grants").get<int>(), 10);
  EXPECT_EQ(run.Verdict().at("unknown_operations").at("acquires"), 0);
}

TEST_F(Drivers, ADriverThatGrantsEverythingViolatesExclusion) {
  Driven run({"--driver", Liar()});
  EXPECT_EQ(run.program->Wait(), 1) << run.program->Out() << run.program->Err();
  for (const char* claim : {"exclusion", "lease-exclusion", "stock"})
    EXPECT_EQ(FindClaimJson(run.Verdict(), claim).at("outcome"), "violated") << claim;
}

TEST_F(Drivers, TheErrorsOfALibraryAreCountedAndQuoted) {
  Driven run(
      {"--driver", Throwing(), "--claims", "lease-exclusion,availability", "--faults", "pause"});
  EXPECT_EQ(run.program->Wait(), 2) << run.program->Out() << run.program->Err();
  const nlohmann::json errors = run.Verdict().at("library").at("errors");
  EXPECT_GT(errors.at("acquires").at("undisturbed_errors"), 2) << errors;
  EXPECT_EQ(errors.at("texts"), nlohmann::json{"RuntimeError('out of luck')"});
  for (const char* claim : {"lease-exclusion", "availability"})
    EXPECT_EQ(FindClaimJson(run.Verdict(), claim).at("outcome"), "unknown") << claim;
  EXPECT_NE(run.program->Out().find("errors of the library: \"RuntimeError('out of luck')"),
            std::string::npos)
      << run.program->Out();
}

TEST_F(Drivers, ADriverThatBreaksTheProtocolEndsTheRunWithTheWrongLine) {
  const struct {
    const char* how;
    const char* says;
  } cases[] = {
      {"garbage", "not valid JSON: Traceback (most recent call last):"},
      {"unasked", R"(no request has id 4711: {"id":4711,"ok":{}})"},
      {"long", "wrote a line of more than 65536 bytes: xxx"},
      {"exits", "ended by itself: it exited with status 3; its log ends: I have had enough"},
      {"closes", "closed its standard output"},
      {"twice", " was already answered: {"},
  };
  for (const char* at : {"hello", "setup", "acquire", "release"}) {
    for (const auto& [how, says] : cases) {
      SCOPED_TRACE(std::string(at) + " " + how);
      // A second answer to hello is not read.
      if (std::string(at) + how == "hellotwice") continue;
      // Tests every misbehaviour at one operation, and some at every operation: in `make test` one
      // at hello, since a client that has begun fails alike at each.
      const bool is_other = at != std::string("acquire");
      if (is_other && how != std::string("garbage") && how != std::string("exits")) continue;
      if (is_other && std::string(at) + how != "hellogarbage" && !RunsAllTrials()) continue;
      Driven run({"--driver", Liar(std::string(at) + " " + how), "--duration", "20s"});
      EXPECT_EQ(run.program->Wait(), 4) << run.program->Out();
      EXPECT_NE(run.program->Err().find(says), std::string::npos) << run.program->Err();
      EXPECT_EQ(Lines(run.program->Err()), 1u) << run.program->Err();
      ExpectNothingLeftDriver(*run.program);
    }
  }
}

TEST_F(Drivers, ARefereesDriverThatBreaksTheProtocolEndsTheRunToo) {
  Driven run({"--driver", Liar("acquire garbage referee")});
  EXPECT_EQ(run.program->Wait(), 4) << run.program->Out();
  EXPECT_NE(run.program->Err().find(
                "the referee: its driver broke the protocol: not valid JSON: Traceback"),
            std::string::npos)
      << run.program->Err();
  ExpectNothingLeftDriver(*run.program);
}

TEST_F(Drivers, ADriverThatNeverAnswersIsFoundAndDoesNotBlockTheRun) {
  Driven hello({"--driver", Liar("hello never")});
  Driven setup({"--driver", Liar("setup never")});
  Driven run({"--driver", Liar("acquire never")});
  EXPECT_EQ(run.program->Wait(), 1) << run.program->Out() << run.program->Err();
  ExpectNothingLeftDriver(*run.program);
  const nlohmann::json verdict = run.Verdict();
  EXPECT_EQ(FindClaimJson(verdict, "call-timeout").at("outcome"), "violated");
  for (const nlohmann::json& claim : verdict.at("claims"))
    EXPECT_NE(claim.at("outcome"), "valid") << claim;
  for (const auto& [waits, op] : {std::pair(&hello, "hello"), std::pair(&setup, "setup")}) {
    EXPECT_EQ(waits->program->Wait(), 4);
    EXPECT_NE(waits->program->Err().find(std::string("did not answer ") + op + " within 20s"),
              std::string::npos)
        << waits->program->Err();
    EXPECT_EQ(Lines(waits->program->Err()), 1U);
    ExpectNothingLeftDriver(*waits->program);
  }
}

TEST_F(Drivers, ADriverThatCannotBeRunIsReported) {
  Driven run({"--driver", "no-such-program-anywhere"});
  EXPECT_EQ(run.program->Wait(), 4);
  EXPECT_NE(
      run.program->Err().find("the driver 'no-such-program-anywhere' ended by itself: it exited "
                              "with status 127; its log ends: "),
      std::string::npos)
      << run.program->Err();
  const Finished bytes = RunProgram({"run", "--driver", kPython + "\xff.py"});
  EXPECT_EQ(bytes.exit_code, 3);
  EXPECT_EQ(bytes.err, "doublehold run: --driver: is not valid UTF-8\n");
}

// A copy of an interpreter with the mark of Go counts as a program of Go.
TEST_F(Drivers, AMovedClockThatADriverDoesNotReadNeverTookEffect) {
  WriteFile(folder_.path() / "jump.toml", R"(
[lock]
lease = "400ms"
[[fault]]
kind = "jump"
client = 1
by = "1s"
from = "200ms"
on = "client 1 after-acquire"
for = "300ms"
)");
  const fs::path marked = folder_.path() / "python3";
  fs::copy_file("/usr/bin/python3", marked);
  std::ofstream(marked, std::ios::app | std::ios::binary) << "\xff Go buildinf:";
  for (const bool own_clock : {false, true}) {
    const std::string python = own_clock ? marked.string() : "/usr/bin/python3";
    Driven run({(folder_.path() / "jump.toml").string(), "--driver",
                python + " " + SourceDir() + "/drivers/template.py; true"});
    EXPECT_LE(run.program->Wait(), 2) << run.program->Out() << run.program->Err();
    const bool took_effect = run.program->Out().find("never took effect") == std::string::npos;
    EXPECT_EQ(took_effect, !own_clock) << run.program->Out();
  }
}

TEST_F(Drivers, ADriverWhoseTimeCannotRunFastIsRefused) {
  const std::vector<std::string> fast{"--speed", "10", "--lease", "30s", "--duration", "20s"};
  std::vector<std::string> words{"--driver", "env -u LD_PRELOAD " + kDriverTemplate};
  words.insert(words.end(), fast.begin(), fast.end());
  Driven run(words);
  EXPECT_EQ(run.program->Wait(), 3) << run.program->Out();
  EXPECT_NE(run.program->Err().find("whose time cannot run fast"), std::string::npos)
      << run.program->Err();
  words[1] = kDriverTemplate;
  Driven accepted(words);
  EXPECT_EQ(accepted.program->Wait(), 0) << accepted.program->Out() << accepted.program->Err();
}

// A shell waits for the driver, so that it is not the client's own child.
TEST_F(Drivers, ADriverThatDoesNotEndIsKilledWithItsClient) {
  Driven run({"--driver", Liar("bye stays") + "; true"});
  EXPECT_TRUE(Eventually([&] { return ListDrivers(*run.program).size() >= 6; }));
  const std::vector<pid_t> drivers = ListDrivers(*run.program);
  EXPECT_EQ(run.program->Wait(), 1) << run.program->Err();
  for (const pid_t driver : drivers) EXPECT_TRUE(IsOver(driver));
  ExpectNothingLeftDriver(*run.program);
}

TEST_F(Drivers, APauseStopsTheDriverToo) {
  const TestFolder folder;
  WriteFile(folder.path() / "pause.toml",
            "[[fault]]\nkind = 'pause'\nclient = 1\nfrom = '500ms'\nfor = "
            "'4s'\n");
  Driven run(
      {(folder.path() / "pause.toml").string(), "--driver", kDriverTemplate, "--duration", "6s"});
  std::vector<pid_t> stopped;
  EXPECT_TRUE(Eventually([&] {
    stopped = ListDrivers(*run.program);
    std::erase_if(stopped, [](pid_t process) { return ReadProcessState(process) != 'T'; });
    return !stopped.empty();
  }));
  ASSERT_EQ(stopped.size(), 1u) << "another client's driver was stopped too";
  EXPECT_TRUE(Eventually([&] { return ReadProcessState(stopped[0]) != 'T'; }))
      << "it was never let go on";
  EXPECT_LE(run.program->Wait(), 2) << run.program->Err();
  ExpectNothingLeftDriver(*run.program);
}

TEST_F(Drivers, ACrashKillsTheDriverToo) {
  const TestFolder folder;
  WriteFile(folder.path() / "crash.toml", "[[fault]]\nkind = 'crash'\nclient = 1\nfrom = '1s'\n");
  Driven run(
      {(folder.path() / "crash.toml").string(), "--driver", kDriverTemplate, "--duration", "6s"});
  EXPECT_TRUE(Eventually([&] { return ListDrivers(*run.program).size() == 3; }));
  EXPECT_TRUE(Eventually([&] { return ListDrivers(*run.program).size() == 2; }));
  EXPECT_TRUE(Eventually([&] { return run.program->DescendantNamed("dh-client-1") == 0; }));
  EXPECT_NE(run.program->DescendantNamed("dh-client-2"), 0);
  EXPECT_LE(run.program->Wait(), 2) << run.program->Err();
  ExpectNothingLeftDriver(*run.program);
}

TEST_F(Drivers, ALockWithAWatchdogIsNotJudgedByItsLease) {
  const std::string command = kDriverTemplate + " | sed -u 's/\"can\": \\[/&\"watchdog\", /'";
  Driven run({"--driver", command});
  EXPECT_EQ(run.program->Wait(), 0) << run.program->Out() << run.program->Err();
  EXPECT_TRUE(FindClaimJson(run.Verdict(), "lease-exclusion").is_null());
  EXPECT_EQ(FindClaimJson(run.Verdict(), "exclusion").at("outcome"), "valid");
  const Finished asked =
      RunProgram({"run", "--driver", command, "--set", "claims=lease-exclusion"});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_NE(
      asked.err.find("workload inventory with lock driver cannot judge claim 'lease-exclusion'"),
      std::string::npos)
      << asked.err;
}

TEST_F(Drivers, TheDriverDefinesWhichOptionsExist) {
  Driven run({"--driver", kDriverTemplate, "--option", "interval_ms=7"});
  EXPECT_EQ(run.program->Wait(), 0) << run.program->Err();
  EXPECT_EQ(ReadJson(run.folder.path() / "run/plan.json").at("driver").at("options"),
            (nlohmann::json{{"interval_ms", "7"}}));
  const TestFolder folder;
  WriteFile(folder.path() / "a.toml", "lock.driver = '" + kDriverTemplate +
                                          "'\n[lock.options]\ninterval_ms = 7\nfair = true\n");
  const Finished unknown = RunProgram({"run", (folder.path() / "a.toml").string()});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_EQ(unknown.err, "doublehold run: the driver '" + kDriverTemplate +
                             "' refused hello: no such option: fair (there is: interval_ms)\n");
  const Finished wrong =
      RunProgram({"run", "--driver", kDriverTemplate, "--option", "interval_ms=soon"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_NE(wrong.err.find("' refused hello: interval_ms is a whole number of milliseconds, up to "
                           "an hour, and not 'soon'\n"),
            std::string::npos)
      << wrong.err;
  const Finished none = RunProgram({"run", "--lock", "redlock", "--option", "fair=yes"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_NE(none.err.find("lock redlock has no such setting"), std::string::npos) << none.err;
  EXPECT_EQ(RunProgram({"run", "--driver", kDriverTemplate, "--option", "fair"}).err,
            "doublehold run: --option fair: not of the form name=value\n");
  EXPECT_EQ(
      RunProgram({"driver", "check", "--option", "interval_ms=x", "--", kDriverTemplate}).exit_code,
      3);
}

TEST_F(Drivers, TheTokensOfADriverAreJudged) {
  Driven rising({"--driver", WithTokens("rising"), "--set", "workload.write=fenced"});
  EXPECT_EQ(rising.program->Wait(), 0) << rising.program->Out() << rising.program->Err();
  EXPECT_EQ(FindClaimJson(rising.Verdict(), "fencing").at("outcome"), "valid");
  const Finished again =
      RunProgram({"run", "--dry-run", "--plan", (rising.folder.path() / "run/plan.json").string()});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  Driven falling({"--driver", WithTokens("falling")});
  EXPECT_EQ(falling.program->Wait(), 1) << falling.program->Out() << falling.program->Err();
  EXPECT_EQ(FindClaimJson(falling.Verdict(), "fencing").at("outcome"), "violated");
  EXPECT_EQ(FindClaimJson(falling.Verdict(), "exclusion").at("outcome"), "valid");

  EXPECT_EQ(RunProgram({"driver", "check", "--", WithTokens("rising")}).exit_code, 0);
  const Finished checked = RunProgram({"driver", "check", "--", WithTokens("falling")});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_NE(checked.out.find("WRONG  tokens rise from grant to grant: token "), std::string::npos)
      << checked.out;
  Driven none({"--driver", kDriverTemplate, "--set", "workload.write=fenced"});
  EXPECT_EQ(none.program->Wait(), 3);
  EXPECT_NE(none.program->Err().find("write=fenced needs a lock that gives fencing tokens"),
            std::string::npos)
      << none.program->Err();
}

TEST_F(Drivers, AreCheckedAgainstTheProtocol) {
  for (const auto& [runtime, file] :
       {std::pair("python3", "/drivers/template.py"), std::pair("sh", "/drivers/template.sh")}) {
    const Finished good = RunProgram({"driver", "check", "--", runtime, SourceDir() + file});
    EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
    EXPECT_EQ(good.out.find("WRONG"), std::string::npos) << good.out;
    EXPECT_GE(Lines(good.out), 7u) << good.out;
  }
  const Finished none = RunProgram({"driver", "check", "--", "no-such-program", "x"});
  EXPECT_EQ(none.exit_code, 4) << none.out << none.err;
  EXPECT_NE(none.out.find("WRONG  hello: the driver ended by itself"), std::string::npos)
      << none.out;
  const Finished liar = RunProgram({"driver", "check", "--", Liar()});
  EXPECT_EQ(liar.exit_code, 1) << liar.err;
  for (const char* says :
       {"WRONG  a second client is refused, and granted after the release: acquire of a key that "
        "another holds: the answer must be no, but is ok, grant 'g'\n",
        "WRONG  a release of a lock that is not held answers no: a second release of the same "
        "grant: the answer must be no, but is ok\n",
        "WRONG  an unknown option is refused: hello with 'no-such-option': the answer must be an "
        "error, but is ok\n",
        "ok     the driver exits after bye\n"})
    EXPECT_NE(liar.out.find(says), std::string::npos) << liar.out;
  const Finished broken = RunProgram({"driver", "check", "--", Liar("release garbage")});
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_NE(broken.out.find("the driver broke the protocol: not valid JSON: Traceback"),
            std::string::npos)
      << broken.out;
}

// The driver starts a process in a session of its own. Killing the client or its process group does
// not kill this process.
TEST_F(Drivers, ADetachedChildOfADriverEndsWithTheRun) {
  const TestFolder folder;
  WriteFile(folder.path() / "detaches.py", R"py(
import os, subprocess, sys
child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
with open(sys.argv[1], "a") as pids:
    print(child.pid, file=pids)
os.execv(sys.executable, [sys.executable, sys.argv[2]])
)py");
  const fs::path pids = folder.path() / "pids";
  Driven driven({"--driver", kPython + (folder.path() / "detaches.py").string() + " " +
                                 pids.string() + " " + SourceDir() + "/drivers/template.py"});
  ASSERT_EQ(driven.program->Wait(), 0) << driven.program->Err();
  const nlohmann::json verdict = driven.Verdict();
  EXPECT_NE(
      verdict.at("warnings")
          .dump()
          .find(
              "3 processes that drivers had started outlived the drivers, and were killed: sleep"),
      std::string::npos)
      << verdict.at("warnings");
  std::ifstream in(pids);
  int left = 0;
  for (pid_t pid = 0; in >> pid; ++left) EXPECT_TRUE(IsOver(pid));
  EXPECT_EQ(left, 4) << "of two clients, the referee, and the one that was asked what it is";
}

}  // namespace
}  // namespace doublehold
