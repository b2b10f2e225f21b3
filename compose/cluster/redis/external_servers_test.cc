// Runs on servers that somebody else has started: here the test.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"
#include "lib/testing/servers.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

using testing::Ask;
using testing::Server;
using testing::ServerOptions;

constexpr const char* kForeign = "customer:1";  // a key of the server's owner

// A server with data of its owner, which only knows the user `app`.
class Foreign {
 public:
  explicit Foreign(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "--port", std::to_string(port_), "--user", "app", "on", ">hunter2", "~*", "&*", "+@all"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_ = std::make_unique<Server>(folder_.path() / "foreign.sock",
                                       ServerOptions{.arguments = arguments});
    EXPECT_EQ(Say({"SET", kForeign, "data"}), "OK");
  }

  [[nodiscard]] std::string Url(const char* host = "127.0.0.1") const {
    return fmt::format("redis://app@{}:{}", host, port_);
  }
  std::string Say(std::initializer_list<std::string_view> command) {
    return Ask(server_->address(), command);
  }
  Server& server() { return *server_; }
  // Whether the server has its owner's data, and nothing else.
  bool IsUntouched() {
    return Say({"GET", kForeign}) == "data" && Say({"DBSIZE"}) == "1" &&
           Say({"CONFIG", "GET", "save"}) == "[save, ]";
  }

 private:
  testing::TempFolder folder_;
  uint16_t port_ = testing::FindFreePort();
  std::unique_ptr<Server> server_;
};

class ExternalServers : public ::testing::Test {
 protected:
  ExternalServers() { setenv("DOUBLEHOLD_PASSWORD", "hunter2", 1); }
  ~ExternalServers() override { unsetenv("DOUBLEHOLD_PASSWORD"); }

