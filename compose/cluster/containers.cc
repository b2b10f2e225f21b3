#include "compose/cluster/containers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/time.h"
#include "lib/base/words.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

constexpr const char* kEngine = "docker";
constexpr const char* kPatienceSeconds = "30";  // with one command
constexpr int kTimedOut = 124;                  // statuses of `timeout`
constexpr int kNotFound = 127;
constexpr Duration kIdleInterval = 5ms;

// Returns what the engine printed. The message of an error is in the last line.
Result<std::string> AskEngine(const std::vector<std::string>& words) {
  std::vector<std::string> argv{"timeout", kPatienceSeconds, kEngine};
  argv.insert(argv.end(), words.begin(), words.end());
  const RunResult run = TRY(RunToEnd(argv, {.with_errors = true}));
  if (run.succeeded()) return run.output;
  const size_t end = run.output.find_last_not_of(" \n");
  const std::string text = run.output.substr(0, end == std::string::npos ? 0 : end + 1);
  std::string why = text.empty() ? "it failed" : OnOneLine(text.substr(text.rfind('\n') + 1));
  if (WIFEXITED(run.status) && WEXITSTATUS(run.status) == kNotFound)
    why = "command not found; install it (Debian package docker.io)";
  if (WIFEXITED(run.status) && WEXITSTATUS(run.status) == kTimedOut)
    why = fmt::format("no answer within {} s", kPatienceSeconds);
  return EnvironmentFailed(fmt::format("{} {}: {}", kEngine, fmt::join(words, " "), why));
}

// Says why a kill and a start would not bring the container back as it was. Empty: they would.
std::string WhyNotRestartable(const nlohmann::json& settings) {
  if (settings.value("AutoRemove", false)) return "is removed when it stops; start it without --rm";
  bool varies = settings.value("PublishAllPorts", false);
  const nlohmann::json bindings = settings.value("PortBindings", nlohmann::json());
  for (const auto& [inside, outside] : bindings.items()) {
    for (const nlohmann::json& one : outside) {
      const std::string port = one.value("HostPort", "");
      varies = varies || port.empty() || port == "0";
    }
  }
  return varies ? "gets another host port at each start; publish a fixed one" : "";
}

}  // namespace

struct Containers::Container {
  explicit Container(std::string name_) : name(std::move(name_)) {}

  // Lets the engine carry out a command, after those before it.
  void Tell(const char* verb) {
    ++pending;
    boost::asio::post(thread, [this, verb] {
      const Result<std::string> done = AskEngine({verb, name});
      const std::lock_guard lock(mutex);
      if (!done && !error) error = done.error();
      --pending;
    });
  }

  Result<void> FirstError() {
    const std::lock_guard lock(mutex);
    return error ? Result<void>(tl::unexpected(*error)) : Result<void>();
  }

  std::string name;
  bool paused = false;
  bool dead = false;
  int acts = 0;
  std::atomic<int> pending = 0;
  std::mutex mutex;  // of `error`
  std::optional<Error> error;
  boost::asio::thread_pool thread{1};
};

Containers::Containers() = default;

Containers::~Containers() { [[maybe_unused]] const Result<void> restored = Restore(); }

Result<void> Containers::Find(int node, const std::string& name) {
  // Podman's own processes would be children of this process, which ends them after the run.
  if (TRY(AskEngine({"--version"})).find("podman") != std::string::npos)
    return EnvironmentFailed(
        "docker is Podman here; use Docker's own command with Podman's socket: "
        "DOCKER_HOST=unix:///run/podman/podman.sock");
  const std::string told =
      TRY(AskEngine({"container", "inspect", "--format",
                     R"({"state":{{json .State}},"settings":{{json .HostConfig}}})", name}));
  const nlohmann::json seen = nlohmann::json::parse(told, nullptr, /*allow_exceptions=*/false);
  if (!seen.is_object() || !seen.at("state").is_object() || !seen.at("settings").is_object())
    return EnvironmentFailed(fmt::format("{} container inspect {}: not understood", kEngine, name));
  std::string why = WhyNotRestartable(seen.at("settings"));
  if (!seen.at("state").value("Running", false) || seen.at("state").value("Paused", false))
    why = "is stopped or paused; use docker start or docker unpause";
  if (!why.empty()) return EnvironmentFailed(fmt::format("container '{}' {}", name, why));
  containers_.emplace(node, std::make_unique<Container>(name));
  return {};
}

void Containers::Pause(int node) {
  Container& container = *containers_.at(node);
  if (container.dead || std::exchange(container.paused, true)) return;
  ++container.acts;
  container.Tell("pause");
}

void Containers::Resume(int node) {
  Container& container = *containers_.at(node);
  if (std::exchange(container.paused, false)) container.Tell("unpause");
}

void Containers::Kill(int node) {
  Resume(node);  // the engine does not kill a paused container
  Container& container = *containers_.at(node);
  if (std::exchange(container.dead, true)) return;
  ++container.acts;
  container.Tell("kill");
}

void Containers::Start(int node) {
  Container& container = *containers_.at(node);
  if (std::exchange(container.dead, false)) container.Tell("start");
}

bool Containers::IsIdle(int node) const { return containers_.at(node)->pending == 0; }

Result<void> Containers::Await(int node) {
  while (!IsIdle(node)) std::this_thread::sleep_for(kIdleInterval);
  return containers_.at(node)->FirstError();
}

// A node that Find has refused is not there.
bool Containers::IsDead(int node) const {
  const auto found = containers_.find(node);
  return found != containers_.end() && found->second->dead;
}

int Containers::Acts(int node) const {
  const auto found = containers_.find(node);
  return found == containers_.end() ? 0 : found->second->acts;
}

Result<void> Containers::Restore() {
  for (const auto& [node, container] : containers_) {
    Resume(node);
    Start(node);
  }
  Result<void> all;
  for (const auto& [node, container] : containers_) {
    container->thread.join();
    if (all) all = container->FirstError();
  }
  return all;
}

}  // namespace doublehold
