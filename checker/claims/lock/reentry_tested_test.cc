// Tests of `reentry`: which refusals and waits show that a nested exit kept the lock.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/claims/lock/reentry.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

constexpr std::string_view kUntested = "nobody was kept from the key after a nested exit";

struct TestedCase {
  std::string name;
  std::string picture;
  LaneOptions options{};
};

void ExpectTested(const TestedCase& drawn, bool tested) {
  const ClaimVerdict verdict = CheckReentry(FromLanes(drawn.picture, drawn.options), {});
  EXPECT_EQ(verdict.outcome, tested ? Outcome::kValid : Outcome::kUnknown)
      << drawn.name << ": " << verdict.reason;
  if (tested) return;
  EXPECT_EQ(verdict.reason, kUntested) << drawn.name;
}

constexpr char kRefused[] = R"(
      c1:                  A-a=A-a=R-r==============R-r
      c2:                               A----x)";
constexpr char kRefusedWithHint[] = R"(
      c1:                  A-a=A-a=R-r==============R-r
      c2:                               A----t)";
constexpr char kWaited[] = R"(
      c1:                  A-a=A-a=R-r==============R-r
      c2:                          A-------------------a=R-r)";

// A lane of a fault, whose marks begin at the column.
std::string Fault(const std::string& kind, const std::string& on, size_t column,
                  const std::string& marks) {
  std::string lane = "      " + kind + " " + on + ":";
  lane.resize(column, ' ');
  return "\n" + lane + marks;
}

TEST(ReentryTested, ARefusalWithoutAHintTestsAnExitIfNothingDisturbedItsAsker) {
  for (const std::string kind : {"drop", "delay", "hold", "reset", "partition", "pause"}) {
    const auto during = [&kind](const std::string& on) { return Fault(kind, on, 41, "[-]"); };
    ExpectTested({kind, kRefused + during("c2")}, false);
    ExpectTested({kind + ", of another client", kRefused + during("c3")}, true);
    ExpectTested({kind + ", on the node", kRefused + during("n1")}, false);
    // A request that is sent twice may be granted first, and then refused.
    ExpectTested({kind + ", with a hint", kRefusedWithHint + during("c2")}, kind == "pause");
  }
  ExpectTested({"a fault that ended shortly before", kRefused + Fault("reset", "c2", 38, "[]")},
               false);
  ExpectTested(
      {"a stall of the asker", kRefused + Fault("machine", "c2", 41, "(--)"), {.grace = 4ms}},
      false);
  ExpectTested({"a node that was killed before", R"(
      crash n1:             []
      c1:                                                   A-a=A-a=R-r==============R-r
      c2:                                                                A----x)"},
               false);
}

TEST(ReentryTested, AWaitTestsAnExitIfNothingDisturbedItsSession) {
  ExpectTested({"no fault", kWaited}, true);
  for (const std::string kind : {"pause", "partition"}) {
    ExpectTested({kind, kWaited + Fault(kind, "c2", 41, "[-------]")}, false);
    ExpectTested({kind + ", after the outer hold", kWaited + Fault(kind, "c2", 53, "[]")},
                 kind == "pause");
  }
}

