// Test fixture for a simulated world: two clients, a store, two nodes and a given list of choices.
// Collects the texts that clients pass to Say, with time stamps.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCENE_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCENE_H_

#include <fmt/format.h>

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

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCENE_H_
