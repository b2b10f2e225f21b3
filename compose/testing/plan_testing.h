// For tests: builds plans from TOML texts. Error messages call such a text x.toml.
#ifndef DOUBLEHOLD_COMPOSE_TESTING_PLAN_TESTING_H_
#define DOUBLEHOLD_COMPOSE_TESTING_PLAN_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "compose/driver/driver.h"

namespace doublehold::testing {

inline Result<Plan> Built(const std::string& toml) {
  Result<Settings> settings = Settings::ParseToml(toml, "x.toml");
  if (!settings) return tl::unexpected(settings.error());
  return BuildPlan(std::move(*settings));
}

// Returns the plan. Fails the test if the plan is refused.
inline Plan Good(const std::string& toml) {
  Result<Plan> plan = Built(toml);
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  return plan.value_or(Plan{});
}

// Returns the error message. Returns "accepted" if the plan is not refused. Expects bad input, and
// a message on one line.
inline std::string Refusal(const std::string& toml) {
  const Result<Plan> plan = Built(toml);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, ExitCode::kBadInput);
  EXPECT_EQ(plan.error().message.find('\n'), std::string::npos);
  return plan.error().message;
}

struct Case {
  std::string toml;
  std::string message;
};

inline const std::string kLock = "[lock]\nname = \"set-nx-px\"\n";  // two lines

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_COMPOSE_TESTING_PLAN_TESTING_H_
