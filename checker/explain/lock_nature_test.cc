// Tests the causes of double grants that follow from what the lock is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/testing_causes.h"

namespace doublehold {
namespace {

using testing::kBoth;

struct NatureCase {
  std::string name;
  std::string faults;  // lanes below two overlapping holds with valid leases
  LockTraits traits;
  std::string cause;
  int nodes = 1;
  bool keeps_data = true;
  Lease lease = 10ms;
};

void PrintTo(const NatureCase& one, std::ostream* out) { *out << one.name; }

class CauseByNature : public ::testing::TestWithParam<NatureCase> {};

TEST_P(CauseByNature, IsGivenOnlyIfTheRecordShowsIt) {
  const NatureCase& one = GetParam();
  History history = FromLanes(
      kBoth + one.faults, {.lease = one.lease, .nodes = one.nodes, .claims = {"lease-exclusion"}});
  history.facts.lock_traits = one.traits;
  for (FaultFact& fault : history.facts.faults) fault.keeps_data = one.keeps_data;
  EXPECT_EQ(testing::CauseOf(history, "lease-exclusion"), one.cause);
}

const std::string kRestart = "\n      restart n1:        [-]";

using enum LockTrait;

INSTANTIATE_TEST_SUITE_P(
    Table, CauseByNature,
    ::testing::ValuesIn(std::vector<NatureCase>{
        {"a restart ends a session, whatever data it keeps",
         kRestart,
         {kSession},
         "node-restarted"},
        {"a restart that keeps its data loses no key", kRestart, {}, "unexplained"},
        {"any server's restart ends a session, the record does not show whose",
         kRestart,
         {kSession},
         "unexplained",
         2},
        {"a stopped client that ignores the end",
         "\n      pause c1:          [-]",
         {kIgnoresEnd},
         "end-ignored"},
        {"a cut-off client that ignores the end",
         "\n      partition c1:      [-]",
         {kIgnoresEnd},
         "end-ignored"},
        {"nothing ended the lease that is ignored", "", {kIgnoresEnd}, "unexplained"},
        {"a lease that is ignored, but cannot have ended yet",
         "\n      pause c1:          [-]",
         {kIgnoresEnd},
         "unexplained",
         1,
         true,
         24ms},
        {"a lent session", "", {kSession, kLentSession}, "session-lent"},
        {"a lent session, or an end that was ignored",
         "\n      pause c1:          [-]",
         {kIgnoresEnd, kLentSession},
         "unexplained"},
        {"another client was stopped",
         "\n      pause c2:          [-]",
         {kIgnoresEnd},
         "unexplained"},
        {"the store was cut off", "\n      partition n0:      [-]", {kIgnoresEnd}, "unexplained"},
        {"two servers that grant by themselves", "", {kSession, kEachServer}, "each-server", 2},
        {"one server that grants by itself", "", {kSession, kEachServer}, "unexplained"},
    }),
    [](const auto& info) {
      std::string name = info.param.name;
      for (char& c : name) {
        if (c == ' ' || c == ',' || c == '-' || c == '\'') c = '_';
      }
      return name;
    });

TEST(CauseByNature, TwoClientsOfOneServerAreNotGrantedALockByTwo) {
  History history = FromLanes(R"(
      c1:          A-a================R-r
      c3:                    A-a==R-r)",
                              {.nodes = 2, .claims = {"lease-exclusion"}});
  history.facts.lock_traits = LockTraits{kSession, kEachServer};
  EXPECT_EQ(testing::CauseOf(history, "lease-exclusion"), "unexplained");
  history.facts.nodes = 3;
  EXPECT_EQ(testing::CauseOf(history, "lease-exclusion"), "each-server");
}

TEST(CauseByNature, ALockThatStaysInALentSessionIsNeverFree) {
  History history = FromLanes("c1:         A-a==R-r\nprobe:              P---------------x",
                              {.lease = 5ms, .claims = {"liveness"}, .asked_lease = 2500us});
  history.facts.lock_traits = LockTraits{LockTrait::kLentSession};
  EXPECT_EQ(testing::CauseOf(history, "liveness"), "session-lent");
}

}  // namespace
}  // namespace doublehold
