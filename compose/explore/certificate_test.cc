#include "compose/explore/certificate.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compose/explore/scenario_settings.h"
#include "compose/os/run_folder.h"
#include "lib/locks/sources.h"
#include "lib/testing/temp_file.h"

namespace doublehold {
namespace {

// The certificate of a small search.
std::string MakeCertificate(int depth) {
  Settings settings;
  settings.Set("lock.name", "set-nx-px", "test");
  settings.Set("workload.stock", "5", "test");
  AddScenarioDefaults(settings);
  const Result<Plan> plan = SimulatedPlan(settings);
  EXPECT_TRUE(plan.has_value());
  const SearchAsked asked{
      .settings = settings,
      .scenario = ScenarioOf(*plan, /*cycles=*/1, {FaultForm::kPause, FaultForm::kDropReply}),
      .bounds = {.depth = depth}};
  const Explored explored = Explore(asked.scenario, asked.bounds, [](const Explored&) {});
  EXPECT_EQ(std::ssize(explored.levels), depth + 1);
  return CertificateOf(explored, asked);
}

Result<CertificateCheck> CheckText(const std::string& text, int sampled = 4) {
  const testing::TempFile file("certificate");
  EXPECT_TRUE(WriteWhole(file.path(), text).has_value());
  return CheckCertificate(file.path(), sampled, /*jobs=*/2);
}

// Checks a certificate in whose text `from` was replaced by `to`.
Result<CertificateCheck> Check(const std::string& from = "", const std::string& to = "",
                               int sampled = 4, int depth = 2) {
  static std::map<int, std::string> certificates;  // by depth, since a search takes long
  std::string& made = certificates[depth];
  if (made.empty()) made = MakeCertificate(depth);
  std::string text = made;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return CheckText(text, sampled);
}

// "80 of them run again".
std::string RunAgain(const CertificateCheck& check) {
  const size_t end = check.text.find(": all equal");
  const size_t begin = check.text.rfind("; ", end);
  return check.text.substr(begin, end - begin);
}

TEST(Certificate, OfTheSameSearchIsEqual) {
  for (const int sampled : {1, 4, static_cast<int>(kLevelBlocks)}) {
    const Result<CertificateCheck> check = Check("", "", sampled);
    ASSERT_TRUE(check.has_value()) << check.error().message;
    EXPECT_TRUE(check->is_equal) << check->text;
  }
}

TEST(Certificate, OfASmallSearchIsRunAgainWhole) {
  const Result<CertificateCheck> one = Check("", "", /*sampled=*/4, /*depth=*/1);
  EXPECT_EQ(RunAgain(*one), RunAgain(*Check("", "", static_cast<int>(kLevelBlocks), 1)));
  EXPECT_TRUE(one->is_equal) << one->text;
  EXPECT_NE(RunAgain(*Check()), RunAgain(*Check("", "", static_cast<int>(kLevelBlocks))));
}

TEST(Certificate, OfAnotherSearchDiffers) {
  for (const auto& [from, to] :
       {std::pair("lock.name=set-nx-px", "lock.name=set-nx-px-del"),
        std::pair("lock.lease=400ms", "lock.lease=500ms"),
        std::pair("fixed/1/pause,", "fixed/1/crash,"), std::pair("\"depth\": 2", "\"depth\": 1")}) {
    const Result<CertificateCheck> check = Check(from, to);
    ASSERT_TRUE(check.has_value()) << check.error().message;
    EXPECT_FALSE(check->is_equal) << check->text;
  }
}

TEST(Certificate, ItsCountsMustAddUpAlsoIfOnlyASampleIsRunAgain) {
  for (const int sampled : {1, static_cast<int>(kLevelBlocks)}) {
    EXPECT_TRUE(Check("\"run\": ", "\"run\":  ", sampled)->is_equal);
    for (const char* field : {"\"violated\": ", "\"unknown\": ", "\"executions\": ", "\"run\": "}) {
      const Result<CertificateCheck> check = Check(field, std::string(field) + "9", sampled);
      ASSERT_TRUE(check.has_value()) << check.error().message;
      EXPECT_FALSE(check->is_equal) << check->text;
    }
    EXPECT_FALSE(Check("\"claim\": \"stock\"", "\"claim\": \"stack\"", sampled)->is_equal);
  }
}

TEST(Certificate, ItsFalseCountsThatAddUpDifferInABlockThatIsRunAgain) {
  nlohmann::json json = nlohmann::json::parse(MakeCertificate(/*depth=*/2));
  nlohmann::json& violated = json["claims"][0]["violated"];
  violated = violated.get<int64_t>() + 1;
  for (nlohmann::json& block : json["levels"][1]["counts"]) {
    if (block.empty()) continue;
    block[2] = block[2].get<int64_t>() + 1;
    break;
  }
  const Result<CertificateCheck> check = CheckText(json.dump());
  ASSERT_TRUE(check.has_value()) << check.error().message;
  EXPECT_FALSE(check->is_equal);
  EXPECT_NE(check->text.find("executions with 1 faults and delays are equal, but the counts of "
                             "block "),
            std::string::npos)
      << check->text;
}

TEST(Certificate, SaysWhetherTheSourcesOfTheLocksHaveChanged) {
  const std::string changed = "; the sources of the locks have changed since";
  EXPECT_FALSE(Check()->text.ends_with(changed));
  const Result<CertificateCheck> check =
      Check("\"lock_sources\": \"" + DigestOfLockSources(), "\"lock_sources\": \"0");
  ASSERT_TRUE(check.has_value()) << check.error().message;
  EXPECT_TRUE(check->is_equal);
  EXPECT_TRUE(check->text.ends_with(changed)) << check->text;
}

TEST(Certificate, WithAnotherNumberOfBlocksIsRefused) {
  const Result<CertificateCheck> check = Check("\"digests\": [", "\"digests\": [\"1\",");
  ASSERT_FALSE(check.has_value());
  EXPECT_NE(check.error().message.find("each of its levels must have 64 digests and counts"),
            std::string::npos)
      << check.error().message;
}

TEST(Certificate, WithoutItsFieldsIsRefused) {
  for (const char* field :
       {"\"certificate\": 4", "\"search\": \"v1/", "\"depth\": 2", "\"levels\": ["}) {
    const std::string broken = std::string("\"x") + (field + 1);
    const Result<CertificateCheck> check = Check(field, broken);
    ASSERT_FALSE(check.has_value()) << field;
    EXPECT_NE(check.error().message.find("is no certificate of a search"), std::string::npos)
        << check.error().message;
  }
}

}  // namespace
}  // namespace doublehold
