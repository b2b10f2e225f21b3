// Leftover keys of a library are found under any name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/testing/case_name.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

// The template's lock with another key name, beside a counter that is never removed. With `leaves`,
// client 1 does not delete its key. `blindly` says that its release does not check the owner.
constexpr const char* kNamed = R"py(
import importlib.util, sys
spec = importlib.util.spec_from_file_location("template", sys.argv[1])
template = importlib.util.module_from_spec(spec)
spec.loader.exec_module(template)
name, leaves = sys.argv[2], sys.argv[3] == "leaves"

class Named(template.Library):
    def __init__(self, setup, options):
        super().__init__(setup, options)
        self.leaves = leaves and setup["client"] == 1

    @staticmethod
    def can(options):
        more = ["blind-release"] if sys.argv[3] == "blindly" else []
        return template.Library.can(options) + more

    def acquire(self, key, lease_ms, wait_ms):
        self.redis.call("INCR", "count:" + key)
        return super().acquire(name.replace("KEY", key), lease_ms, wait_ms)

    def release(self, grant):
        return {} if self.leaves else super().release(grant)

template.Driver(Named).run()
)py";

struct LibraryKeysNamed {
  const char* name;
  const char* how;
  const char* outcome;
};

void PrintTo(const LibraryKeysNamed& each, std::ostream* out) { *out << each.name; }

class LibraryKeys : public ::testing::TestWithParam<LibraryKeysNamed> {};

TEST_P(LibraryKeys, LeftoverKeysAreFoundUnderTheLibrarysNames) {
  const bool varies = GetParam().name == std::string("lock:KEY");
  if (varies && !RunsAllTrials()) GTEST_SKIP() << kVariation;
  const TestFolder folder;
  WriteFile(folder.path() / "named.py", kNamed);
  // The lease is long, so that even a busy machine looks for leftover keys before it expires.
  const std::string driver = fmt::format("/usr/bin/python3 {} {}/drivers/template.py {} {}",
                                         (folder.path() / "named.py").string(), SourceDir(),
                                         GetParam().name, GetParam().how);
  const Finished finished = RunProgram({"run", "--driver", driver, "--clients", "1", "--duration",
                                        "600ms", "--lease", "4s", "--claims", "key-leak,liveness",
                                        "--into", (folder.path() / "run").string()});
  EXPECT_LE(finished.exit_code, 2) << finished.err;
  const nlohmann::json verdict = ReadJson(folder.path() / "run" / "verdict.json");
  EXPECT_EQ(verdict.at("claims").at(0).at("outcome"), GetParam().outcome) << verdict.dump(1);
  EXPECT_EQ(verdict.at("claims").at(1).at("outcome"), "valid") << verdict.dump(1);
}

INSTANTIATE_TEST_SUITE_P(Each, LibraryKeys,
                         ::testing::Values(LibraryKeysNamed{"KEY", "deletes", "valid"},
                                           LibraryKeysNamed{"KEY", "leaves", "violated"},
                                           LibraryKeysNamed{"lock:KEY", "deletes", "valid"},
                                           LibraryKeysNamed{"lock:KEY", "blindly", "valid"},
                                           LibraryKeysNamed{"lock:KEY", "leaves", "violated"},
                                           LibraryKeysNamed{"{KEY}:lock", "leaves", "violated"},
                                           LibraryKeysNamed{"its-own", "deletes", "unknown"}),
                         testing::CaseName());

// A lock in etcd, over its JSON gateway: a key with a lease, whose last part differs from grant to
// grant. With `leaves`, client 1 does not delete it.
constexpr const char* kInEtcd = R"py(
import base64, importlib.util, json, sys, urllib.request
spec = importlib.util.spec_from_file_location("template", sys.argv[1])
template = importlib.util.module_from_spec(spec)
spec.loader.exec_module(template)

def coded(text):
    return base64.b64encode(text.encode()).decode()

class InEtcd(template.Library):
    SERVICE = "etcd"

    def __init__(self, setup, options):
        self.url, self.keys = "http://{host}:{port}/v3/".format(**setup["nodes"][0]), {}
        self.leaves = sys.argv[2] == "leaves" and setup["client"] == 1

    def call(self, path, **body):
        return json.load(urllib.request.urlopen(self.url + path, json.dumps(body).encode(), timeout=5))

    def acquire(self, key, lease_ms, wait_ms):
        folder = f"/locks/{key}/"
        if self.call("kv/range", key=coded(folder), range_end=coded(f"/locks/{key}0")).get("kvs"):
            return None
        lease = self.call("lease/grant", TTL=lease_ms // 1000)["ID"]
        self.keys[lease] = folder + lease
        self.call("kv/put", key=coded(folder + lease), value="", lease=lease)
        return {"grant": lease}

    def release(self, grant):
        if not self.leaves:
            self.call("kv/deleterange", key=coded(self.keys[grant]))
        return {} if self.keys.pop(grant, None) else None

template.Driver(InEtcd).run()
)py";

// Only one client, since the lock is none.
TEST(KeysInEtcd, ALeftoverIsFoundThoughItsNameDiffersFromGrantToGrant) {
  const TestFolder folder;
  WriteFile(folder.path() / "in_etcd.py", kInEtcd);
  for (const auto& [how, outcome] : {std::pair{"keeps", "valid"}, {"leaves", "violated"}}) {
    const std::string driver =
        fmt::format("/usr/bin/python3 {} {}/drivers/template.py {}",
                    (folder.path() / "in_etcd.py").string(), SourceDir(), how);
    const Finished finished =
        RunProgram({"run", "--driver", driver, "--clients", "1", "--duration", "600ms", "--lease",
                    "4s", "--claims", "key-leak", "--into", (folder.path() / how).string()});
    if (finished.exit_code == 4) GTEST_SKIP() << finished.err;
    const nlohmann::json verdict = ReadJson(folder.path() / how / "verdict.json");
    EXPECT_EQ(FindClaimJson(verdict, "key-leak").at("outcome"), outcome) << verdict.dump(1);
  }
}

}  // namespace
}  // namespace doublehold
