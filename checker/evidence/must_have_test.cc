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
  const std::string client1 = "A-a==A-aR-E-e-r=======R-r";
  for (const auto& [hold, lease_ns, must] :
       {std::tuple{101U, int64_t{12'000'000}, "---=========-------------"},  // the outer entry
        {102U, int64_t{1'000'000}, "---========--------------"}}) {
    History history = FromLanes("c1: " + client1, {.asked_lease = 12ms});
    for (Event& event : history.events) {
      if (event.op != Op::kExtend) continue;
      event.hold = hold;
      event.value[0] = event.type == EventType::kInvoke ? lease_ns : 10'000'000 + lease_ns;
    }
    EXPECT_EQ(DrawnMust(history, client1.size()), must) << client1 << ", hold " << hold;
  }
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
