// Tests `driver check` on variants of the template with more or fewer capabilities.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

// A driver that checks every 20 ms whether it still has the lock, and reports a lost lock. With
// "never" it reports nothing.
constexpr const char* kWatcher = R"(
import json, sys, threading, time
sys.path.insert(0, sys.argv[1])
from template import Driver, Library, Redis
IS_OURS = "if redis.call('get',KEYS[1])==ARGV[1] then return 1 else return 0 end"

class Watched(Library):
    can = staticmethod(lambda options: ["lease", "lost"])

    def acquire(self, **members):
        got = super().acquire(**members)
        if got and sys.argv[2] != "never":
            threading.Thread(target=self.watch, args=[got["grant"]], daemon=True).start()
        return got

    def watch(self, grant):
        redis, key = Redis(*self.redis.address), self.keys[grant]
        while grant in self.keys:
            if not redis.call("EVAL", IS_OURS, 1, key, grant):
                with driver.writing:
                    print(json.dumps({"lost": {"grant": grant}}), flush=True)
            time.sleep(0.02)

driver = Driver(Watched)
driver.run()
)";

TEST(DriverTrial, TestsLostNotificationsIfTheDriverHasThem) {
  const TestFolder folder;
  WriteFile(folder.path() / "watcher.py", kWatcher);
  const auto check = [&](const char* how) {
    return RunProgram({"driver", "check", "--", "/usr/bin/python3",
                       (folder.path() / "watcher.py").string(), SourceDir() + "/drivers", how});
  };
  const Finished told = check("always");
  EXPECT_EQ(told.exit_code, 0) << told.out << told.err;
  EXPECT_NE(told.out.find("ok     the driver reports a lost lock\n"), std::string::npos)
      << told.out;
  const Finished silent = check("never");
  EXPECT_EQ(silent.exit_code, 1) << silent.err;
  EXPECT_NE(silent.out.find("WRONG  the driver reports a lost lock: the server lost the lock, and "
                            "the driver did not report that within 10s\n"),
            std::string::npos)
      << silent.out;
}

// A driver that keeps using its connection after the server has closed it.
constexpr const char* kStubborn = R"(
import sys
sys.path.insert(0, sys.argv[1])
import template

class Stubborn(template.Redis):
    def call(self, *words):
        first = self.stream
        try:
            return super().call(*words)
        except OSError:
            self.stream = first
            raise

template.Redis = Stubborn
template.Driver(template.Library).run()
)";

TEST(DriverTrial, TestsThatADriverReconnects) {
  const TestFolder folder;
  WriteFile(folder.path() / "stubborn.py", kStubborn);
  const Finished checked =
      RunProgram({"driver", "check", "--", "/usr/bin/python3",
                  (folder.path() / "stubborn.py").string(), SourceDir() + "/drivers"});
  EXPECT_EQ(checked.exit_code, 1) << checked.err;
  EXPECT_NE(
      checked.out.find(
          "WRONG  the driver reconnects after the server closed its connection: acquire 10s after "
          "the server closed its connections: the answer must be ok, but is an error ("),
      std::string::npos)
      << checked.out;
  EXPECT_EQ(checked.out.find("WRONG"), checked.out.rfind("WRONG")) << checked.out;
}

// A driver that lets the owner enter again, or readers enter together. argv: its capabilities, the
// count at which it frees the lock, and by how many ms it overstates its leases.
constexpr const char* kCounts = R"(
import os, sys, time
sys.path.insert(0, sys.argv[1])
from template import Driver, Library, Redis
ENTER = """local held = redis.call('get', KEYS[1])
if held and not (string.find(held, ARGV[1], 1, true) == 1) then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
local count = redis.call('incr', KEYS[1] .. ':count')
redis.call('pexpire', KEYS[1] .. ':count', ARGV[2])
return count"""
LEAVE = """if redis.call('get', KEYS[1]) ~= ARGV[2] then return 0 end
if redis.call('decr', KEYS[1] .. ':count') <= tonumber(ARGV[1]) then
  redis.call('del', KEYS[1], KEYS[1] .. ':count')
end
return 1"""

class Nested(Library):
    can = staticmethod(lambda options: ["lease", sys.argv[2]])
    LEAVES_AT = int(sys.argv[3])
    count = 0

    def acquire(self, key, lease_ms, wait_ms, mode="write"):
        give_up = time.monotonic() + wait_ms / 1000
        owner = "readers" if mode == "read" else f"{os.getpid()}:{id(self)}"
        while not self.redis.call("EVAL", ENTER, 1, key, owner, lease_ms):
            if time.monotonic() >= give_up: return None
            time.sleep(0.005)
        Nested.count += 1
        grant = f"{os.getpid()}-{Nested.count}"
        self.keys[grant] = (key, owner)
        return {"grant": grant, "validity_ms": lease_ms + int(sys.argv[4])}

    def release(self, grant):
        key, owner = self.keys.pop(grant, ("", ""))
        return {} if key and self.redis.call("EVAL", LEAVE, 1, key, self.LEAVES_AT, owner) else None

Driver(Nested).run()
)";

