// Test fixture for a simulated world: two clients, a store, two nodes and a given list of choices.
// Collects the texts that clients pass to Say, with time stamps.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCENE_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCENE_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/env.h"
#include "lib/clients/clients.h"
#include "lib/clients/redis.h"
#include "lib/sim/world.h"

namespace doublehold::sim {

struct Scene {
  explicit Scene(std::vector<FaultForm> faults = {}, Deviations deviations = {},
                 Duration window = {})
      : Scene(WorldTerms{.window = window, .faults = std::move(faults)}, std::move(deviations)) {}
  // Overrides the number of clients and nodes and the length of faults in `given_terms`.
  Scene(WorldTerms given_terms, Deviations deviations)
      : given(std::move(deviations)),
        choices(given, /*keeps_states=*/true),
        terms(std::move(given_terms)) {
    terms.clients = terms.nodes = 2;
    terms.lasts = 640ms;
    world.emplace(terms, choices, bench);
  }

  // Appends `what` with a time stamp. Does nothing for a killed client.
  void Say(Env& env, const std::string& what) {
    if (env.Stopping()) return;
    said.push_back(
        fmt::format("{:g} {}", static_cast<double>(env.SinceStartNs(env.Mono())) / 1e6, what));
  }
  static std::string Call(Env& env, int node, std::vector<std::string_view> words,
                          Duration patience = 1s) {
    return TextOf(env.clients().redis().Connect(NodeId{node})->Call(words, env.Mono() + patience));
  }
  static std::string TextOf(const CallResult& result) {
    if (!result) return result.error().definite ? "failed" : "perhaps";
    switch (result->kind) {
      case Reply::Kind::kInteger:
        return std::to_string(result->integer);
      case Reply::Kind::kNil:
        return "nil";
      default:
        return result->text;
    }
  }
  std::vector<std::string> Run() {
    world->Run(/*with_faults=*/true);
    return said;
  }

  Deviations given;
  GivenChoices choices;
  WorldTerms terms;
  Workbench bench;
  std::optional<World> world;
  std::vector<std::string> said;
};

// Returns the replies to client 1's commands at node 1. Each command is sent 10 ms after the reply
// before it, with a timeout of 100 ms. The command "script" runs a script that counts its runs.
inline std::vector<std::string> Ask(const WorldTerms& terms, const Deviations& deviations,
                                    const std::vector<std::string>& commands) {
  static const Script script("return redis.call('incr', KEYS[1])");
  Scene scene(terms, deviations);
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    const std::unique_ptr<Connection> node = env.clients().redis().Connect(NodeId{1});
    for (const std::string& command : commands) {
      std::vector<std::string_view> words;
      for (size_t at = 0; at < command.size();) {
        const size_t end = std::min(command.find(' ', at), command.size());
        words.push_back(std::string_view{command}.substr(at, end - at));
        at = end + 1;
      }
      const std::array<std::string_view, 1> keys{"runs"};
      const Deadline deadline = env.Mono() + 100ms;
      scene.Say(env,
                Scene::TextOf(words.front() == "script" ? node->Eval(script, keys, {}, deadline)
                                                        : node->Call(words, deadline)));
      env.SleepUntil(env.Mono() + 10ms);
    }
  });
  return scene.Run();
}

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCENE_H_
