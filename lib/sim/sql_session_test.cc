// Tests when a simulated PostgreSQL frees the locks of a session, and what its client learns.
#include <gtest/gtest.h>

#include <array>

#include "lib/clients/clients.h"
#include "lib/clients/sql.h"
#include "lib/sim/service_models.h"
#include "lib/sim/sql/postgres_statements.h"
#include "lib/sim/testing/testing_scene.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

using SqlLines = std::vector<std::string>;

std::string TryAdvisory(Env& env, SqlSession& session, Duration patience = 100ms) {
  const std::array<std::string_view, 1> number{"7"};
  const SqlResult result = session.Execute(kTryAdvisoryLock, number, env.Mono() + patience);
  if (result) return result->at(0).at(0);
  constexpr std::array kNames{"not sent", "refused", "no reply"};
  return kNames.at(static_cast<size_t>(result.error().kind));
}

struct SessionFault {
  const char* name;
  FaultForm fault;
  uint32_t at;  // number of the choice at which it begins
  SqlLines said;
  Duration patience = 100ms;  // of the second statement
};

void PrintTo(const SessionFault& fault, std::ostream* out) { *out << fault.name; }

class SqlSessionFault : public ::testing::TestWithParam<SessionFault> {};

// Client 1 asks for the lock at 0 ms, and again at 10 ms over the same session. Client 2 asks at
// 800 ms: it is granted the lock although client 1 was granted it, if that session has ended (S10).
// A message is held for 640 ms.
TEST_P(SqlSessionFault, EndsTheSessionAndFreesItsLocks) {
  const SessionFault& given = GetParam();
  Scene scene({.make_service = FindServiceModel("postgres")->make, .faults = {given.fault}},
              {{.at = given.at, .choice = 1}});
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    const auto session = env.clients().sql().OpenSession(NodeId{1});
    scene.Say(env, TryAdvisory(env, *session));
    env.SleepUntil(kStart + 10ms);
    scene.Say(env, TryAdvisory(env, *session, given.patience));
    env.SleepUntil(kStart + 1s);
  });
  scene.world->Start(2, TaskKind::kSession, 0, [&](Env& env) {
    const auto session = env.clients().sql().OpenSession(NodeId{1});
    env.SleepUntil(kStart + 800ms);
    scene.Say(env, TryAdvisory(env, *session));
  });
  EXPECT_EQ(scene.Run(), given.said);
}

INSTANTIATE_TEST_SUITE_P(
    Each, SqlSessionFault,
    ::testing::Values(
        SessionFault{"none", FaultForm::kDropRequest, 1000, {"0.1 t", "10.1 t", "800.1 f"}},
        SessionFault{"crash", FaultForm::kCrash, 0, {"800.1 t"}},
        SessionFault{"request_dropped",
                     FaultForm::kDropRequest,
                     0,
                     {"100 no reply", "100 not sent", "800.1 t"}},
        SessionFault{"second_request_dropped",
                     FaultForm::kDropRequest,
                     1,
                     {"0.1 t", "110 no reply", "800.1 t"}},
        SessionFault{"request_held",
                     FaultForm::kHoldRequest,
                     0,
                     {"100 no reply", "100 not sent", "800.1 t"}},
        SessionFault{
            "reply_dropped", FaultForm::kDropReply, 0, {"100 no reply", "100 not sent", "800.1 t"}},
        SessionFault{
            "request_reset", FaultForm::kResetRequest, 1, {"0.1 t", "10.05 no reply", "800.1 t"}},
        SessionFault{"reset_unnoticed",
                     FaultForm::kResetRequest,
                     1,
                     {"0.1 t", "10.02 no reply", "800.1 t"},
                     /*patience=*/20us},
        SessionFault{
            "reply_reset", FaultForm::kResetReply, 0, {"0.1 no reply", "10 not sent", "800.1 t"}},
        SessionFault{
            "restart", FaultForm::kRestartWithData, 1, {"0.1 t", "10.1 no reply", "800.1 t"}}),
    [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace doublehold::sim
