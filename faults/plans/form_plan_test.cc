#include "faults/plans/form_plan.h"

#include <gtest/gtest.h>

#include "faults/fault.h"

namespace doublehold {
namespace {

class EachForm : public ::testing::TestWithParam<FaultFormEntry> {};

TEST_P(EachForm, IsFoundByItsNameAndIndexedByItsValue) {
  const FaultFormEntry& form = GetParam();
  EXPECT_EQ(EntryOf(form.form).name, form.name);
  EXPECT_EQ(ParseFaultForm(form.name), form.form);
}

TEST_P(EachForm, IsAFaultThatItsKindAccepts) {
  const FaultFormEntry& form = GetParam();
  const FaultEntry* kind = FindFault(form.kind);
  ASSERT_NE(kind, nullptr) << form.kind;
  if (form.only_simulated) return;
  FaultPlan plan = PlanOf(form, {.lasts = 1s, .clock_length = 2s, .down = 3s});
  plan.on = Trigger{.client = 1, .step = Step::kAfterAcquire};
  if (form.site == FaultSite::kNode || form.site == FaultSite::kMasters) {
    plan.nodes = {1};
  } else {
    plan.client = 1;
  }
  if (kind->validate == nullptr) return;
  const Result<void> ok = kind->validate(plan);
  EXPECT_TRUE(ok.has_value()) << ok.error().message;
}

INSTANTIATE_TEST_SUITE_P(FaultForms, EachForm, ::testing::ValuesIn(kFaultForms),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(FormPlan, KeysAreThoseOfAnExperimentFile) {
  const auto keys = [](FaultForm form) { return KeysOf(EntryOf(form)); };
  EXPECT_EQ(keys(FaultForm::kPause), "`kind = \"pause\"`, `client`");
  EXPECT_EQ(keys(FaultForm::kDropReply), "`kind = \"drop\"`, `direction = \"reply\"`");
  EXPECT_EQ(keys(FaultForm::kNodeClockBack), "`kind = \"jump\"`, `nodes`, `by < 0`");
  EXPECT_EQ(keys(FaultForm::kRestartEmpty), "`kind = \"restart\"`, `nodes`, `data = \"empty\"`");
  EXPECT_EQ(keys(FaultForm::kClientFast), "`kind = \"drift\"`, `client`, `rate = 3`");
  EXPECT_EQ(keys(FaultForm::kHoldNews), "only simulated");
}

TEST(FormPlan, LengthsAreThoseOfTheExtent) {
  const FormExtent extent{.lasts = 1s, .clock_length = 2s, .down = 3s};
  const auto plan = [&](FaultForm form) { return PlanOf(EntryOf(form), extent); };
  EXPECT_EQ(plan(FaultForm::kHoldReply).length, 1s);
  EXPECT_EQ(plan(FaultForm::kDropReply).length, 0s);
  EXPECT_EQ(plan(FaultForm::kClientClockBack).length, 2s);
  EXPECT_EQ(plan(FaultForm::kClientClockBack).by, -1s);
  EXPECT_EQ(plan(FaultForm::kNodeFast).length, 2s);
  EXPECT_EQ(plan(FaultForm::kRestartWithData).length, 3s);
}

}  // namespace
}  // namespace doublehold
