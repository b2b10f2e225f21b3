// What `driver check` finds out about a driver that tells of losses, made of the template.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compose/program.h"

namespace doublehold {
namespace {

// Looks every 20 ms whether the lock is still there; "never" says nothing.
constexpr const char* kWatcher = R"(
import json, sys, threading, time
sys.path.insert(0, sys.argv[1])
from template import Driver, Library, Redis
IS_OURS = "if redis.call('get',KEYS[1])==ARGV[1] then return 1 else return 0 end"

class Watched(Library):
    CAN = ["lease", "lost"]

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

TEST(DriverTrial, AsksThoseWhoTellOfLossesForOne) {
  const TestFolder folder;
  WriteFile(folder.path() / "watcher.py", kWatcher);
  const auto check = [&](const char* how) {
    return RunProgram({"driver", "check", "--", "/usr/bin/python3",
                       (folder.path() / "watcher.py").string(), DOUBLEHOLD_SOURCE_DIR "/drivers",
                       how});
  };
  const Finished told = check("always");
  EXPECT_EQ(told.exit_code, 0) << told.out << told.err;
  EXPECT_NE(told.out.find("ok     the loss of a lock is told\n"), std::string::npos) << told.out;
  const Finished silent = check("never");
  EXPECT_EQ(silent.exit_code, 4) << silent.err;
  EXPECT_NE(
      silent.out.find("WRONG  the loss of a lock is told: the server forgot the lock: not told "
                      "within 3s\n"),
      std::string::npos)
      << silent.out;
}

}  // namespace
}  // namespace doublehold
