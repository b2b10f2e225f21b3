#include "lib/sim/testing/testing_service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "lib/real/real_env.h"
#include "lib/sim/service_models.h"
#include "lib/sim/world.h"

namespace doublehold::testing {
namespace {

constexpr int kMostRequests = 40;

std::vector<std::string> Lines(const std::vector<Observation>& observed) {
  std::set<int64_t> transactions;
  for (const Observation& each : observed) transactions.insert(each.transaction);
  std::vector<std::string> lines;
  for (const Observation& each : observed) {
    const auto rank = std::distance(transactions.begin(), transactions.find(each.transaction));
    lines.push_back(fmt::format("{}: {} #{}", each.request, each.result, rank));
  }
  return lines;
}

}  // namespace

std::vector<RandomRequest> RandomRequests(Prng& prng, int kinds, int clients) {
  std::vector<RandomRequest> requests(prng.Below(kMostRequests) + 1);
  for (RandomRequest& request : requests) {
    request.kind = static_cast<int>(prng.Below(static_cast<uint64_t>(kinds)));
    request.client = static_cast<int>(prng.Below(static_cast<uint64_t>(clients)));
    request.pick = prng.Next();
  }
  return requests;
}

void ExpectTheSame(std::string_view service, const NodeAddress& server, const PlayRequests& play) {
  sim::GivenChoices choices({});
  sim::Workbench bench;
  const sim::WorldTerms terms{.make_service = sim::FindServiceModel(service)->make};
  sim::World world(terms, choices, bench);
  std::vector<Observation> modelled;
  world.Start(1, TaskKind::kSession, 0, [&](Env& env) { modelled = play(env); });
  world.Run(/*with_faults=*/false);

  const RealProcess process{.number = 1, .seed = 7, .addresses = {{}, server}};
  RealEnv env(process, TaskKind::kSession);
  EXPECT_EQ(Lines(modelled), Lines(play(env)));
}

}  // namespace doublehold::testing
