// Tests that settings may use old names of claims. The plan has the new names.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compose/plan/plan_builder.h"
#include "compose/testing/plan_testing.h"
#include "lib/base/old_names.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

using testing::Case;
using testing::Good;
using testing::kLock;
using testing::Refusal;

TEST(OldClaimNames, AreReadInClaimsAndExpectations) {
  const Plan plan = Good("claims = [\"exclusion\", \"told\", \"quiet\"]\n" + kLock +
                         "[expect]\nexclusion = \"any\"\ntold = \"violated\"\n"
                         "[expect_cause]\ntold = [\"overran\", \"not-told\"]\n");
  EXPECT_EQ(plan.claims, (std::vector<std::string>{"exclusion", "release-result", "idle-traffic"}));
  EXPECT_EQ(plan.expect, (std::map<std::string, std::string>{{"exclusion", "any"},
                                                             {"release-result", "violated"}}));
  EXPECT_EQ(plan.expect_cause, (std::map<std::string, std::vector<std::string>>{
                                   {"release-result", {"overran", "unexplained"}}}));
  const std::string written = ToJson(plan).dump();
  EXPECT_EQ(written.find("\"told\""), std::string::npos) << written;
  EXPECT_EQ(written.find("\"quiet\""), std::string::npos) << written;
}

TEST(OldClaimNames, AreReadWithEveryWorkload) {
  for (const auto& [old_name, new_name] : RenamedClaims()) {
    for (const std::string_view name : {old_name, new_name}) {
      const Plan plan = Good("claims = [\"" + std::string(name) + "\"]\n" + kLock);
      EXPECT_EQ(plan.claims, std::vector<std::string>{std::string(new_name)}) << name;
    }
  }
}

TEST(OldClaimNames, AreRefusedIfTheNewNameIsGivenToo) {
  const std::string told = "claims = [\"told\"]\n" + kLock;  // three lines
  const std::string leak = "claims = [\"key-leak\"]\n" + kLock;
  const Case cases[] = {
      {told + "[expect]\nrelease-result = \"any\"\ntold = \"any\"\n",
       "x.toml:6: expect.told: 'told' is the old name of 'release-result', which is given too"},
      {leak + "[expect]\ncleared = \"any\"\nkey-leak = \"any\"\n",
       "x.toml:6: expect.key-leak: 'cleared' is the old name of 'key-leak', which is given too"},
      {told + "[expect]\ntold = \"any\"\n[expect_cause]\nrelease-result = \"overran\"\n"
              "told = \"overran\"\n",
       "x.toml:8: expect_cause.told: 'told' is the old name of "
       "'release-result', which is given too"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(OldClaimNames, AreNotSuggestedForAMisspeltClaim) {
  EXPECT_EQ(Refusal("claims = [\"key-leek\"]\n" + kLock),
            "x.toml:1: claims: claim 'key-leek' is unknown (did you mean 'key-leak'?)");
  const std::string message = Refusal("claims = [\"obtaned\"]\n" + kLock);
  EXPECT_EQ(message.find("obtained"), std::string::npos) << message;
  EXPECT_NE(message.find("availability"), std::string::npos) << message;
}

}  // namespace
}  // namespace doublehold
