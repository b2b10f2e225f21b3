// A fault that acts on a lock server excuses the same observations, whatever else it acts on.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"
#include "lib/testing/case_name.h"

namespace doublehold {
namespace {

struct ExcusedByServer {
  std::string_view claim;
  std::string_view why;
  std::string_view picture;  // unknown because of a fault on node 1
  bool library = false;
};

void PrintTo(const ExcusedByServer& drawn, std::ostream* out) {
  *out << drawn.claim << ": " << drawn.why;
}

// clang-format off
const std::vector<ExcusedByServer> kExcused{
    {"reentry", "the restart may have brought the key back", R"(
        c1:          A-aR-r
        restart n1:         [-]
        c2:                       A-t                 A-t)"},
    {"reentry", "the restart may have emptied the server after the nested exit", R"(
        c1:          A-a     A-aR-r             R-r
        c2:             A-t            A-a=======R-r
        restart n1:                [-])"},
    {"release-result", "the restart may have brought the key back",
     R"(
        c1:          A-a=======!==================================R-r
        c2:                       A-a================================R-x
        restart n1:                     [-])", true},
    {"lost-lock-notification", "the restart may have brought the key back",
     R"(
        c1:          A-a=======!==================================R-r
        c2:                       A-a================================R-x
        restart n1:                     [-])", true},
    {"release", "the restart may have brought the key back", R"(
        c1:          A-a===!             R-f
        c2:                  A-a============R-f
        restart n1:                [-])"},
    {"order", "the stopped server may have cost client 2 its place", R"(
        c1:          A-a======R-r
        c2:             Q-A-t                A-aq
        pause n1:             [----]
        c3:                            Q-A-aq)"},
    {"liveness", "the server was stopped during the probe", R"(
        c1:          A-aR-r
        pause n1:              [---------------------]
        probe:                  P-------------------x)"},
    {"key-leak", "the stopped server may have removed the key later", R"(
        c1:          A-aR-----r
        pause n1:         [-]
        expiry:                 *                      | 5)", true},
    {"availability", "the restart may have brought the key back", R"(
        c1:          A-aR-r
        restart n1:         [-]
        c2:                       A-x                 A-x)"},
    {"availability", "the server was stopped until shortly before the refusal", R"(
        c1:          A-aR-r
        pause n1:              [--------------]
        c2:                                        A-x)"},
    {"availability", "the server is dead", R"(
        c1:          A-aR-r
        crash n1:           []
        c2:                       A-x                 A-x)"},
    {"idle-traffic", "the stopped server may have received a retry later", R"(
        c1:          A-aR-r
        c2:             A--aR-rI---------------------i
        pause n1:        []
        sent c2:                             *)", true},
    {"idle-traffic", "the stopped server hides all commands", R"(
        c1:          A-aR-r
        c2:             A-aR-rI---------------------i
        pause n1:              [-------------------])", true},
};
// clang-format on

class FaultTargets : public ::testing::TestWithParam<ExcusedByServer> {
 protected:
  // Judges the picture as if its fault acted on these targets.
  static ClaimVerdict Judged(const std::vector<int>& nodes, int32_t client) {
    const ExcusedByServer& drawn = GetParam();
    LaneOptions options{.claims = {std::string(drawn.claim)}};
    if (drawn.library) options.library = {.name = "mine", .can = {"lease", "lost"}};
    History history = FromLanes(drawn.picture, options);
    history.facts.faults.at(0).nodes = nodes;
    for (Event& event : history.events) {
      if (event.op != Op::kFault) continue;
      event.value[2] = client;
      event.value[3] = nodes.front();
    }
    return Judge(history).claims.at(0);
  }
};

TEST_P(FaultTargets, ALockServerExcusesAlsoBesideTheStoreAndInAnyOrder) {
  for (const std::vector<int>& nodes : {std::vector{1}, {0, 1}, {1, 0}}) {
    const ClaimVerdict verdict = Judged(nodes, -1);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown)
        << ::testing::PrintToString(nodes) << ": " << verdict.reason;
  }
}

TEST_P(FaultTargets, ALockServerExcusesAlsoBesideAClient) {
  const History history = FromLanes(GetParam().picture);
  if (history.facts.faults.at(0).kind == "restart") return;  // acts on servers alone
  for (const int32_t bystander : {3, 4}) {
    const ClaimVerdict verdict = Judged({1}, bystander);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << verdict.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Claims, FaultTargets, ::testing::ValuesIn(kExcused), testing::CaseName());

}  // namespace
}  // namespace doublehold
