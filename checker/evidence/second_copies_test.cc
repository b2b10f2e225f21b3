#include "checker/evidence/second_copies.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

TEST(SecondCopies, ArePossibleWhereAFaultOrAStallMetTheAcquire) {
  struct Row {
    std::string disturbance;
    std::optional<int64_t> if_granted_ms, if_refused_ms;
  };
  for (const Row& row : std::vector<Row>{
           {"hold c1:        [-]", 4, 4},
           {"hold c1:        [------]", 8, 8},
           {"duplicate c1:   [-]", 4, 4},
           {"drop c1:        [-]", std::nullopt, 4},
           {"pause n1:       [-]", std::nullopt, std::nullopt},
           {"pause n0:       [-]", std::nullopt, std::nullopt},
           {"pause c1:       [-]", std::nullopt, std::nullopt},
           {"pause c2:       [-]", std::nullopt, std::nullopt},
           {"hold c2:        [-]", std::nullopt, std::nullopt},
           {"jump n1:        [-]", std::nullopt, std::nullopt},
           {"hold c1:                [-]", std::nullopt, std::nullopt},
           {"machine n1:     (------)", 8, 8},
           {"machine n1:     (--)", std::nullopt, std::nullopt},
       }) {
    const History history = FromLanes("c1:            A---aR-r\n" + row.disturbance);
    const Disturbances disturbances = Observe(history);
    const Span when{0, 4'000'000};
    const auto in_ms = [](std::optional<int64_t> ns) -> std::optional<int64_t> {
      return ns ? std::optional(*ns / 1'000'000) : std::nullopt;
    };
    EXPECT_EQ(in_ms(SecondCopyArrivalNs(disturbances, 1, when, true)), row.if_granted_ms)
        << row.disturbance;
    EXPECT_EQ(in_ms(SecondCopyArrivalNs(disturbances, 1, when, false)), row.if_refused_ms)
        << row.disturbance;
  }
}

}  // namespace
}  // namespace doublehold
