#include "checker/evidence/must_have.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// Returns a `=` for each ms at which client 1 must have the lock, and a `-` for each other.
std::string DrawnMust(const History& history, size_t length) {
  const Evidence evidence(history);
  std::string text;
  for (size_t ms = 0; ms < length; ++ms) {
    const auto at_ns = static_cast<int64_t>(ms) * 1'000'000;
    text += evidence.must_have().Throughout(0, {.client = 1}, {at_ns, at_ns}) ? '=' : '-';
  }
  return text;
}

struct MustCase {
  std::string name, client1, must, others;
};

TEST(MustHave, LastsFromTheAnswerOfTheAcquireToTheInvocationOfTheReleaseWithinTheLease) {
  for (const MustCase& drawn : std::vector<MustCase>{
           {"released", "A--a====R---r", "----====-----", ""},
           {"the lease ended", "A--a===!===R-r", "----===-------", ""},
           {"refused", "A--x  ", "------", ""},
           {"an earlier release may arrive late", "A-?R-?A--a===R-r", "----------------", ""},
           {"an earlier acquire may be taken back late", "A-?A--a===R-r", "-------------", ""},
           {"entered again", "A-a===A-a===R-r===R-r", "---===============---", ""},
           {"the inner lease is shorter, and any entry may have been left", "A-a===A-a==R-r!==R-r",
            "---===========------", ""},
           {"extended", "A-a===E-e===!==R-r", "---=========------", ""},
           {"extended after a release", "A-aR-r A-a===E-e===!==R-r", "----------=========------",
            ""},
           {"an extension that failed", "A-a===E-x====!==R-r", "---==========------", ""},
           {"an entry after the lease may have asked no server either", "A-a=!=A-a==R-r",
            "---=----------", ""},
           {"a re-entry after a fault removed keys may have asked no server",
            "A-a===A-a===R-r==R-r", "---==---------------", "evict n1:      []"},
           {"another's release did not check the owner", "A-a========R-r", "---==---------",
            "c2:            R-f"},
           {"such a release was under way at the grant", "A-a========R-r", "--------------",
            "c2:       R-f"},
           {"another's release checked the owner", "A-a========R-r", "---========---",
            "c2:            R-r"},
           {"a fault removed keys", "A-a========R-r", "---===--------", "evict n1:       []"},
           {"a fault on the store", "A-a========R-r", "---========---", "evict n0:       []"},
       }) {
    const std::string others = drawn.others.empty() ? "" : "\n" + drawn.others;
    const History history = FromLanes("c1:       " + drawn.client1 + others);
    EXPECT_EQ(DrawnMust(history, drawn.must.size()), drawn.must) << drawn.name << "\n"
                                                                 << drawn.client1;
  }
}

// The release may come after the extension, when the inner lease is over, and free the outer entry.
TEST(MustHave, AnExtensionDuringAReleaseCanOnlyShortenALease) {
  const std::string releasing = "A-a==A-aR-E-e-r=======R-r", inside = "A-a==A-a==E-e=========R-r";
  for (const auto& [client1, hold, lease_ns, must] :
       {std::tuple{releasing, 101U, int64_t{12'000'000}, "---=========-------------"},  // outer
        {releasing, 102U, int64_t{1'000'000}, "---========--------------"},
        // No release is under way, so the outer lease remains.
        {inside, 102U, int64_t{1'000'000}, "---=========-------------"}}) {
    History history = FromLanes("c1: " + client1, {.asked_lease = 12ms});
    for (Event& event : history.events) {
      if (event.op != Op::kExtend) continue;
      event.hold = hold;
      event.value[0] = event.type == EventType::kInvoke ? lease_ns : 10'000'000 + lease_ns;
    }
    EXPECT_EQ(DrawnMust(history, client1.size()), must) << client1 << ", hold " << hold;
  }
}

// The session records its grant, of a lease until 11 ms, after an extension until 15 ms.
TEST(MustHave, AnExtensionBeforeTheGrantCountsOnlyIfItsInvocationIsRecorded) {
  const std::string client1 = "A-------a==!=====R-r";
  Event extend{.at_ns = 3'000'000,
               .hold = 101,
               .client = 1,
               .op = Op::kExtend,
               .type = EventType::kInvoke,
               .task = TaskKind::kWatchdog,
               .value = {4'000'000}};
  for (const auto& [invoked, type, must] :
       {std::tuple{true, EventType::kOk, "---------======-----"},
        {false, EventType::kOk, "---------==---------"},
        {true, EventType::kFail, "---------==---------"},
        {true, EventType::kInfo, "--------------------"}}) {
    History history = FromLanes("c1: " + client1);
    if (invoked) history.events.push_back(extend);
    Event answer = extend;
    answer.at_ns = 5'000'000;
    answer.type = type;
    answer.value = {type == EventType::kOk ? 15'000'000 : 0};
    history.events.push_back(answer);
    SortByTime(history.events);
    EXPECT_EQ(DrawnMust(history, client1.size()), must) << Name(type) << invoked;
  }
}

TEST(MustHave, ACallWithoutAnAnswerIsWhyASessionNeedNotHaveTheLockFromItsInvocationOn) {
  const History history = FromLanes("c1: A-aR-?A-a");
  const Evidence evidence(history);
  const auto why = evidence.must_have().WhyNot(0, {.client = 1}, {0, 3'000'000});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->what, Why::What::kUnanswered);
  EXPECT_FALSE(evidence.must_have().WhyNot(0, {.client = 1}, {0, 2'999'999}));
}

TEST(MustHave, ASessionThatNeverAskedForTheLockNeedNotHaveIt) {
  const History history = FromLanes("c1: A-?");
  const Evidence evidence(history);
  EXPECT_TRUE(evidence.must_have().Spans(0, {.client = 2}, {0, kForeverNs}).empty());
}

TEST(MustHave, CountsTheCallsOfTheSessionUnlessAskedNotTo) {
  const History history = FromLanes("c1: A-a===R--x======!");
  const Evidence evidence(history);
  const Span release{6'000'000, 9'000'000};
  EXPECT_FALSE(evidence.must_have().Throughout(0, {.client = 1}, release));
  EXPECT_TRUE(evidence.must_have().UnlessItActs(0, {.client = 1}, release));
  EXPECT_FALSE(evidence.must_have().UnlessItActs(0, {.client = 1}, {6'000'000, 16'000'000}));
}

}  // namespace
}  // namespace doublehold
