#include "compose/cluster/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/words.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

constexpr const char* kEngine = "docker";

// Returns what the engine printed. Its errors are in the last line, after what it printed before.
Result<std::string> AskEngine(std::vector<std::string> words) {
  words.insert(words.begin(), kEngine);
  const RunResult run = TRY(RunToEnd(
      words, {.with_errors = true,
              .if_missing = ": not found; it stops and starts the containers of the servers"}));
  if (run.succeeded()) return run.output;
  const size_t end = run.output.find_last_not_of(" \n");
  const std::string text = run.output.substr(0, end == std::string::npos ? 0 : end + 1);
  return EnvironmentFailed(
      fmt::format("{} {}: {}", kEngine, words[1],
                  text.empty() ? "it failed" : OnOneLine(text.substr(text.rfind('\n') + 1))));
}

// The ports of this machine that lead into a container; none if it shares the machine's network.
std::vector<std::string> PublishedPorts(const nlohmann::json& ports) {
  std::vector<std::string> published;
  for (const auto& [inside, outside] : ports.items()) {
    if (!outside.is_array()) continue;
    for (const nlohmann::json& one : outside) published.push_back(one.value("HostPort", ""));
  }
  return published;
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

  std::string name;
  bool paused = false;
  bool dead = false;
  bool was_killed = false;
  std::atomic<int> pending = 0;
  std::mutex mutex;  // of `error`
  std::optional<Error> error;
  boost::asio::thread_pool thread{1};
};

Containers::Containers() = default;

Containers::~Containers() { [[maybe_unused]] const Result<void> restored = Restore(); }

Result<void> Containers::Find(int node, const std::string& name, int port) {
  const std::string told = TRY(
      AskEngine({"container", "inspect", "--format",
                 R"({"state":{{json .State}},"ports":{{json .NetworkSettings.Ports}}})", name}));
  const nlohmann::json seen = nlohmann::json::parse(told, nullptr, /*allow_exceptions=*/false);
  if (!seen.is_object() || !seen.at("state").is_object())
    return EnvironmentFailed(fmt::format("{} container inspect {}: not understood", kEngine, name));
  if (!seen.at("state").value("Running", false) || seen.at("state").value("Paused", false))
    return EnvironmentFailed(fmt::format("container '{}' does not run", name));
  const std::vector<std::string> ports = PublishedPorts(seen.at("ports"));
  if (!ports.empty() && std::ranges::find(ports, std::to_string(port)) == ports.end())
    return EnvironmentFailed(
        fmt::format("container '{}' has port {} of this machine, not {}: is it "
                    "another node's?",
                    name, ports.front(), port));
  containers_.emplace(node, std::make_unique<Container>(name));
  return {};
}

void Containers::Pause(int node) {
  Container& container = *containers_.at(node);
  if (!container.dead && !std::exchange(container.paused, true)) container.Tell("pause");
}

void Containers::Resume(int node) {
  Container& container = *containers_.at(node);
  if (std::exchange(container.paused, false)) container.Tell("unpause");
}

void Containers::Kill(int node) {
  Resume(node);  // the engine does not kill a paused container
  Container& container = *containers_.at(node);
  container.was_killed = true;
  if (!std::exchange(container.dead, true)) container.Tell("kill");
}

void Containers::Start(int node) {
  Container& container = *containers_.at(node);
  if (std::exchange(container.dead, false)) container.Tell("start");
}

bool Containers::IsIdle(int node) const { return containers_.at(node)->pending == 0; }

bool Containers::WasKilled(int node) const {
  const auto found = containers_.find(node);
  return found != containers_.end() && found->second->was_killed;
}

Result<void> Containers::Restore() {
  for (const auto& [node, container] : containers_) {
    Resume(node);
    Start(node);
  }
  std::optional<Error> first;
  for (const auto& [node, container] : containers_) {
    container->thread.join();
    if (!first) first = container->error;
  }
  if (first) return tl::unexpected(*first);
  return {};
}

}  // namespace doublehold
