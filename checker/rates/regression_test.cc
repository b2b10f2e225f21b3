#include "checker/rates/regression.h"

#include <gtest/gtest.h>

#include <vector>

namespace doublehold {
namespace {

TEST(ChangeOf, IsWorseOnlyIfChanceDoesNotExplainIt) {
  struct Case {
    const char* name;
    TrialCount now, before;
    Change change;
  };
  for (const Case& one : std::vector<Case>{
           {"never violated", {.of = 10}, {.of = 10}, Change::kNotWorse},
           {"violated for the first time",
            {.of = 100, .violated = 1},
            {.of = 100},
            Change::kNewlyViolated},
           {"violated for the first time, of one trial",
            {.of = 1, .violated = 1},
            {.of = 1},
            Change::kNewlyViolated},
           {"far more often",
            {.of = 20, .violated = 18},
            {.of = 20, .violated = 2},
            Change::kWorse},
           {"a little more often",
            {.of = 20, .violated = 6},
            {.of = 20, .violated = 4},
            Change::kNotWorse},
           {"equally often",
            {.of = 20, .violated = 4},
            {.of = 20, .violated = 4},
            Change::kNotWorse},
           {"less often", {.of = 20, .violated = 1}, {.of = 20, .violated = 19}, Change::kNotWorse},
           {"no longer", {.of = 2}, {.of = 2, .violated = 2}, Change::kNotWorse},
           {"always, as before",
            {.of = 1, .violated = 1},
            {.of = 1, .violated = 1},
            Change::kNotWorse},
           {"more often, in too few trials",
            {.of = 2, .violated = 2},
            {.of = 2, .violated = 1},
            Change::kCannotTell},
           {"nothing judged now", {}, {.of = 5}, Change::kCannotTell},
           {"nothing judged before", {.of = 5, .violated = 5}, {}, Change::kCannotTell},
           {"undecided for the first time",
            {.of = 10, .undecided = 1},
            {.of = 10},
            Change::kNewlyUndecided},
           {"more undecided",
            {.of = 10, .undecided = 2},
            {.of = 10, .undecided = 1},
            Change::kCannotTell},
           {"undecided as before",
            {.of = 10, .undecided = 3},
            {.of = 10, .undecided = 3},
            Change::kNotWorse},
           {"the baseline was undecided",
            {.of = 3, .violated = 1},
            {.of = 3, .undecided = 3},
            Change::kCannotTell},
           {"perhaps as often as in a baseline with undecided trials",
            {.of = 20, .violated = 18},
            {.of = 20, .violated = 2, .undecided = 14},
            Change::kCannotTell},
           {"newly violated, unless an undecided trial of the baseline was violated",
            {.of = 100, .violated = 3},
            {.of = 100, .undecided = 1},
            Change::kCannotTell},
           {"worse than an undecided baseline can have been",
            {.of = 40, .violated = 40},
            {.of = 40, .violated = 2, .undecided = 2},
            Change::kWorse}}) {
    EXPECT_EQ(ChangeOf(one.now, one.before, 0.05), one.change) << one.name;
  }
  // The error is shared among many comparisons.
  EXPECT_EQ(ChangeOf({.of = 8, .violated = 8}, {.of = 8, .violated = 3}, 0.05), Change::kWorse);
  EXPECT_EQ(ChangeOf({.of = 8, .violated = 8}, {.of = 8, .violated = 3}, 0.001),
            Change::kCannotTell);
  // Chance alone explains this in one of two comparisons: not less often than the error.
  EXPECT_EQ(ChangeOf({.of = 2, .violated = 2}, {.of = 2, .violated = 1}, 0.5), Change::kCannotTell);
}

}  // namespace
}  // namespace doublehold