TEST(DriverTrial, TestsReadersNestedSectionsAndTheEndOfALease) {
  const TestFolder folder;
  WriteFile(folder.path() / "counts.py", kCounts);
  const struct {
    std::vector<std::string> arguments;
    std::string wrong;  // empty: all steps pass
  } cases[] = {
      {{"reentrant", "0", "0"}, ""},
      {{"reentrant", "1", "0"},
       "the owner may enter again, and the lock is free after the last release: acquire by another "
       "client before the last release: the answer must be no, but is ok"},
      {{"read-write", "0", "0"}, ""},
      {{"read-write", "1", "0"},
       "readers enter together, and exclude writers: acquire of a key that one reader still has: "
       "the answer must be no, but is ok"},
      {{"reentrant", "0", "900"}, "a lease expires: another client was granted the lock "},
  };
  for (const auto& [arguments, wrong] : cases) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(arguments, " ")));
    std::vector<std::string> words{"driver",
                                   "check",
                                   "--",
                                   "/usr/bin/python3",
                                   (folder.path() / "counts.py").string(),
                                   SourceDir() + "/drivers"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished checked = RunProgram(words);
    EXPECT_EQ(checked.exit_code, wrong.empty() ? 0 : 1) << checked.out << checked.err;
    if (wrong.empty()) {
      EXPECT_NE(
          checked.out.find(arguments.front() == "reentrant" ? "ok     the owner may enter again"
                                                            : "ok     readers enter together"),
          std::string::npos)
          << checked.out;
    } else {
      EXPECT_NE(checked.out.find("WRONG  " + wrong), std::string::npos) << checked.out;
    }
  }
}

TEST(DriverTrial, ReadersAndNestedSectionsAreJudgedInRuns) {
  const TestFolder folder;
  WriteFile(folder.path() / "counts.py", kCounts);
  const auto run = [&](const std::string& can, const std::string& leaves_at,
                       const std::string& workload) {
    const std::string driver =
        fmt::format("/usr/bin/python3 {} {} {} {} 0", (folder.path() / "counts.py").string(),
                    SourceDir() + "/drivers", can, leaves_at);
    const std::string into = (folder.path() / (workload + leaves_at)).string();
    const Finished finished =
        RunProgram({"run", "--driver", driver, "--workload", workload, "--lease", "1s",
                    "--duration", "2s", "--clients", "3", "--into", into});
    EXPECT_LE(finished.exit_code, 1) << finished.err;
    return ReadJson(std::filesystem::path(into) / "verdict.json");
  };
  EXPECT_EQ(run("read-write", "0", "catalogue").at("overall"), "valid");
  if (RunsAllTrials()) {
    EXPECT_EQ(run("reentrant", "0", "nested").at("overall"), "valid");
  }
  EXPECT_EQ(FindClaimJson(run("reentrant", "1", "nested"), "exclusion").at("outcome"), "violated");
}

TEST(DriverTrial, ARefusedOptionIsBadInputAsInARun) {
  const std::string driver = "/usr/bin/python3 " + SourceDir() + "/drivers/template.py";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "--driver", driver, "--option", "nix=1"},
        {"driver", "check", "--option", "nix=1", "--", driver}}) {
    const Finished finished = RunProgram(words);
    EXPECT_EQ(finished.exit_code, 3) << finished.out << finished.err;
    EXPECT_NE(finished.err.find(" refused hello: "), std::string::npos) << finished.err;
  }
}

// A driver that acquires several keys together. "first" acquires only the first key. "keeps" does
// not release the acquired keys when another key is refused.
constexpr const char* kTogether = R"(
import sys
sys.path.insert(0, sys.argv[1])
from template import Driver, Library

class Together(Library):
    can = staticmethod(lambda options: ["keys-together", "lease"])

    def acquire(self, key, lease_ms, wait_ms, also=()):
        grants = []
        for each in [key, *(also if sys.argv[2] != "first" else ())]:
            got = super().acquire(each, lease_ms, wait_ms)
            if got is None:
                for grant in grants if sys.argv[2] != "keeps" else []: super().release(grant)
                return None
            grants.append(got["grant"])
        return {"grant": " ".join(grants)}

    def release(self, grant):
        done = [super(Together, self).release(each) for each in grant.split(" ")]
        return None if None in done else {}

Driver(Together).run()
)";

TEST(DriverTrial, TestsThatSeveralKeysAreGrantedTogetherOrNone) {
  const TestFolder folder;
  WriteFile(folder.path() / "together.py", kTogether);
  const std::string step = "several keys are granted together, or none";
  for (const auto& [how, said] :
       {std::pair("right", "ok     " + step + "\n"),
        {"first", "WRONG  " + step + ": acquire of key 2 while another client holds both keys"},
        {"keeps", "WRONG  " + step + ": acquire of key 1 after the refusal of both keys"}}) {
    const Finished checked =
        RunProgram({"driver", "check", "--", "/usr/bin/python3",
                    (folder.path() / "together.py").string(), SourceDir() + "/drivers", how});
    EXPECT_NE(checked.out.find(said), std::string::npos) << how << "\n" << checked.out;
  }
}

}  // namespace
}  // namespace doublehold