// If the nested exit had freed the lock, the other session or the second copy might hold it.
TEST(ReentryTested, ARefusalOrWaitTestsNoExitIfAnotherMayHaveHeldTheKey) {
  const std::string refused = kRefusedWithHint;
  for (const std::string& picture : {refused, std::string(kWaited)}) {
    ExpectTested({"an acquire of unknown outcome", picture + R"(
      c3:                       A-?)"},
                 false);
    ExpectTested({"a second copy of a refused acquire", picture + R"(
      c3:                       A----t
      hold c3:                    [----])"},
                 false);
    ExpectTested({"a grant whose answer was delayed", picture + R"(
      c3:                       A----------------------------a=R-r
      hold c3:                    [--------])"},
                 false);
    ExpectTested({"older data", picture + R"(
      restart n1:                  [])"},
                 false);
    ExpectTested({"an acquire that was over before the outer hold", R"(
      c3:              A-?)" + picture},
                 true);
    ExpectTested({"an acquire whose release was answered", R"(
      c3:                     A-?R-r)" + picture},
                 true);
  }
  const auto left = [&](const std::string& calls) {
    return "\n      c3:                     " + calls + refused;
  };
  const std::string pause = "\n      pause c3:                [";
  ExpectTested({"its release was answered, on several nodes", left("A-?R-r"), {.nodes = 3}}, true);
  ExpectTested({"its release was refused, on several nodes", left("A-?R-x"), {.nodes = 3}}, false);
  ExpectTested({"its release was not checked, on several nodes", left("A-?R-f"), {.nodes = 3}},
               false);
  ExpectTested({"its client was paused beyond its release", left("A-?R-x") + pause + "-----]"},
               false);
  ExpectTested({"its client was paused before its release", left("A-?R-x") + pause + "]"}, true);
  ExpectTested({"an own acquire of unknown outcome", R"(
      c1:                  A-a=A-a=R-r==A-?=============R-r
      c2:                                     A----t)"},
               false);
  ExpectTested({"another reader", R"(
      c1:                    A-b===A-b===R-r===========R-r
      c2:                                   A-b==R-r
      c3:                                     A-t)"},
               false);
  ExpectTested({"another reader before", R"(
      c1:                    A-b===A-b===R-r===========R-r
      c2:                                   A-b==R-r
      c3:                                           A-t)"},
               true);
  ExpectTested({"the owner itself entered again", R"(
      c1:                    A-a=A-a=R-rA-a==========R-rR-r
      c2:                                    A-t)"},
               false);
}

TEST(ReentryTested, ARefusalOfSeveralKeysTestsNoExit) {
  History history = FromLanes(kRefused);
  for (Event& event : history.events) {
    if (event.client == 2 && event.type == EventType::kInvoke) event.value[1] = 2;
  }
  EXPECT_EQ(CheckReentry(history, {}).reason, kUntested);
}

TEST(ReentryTested, OnSeveralNodesARefusalTestsAnExitIfNoNodeWasDisturbedAndNoOtherAsked) {
  for (const std::string picture : {kRefused, kRefusedWithHint}) {
    const LaneOptions three{.nodes = 3};
    ExpectTested({"no fault", picture, three}, true);
    ExpectTested(
        {"a node was stopped", picture + "\n      pause n2:                           [-]", three},
        false);
    ExpectTested(
        {"another asked too", picture + "\n      c3:                             A-x", three},
        false);
    ExpectTested({"another asked before", picture + "\n      c3:                     A-x", three},
                 true);
  }
}

TEST(ReentryTested, ARefusalOfALibraryThatMayNotHaveAskedTestsNoExit) {
  const std::string picture = R"(
      c2:             A-?
      c1:                  A-a=A-a=R-r==============R-r
      c2:                               A----x)";
  const LaneOptions library{.library = LibraryFact{"mylib", "1", {"lease", "reentrant"}, {}}};
  ExpectTested({"a lock of its own", picture}, true);
  ExpectTested({"a library", picture, library}, false);
  ExpectTested({"a library, with a hint",
                R"(
      c2:             A-?
      c1:                  A-a=A-a=R-r==============R-r
      c2:                               A----t)",
                library},
               true);
}

// Without a refusal that says that the key is taken, the lock may grant a held key.
TEST(ReentryTested, AnInnerExitIsBlamedOnlyIfTheLockHadRefusedAHeldKey) {
  const std::string refused = R"(
      c1:                    A-a====A-a===R-r===========R-r
      c2:                       A--x        A-a==R-r)";
  const std::string with_hint = R"(
      c1:                    A-a====A-a===R-r===========R-r
      c2:                       A--t        A-a==R-r)";
  const std::string fault = "\n      reset c2:               []";
  EXPECT_EQ(CheckReentry(FromLanes(refused), {}).outcome, Outcome::kViolated);
  EXPECT_EQ(CheckReentry(FromLanes(refused + fault), {}).outcome, Outcome::kUnknown);
  EXPECT_EQ(CheckReentry(FromLanes(with_hint + fault), {}).outcome, Outcome::kViolated);
}

}  // namespace
}  // namespace doublehold