  std::vector<std::string> Words(const std::string& endpoints, const std::vector<std::string>& more,
                                 const std::string& duration = "800ms") {
    std::vector<std::string> words{"run",
                                   "--endpoint",
                                   endpoints,
                                   "--clients",
                                   "2",
                                   "--lease",
                                   "400ms",
                                   "--duration",
                                   duration,
                                   "--into",
                                   (folder_.path() / "run").string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Finished Run(const std::string& endpoints, const std::vector<std::string>& more,
               const std::string& duration = "800ms") {
    std::filesystem::remove_all(folder_.path() / "run");
    return RunProgram(Words(endpoints, more, duration));
  }
  nlohmann::json Verdict() { return ReadJson(folder_.path() / "run" / "verdict.json"); }

  TestFolder folder_;
};

TEST_F(ExternalServers, ARunLeavesOnlyTheOwnersDataBehind) {
  Foreign foreign;
  const Finished finished = Run(foreign.Url(), {"--lock", "set-nx-px"});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_NE(Verdict().at("environment").at("redis").get<std::string>().find(" at 127.0.0.1:"),
            std::string::npos);
  EXPECT_NE(finished.out.find("the run did not start the lock's server"), std::string::npos)
      << finished.out;
  EXPECT_TRUE(foreign.IsUntouched());
}

TEST_F(ExternalServers, LocksOfAMajorityRunOnSeveralServersAndWithLinkFaults) {
  Foreign a;
  Foreign b;
  Foreign c;
  const Finished finished = Run(a.Url() + "," + b.Url() + "," + c.Url() + "/2",
                                {"--lock", "redlock", "--faults", "network"});
  EXPECT_LE(finished.exit_code, 2) << finished.err;
  EXPECT_TRUE(a.IsUntouched() && b.IsUntouched() && c.IsUntouched());
}

TEST_F(ExternalServers, AStoppedHolderIsFoundAsOnTheRunsOwnServers) {
  Foreign foreign;
  const Finished finished = Run(foreign.Url(), {"--lock", "set-nx-px", "--faults", "pause"}, "3s");
  EXPECT_EQ(finished.exit_code, 1) << finished.out << finished.err;
  EXPECT_EQ(FindClaimJson(Verdict(), "exclusion").at("outcome"), "violated");
  EXPECT_TRUE(foreign.IsUntouched());
}

TEST_F(ExternalServers, KeysWithTheRunsNamesAreDeletedOnlyByPermission) {
  Foreign foreign;
  EXPECT_EQ(foreign.Say({"SET", "dh:item:0", "precious"}), "OK");
  const Finished refused = Run(foreign.Url(), {"--lock", "set-nx-px"});
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_NE(refused.err.find("already has a key with names that the run uses (dh:item:0)"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(foreign.Say({"GET", "dh:item:0"}), "precious");
  EXPECT_EQ(foreign.Say({"EXISTS", "dh:run"}), "0");
  const Finished allowed = Run(foreign.Url(), {"--lock", "set-nx-px", "--i-own-this-server"});
  EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  EXPECT_TRUE(foreign.IsUntouched());
}

TEST_F(ExternalServers, AServerThatCannotBeUsedIsRefusedBeforeTheRun) {
  Foreign foreign;
  const auto error = [&](const std::string& url) {
    const Finished refused = Run(url, {"--lock", "set-nx-px"});
    EXPECT_EQ(refused.exit_code, 4) << refused.out;
    EXPECT_EQ(Lines(refused.err), 1u) << refused.err;
    return refused.err;
  };
  setenv("DOUBLEHOLD_PASSWORD", "wrong", 1);
  EXPECT_NE(error(foreign.Url()).find("the password is read from DOUBLEHOLD_PASSWORD"),
            std::string::npos);
  setenv("DOUBLEHOLD_PASSWORD", "hunter2", 1);
  EXPECT_NE(error("redis://app@127.0.0.1:1").find("Connection refused"), std::string::npos);
  EXPECT_NE(error("redis://app@no.such.host.invalid").find("no.such.host.invalid:6379"),
            std::string::npos);
  EXPECT_EQ(foreign.Say({"REPLICAOF", "127.0.0.1", "1"}), "OK");
  EXPECT_NE(error(foreign.Url()).find("read only replica"), std::string::npos);
  EXPECT_EQ(foreign.Say({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_TRUE(foreign.IsUntouched());
}

// A driver that sends `bytes` before it asks for the lock.
std::string DriverThatSends(const TestFolder& folder, const std::string& bytes) {
  const std::string program = (folder.path() / "hostile.py").string();
  WriteFile(program, R"py(
import importlib.util, sys
spec = importlib.util.spec_from_file_location("template", sys.argv[1])
template = importlib.util.module_from_spec(spec)
spec.loader.exec_module(template)

class Hostile(template.Library):
    def acquire(self, key, lease_ms, wait_ms):
        self.redis.call("PING")
        try:
            self.redis.stream.write(sys.argv[2].encode().decode("unicode_escape").encode())
            self.redis.stream.flush()
            self.redis.stream.readline()
        except OSError:
            self.redis.stream = None
        return super().acquire(key, lease_ms, wait_ms)

template.Driver(Hostile).run()
)py");
  return fmt::format("/usr/bin/python3 {} {}/drivers/template.py '{}'", program, SourceDir(),
                     bytes);
}

TEST_F(ExternalServers, ADriverCannotFlushThem) {
  Foreign foreign;
  std::vector<std::string> ways{R"(*1\r\n$8\r\nFLUSHALL\r\n)",
                                R"(MULTI\r\nFLUSHALL\r\nEXEC\r\n)",
                                R"(flushall\r\n)",
                                R"("FLUSHALL"\r\n)",
                                R"(\vFLUSHALL\r\n)",
                                R"(*1\rX$8\rXFLUSHALLXX)",
                                R"(PSYNC ? -1\r\nFLUSHALL\r\n)",
                                R"(*-5\r\n*1\r\n$8\r\nFLUSHALL\r\n)",
                                R"(CLIENT KILL TYPE normal\r\n)"};
  if (!RunsAllTrials()) ways.resize(1);
  for (const std::string& bytes : ways) {
    const Finished finished = Run(foreign.Url(), {"--driver", DriverThatSends(folder_, bytes)});
    EXPECT_EQ(finished.exit_code, 4) << bytes << finished.out << finished.err;
    EXPECT_NE(finished.err.find("that was not passed on"), std::string::npos)
        << bytes << finished.err;
    EXPECT_TRUE(foreign.IsUntouched()) << bytes;
  }
}

TEST_F(ExternalServers, ARunOnAServerThatWasFlushedHasNoVerdict) {
  Foreign foreign;
  Program program(Words(foreign.Url(), {"--lock", "set-nx-px"}, "2s"));
  ASSERT_TRUE(Eventually([&] { return foreign.Say({"EXISTS", "dh:item:0"}) == "1"; }));
  EXPECT_EQ(foreign.Say({"FLUSHALL"}), "OK");
  EXPECT_EQ(program.Wait(), 4);
  EXPECT_NE(program.Err().find("was flushed during the run"), std::string::npos) << program.Err();
}

TEST_F(ExternalServers, ASecondRunAndASecondNameOfOneServerAreRefused) {
  Foreign foreign;
  Program program(Words(foreign.Url(), {"--lock", "set-nx-px"}, "3s"));
  ASSERT_TRUE(Eventually([&] { return foreign.Say({"EXISTS", "dh:run"}) == "1"; }));
  const Finished second = RunProgram({"run", "--endpoint", foreign.Url(), "--lock", "set-nx-px",
                                      "--into", (folder_.path() / "second").string()});
  EXPECT_EQ(second.exit_code, 4) << second.out;
  EXPECT_NE(second.err.find("another run uses the server"), std::string::npos) << second.err;
  EXPECT_EQ(program.Wait(), 0) << program.Err();
  EXPECT_TRUE(foreign.IsUntouched());
  const Finished twice =
      Run(foreign.Url() + "," + foreign.Url("localhost") + "/1", {"--lock", "redlock"});
  EXPECT_EQ(twice.exit_code, 4) << twice.out;
  EXPECT_NE(twice.err.find("are the same server"), std::string::npos) << twice.err;
}

// Puts a stunnel first in PATH whose socket exists half a second before it accepts connections.
class SlowStunnel {
 public:
  explicit SlowStunnel(const TestFolder& folder) : path_(std::getenv("PATH")) {
    const std::filesystem::path program = folder.path() / "stunnel";
    WriteFile(program, R"py(#!/usr/bin/python3
import os, re, socket, sys, time
os.environ["PATH"] = os.environ["PATH"].split(":", 1)[1]
if sys.argv[1] != "-version":
    path = re.search("accept = (.*)", open(sys.argv[1]).read())[1]
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(path)
    time.sleep(0.5)
    os.unlink(path)
os.execvp("stunnel", sys.argv)
)py");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    setenv("PATH", fmt::format("{}:{}", folder.path().string(), path_).c_str(), 1);
  }
  ~SlowStunnel() { setenv("PATH", path_.c_str(), 1); }

 private:
  const std::string path_;
};

TEST_F(ExternalServers, TlsNeedsACertificateOfAKnownAuthority) {
  if (!RunToEnd({"stunnel", "-version"})) GTEST_SKIP() << "needs the Debian package stunnel4";
  const std::string certificate = (folder_.path() / "authority.pem").string();
  const std::string key = (folder_.path() / "key.pem").string();
  ASSERT_TRUE(RunTool({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
                       "-out", certificate, "-days", "30", "-subj", "/CN=locks", "-addext",
                       "subjectAltName=DNS:localhost"}));
  const uint16_t port = testing::FindFreePort();
  Foreign foreign({"--tls-port", std::to_string(port), "--tls-cert-file", certificate,
                   "--tls-key-file", key, "--tls-ca-cert-file", certificate, "--tls-auth-clients",
                   "no"});
  const std::string url = fmt::format("rediss://app@localhost:{}", port);
  const std::vector<std::string> more{"--lock", "set-nx-px"};
  const Finished refused = Run(url, more);
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_NE(refused.err.find("set SSL_CERT_FILE"), std::string::npos) << refused.err;
  const Finished plain = Run(fmt::format("redis://localhost:{}", port), more);
  EXPECT_NE(plain.err.find("; if the port expects TLS, use rediss://"), std::string::npos)
      << plain.err;
  const Finished closed = Run(fmt::format("rediss://localhost:{}", testing::FindFreePort()), more);
  EXPECT_NE(closed.err.find(": connect: Connection refused\n"), std::string::npos) << closed.err;
  setenv("SSL_CERT_FILE", "/nonexistent/ca.pem", 1);
  const Finished no_file = Run(url, more);
  EXPECT_NE(no_file.err.find(": SSL_CERT_FILE=/nonexistent/ca.pem: no such file\n"),
            std::string::npos)
      << no_file.err;
  setenv("SSL_CERT_FILE", key.c_str(), 1);
  const Finished no_certificate = Run(url, more);
  EXPECT_NE(no_certificate.err.find("stunnel does not start with the certificates in " + key),
            std::string::npos)
      << no_certificate.err;
  setenv("SSL_CERT_FILE", certificate.c_str(), 1);
  const Finished trusted = [&] {
    const SlowStunnel slow(folder_);
    return Run(url, more);
  }();
  const Finished misnamed = Run(fmt::format("rediss://app@127.0.0.1:{}", port), more);
  unsetenv("SSL_CERT_FILE");
  EXPECT_EQ(trusted.exit_code, 0) << trusted.out << trusted.err;
  EXPECT_EQ(misnamed.exit_code, 4) << misnamed.out;
  EXPECT_TRUE(foreign.IsUntouched());
}

TEST_F(ExternalServers, ARunOnAServerThatWasRestartedHasNoVerdict) {
  Foreign foreign;
  Program program(Words(foreign.Url(), {"--lock", "set-nx-px"}, "4s"));
  ASSERT_TRUE(Eventually([&] { return foreign.Say({"EXISTS", "dh:item:0"}) == "1"; }));
  foreign.server().Kill();
  foreign.server().Start();
  EXPECT_EQ(program.Wait(), 4);
  EXPECT_NE(program.Err().find("was restarted during the run"), std::string::npos) << program.Err();
}

TEST_F(ExternalServers, AKilledRunLeavesTheOwnersData) {
  Foreign foreign;
  Program program(Words(foreign.Url(), {"--lock", "set-nx-px"}, "30s"));
  ASSERT_TRUE(Eventually([&] { return foreign.Say({"EXISTS", "dh:item:0"}) == "1"; }));
  program.Signal(SIGKILL);
  program.Wait();
  EXPECT_EQ(foreign.Say({"GET", kForeign}), "data");
  const Finished next = Run(foreign.Url(), {"--lock", "set-nx-px", "--i-own-this-server"});
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_TRUE(foreign.IsUntouched());
}

}  // namespace
}  // namespace doublehold
