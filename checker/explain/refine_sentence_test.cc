// Tests which faults a sentence names if all leases were valid.
#include "checker/explain/refine_sentence.h"

#include <gtest/gtest.h>

#include <string>

#include "checker/testing/testing_causes.h"

namespace doublehold {
namespace {

using testing::FirstOf;
using testing::kBoth;

Violation FirstLeaseExclusion(const std::string& lanes) {
  return FirstOf(FromLanes(lanes, {.claims = {"lease-exclusion"}}), "lease-exclusion");
}

// Client 1's messages are lost. So client 1 releases after its lease, and frees client 3's lock.
const std::string kFreed = R"(
      drop c1:       []
      slow c3:       [-----]
      c1:          A-a===!====================R-f
      c3:                                 A-a=========R-f
      c2:                                         A-a=======R-r)";

TEST(RefineSentence, NamesTheFaultThatMadeAForeignReleaseLate) {
  const Violation violation = FirstLeaseExclusion(kFreed);
  EXPECT_EQ(violation.sentence,
            "client 2 was granted the key at 0.033 s while client 3's lease was valid until 1.023 "
            "s; client 3 held it until 0.035 s; client 1's lease ended at 0.006 s; it released the "
            "key at 0.027 s, and freed another's lock; client 1's messages were being lost "
            "(0.002-0.003 s)");
  EXPECT_EQ(Name(violation.cause), "foreign-release") << violation.because;
  EXPECT_EQ(violation.fault, 0);
}

// Client 3's release then frees client 2's lock, although client 3's own lease is valid.
TEST(RefineSentence, NamesTheFaultBehindTheFirstReleaseOfAChain) {
  const RunVerdict verdict = Judge(FromLanes(kFreed + R"(
      c4:                                              A-a==R-r)",
                                             {.claims = {"lease-exclusion"}}));
  ASSERT_EQ(verdict.claims.at(0).violations.size(), 2U);
  const Violation& violation = verdict.claims[0].violations[1];
  EXPECT_EQ(
      violation.sentence,
      "client 4 was granted the key at 0.038 s while client 2's lease was valid until 1.031 "
      "s; client 2 held it until 0.041 s; client 1's lease ended at 0.006 s; it released the "
      "key at 0.027 s, and freed another's lock, and that one the next's; client 1's messages "
      "were being lost (0.002-0.003 s)");
  EXPECT_EQ(violation.fault, 0);
}

// Client 2's clock moved too, but a client's clock removes no key.
TEST(RefineSentence, NamesOnlyTheFaultsOfAKnownCause) {
  const std::string both = kBoth + R"(
      jump n1:           [--------------]   | 2000
      jump c2:           [--------------]   | 2000)";
  const Violation violation = FirstLeaseExclusion(both);
  EXPECT_EQ(Name(violation.cause), "server-clock") << violation.because;
  EXPECT_TRUE(violation.sentence.ends_with(
      "held it until 0.019 s; the clock of node 1 had been moved ahead by 2s at 0.006 s"))
      << violation.sentence;
}

TEST(RefineSentence, NamesNoReleaseIfSeveralArePossible) {
  const Violation violation =
      FirstOf(FromLanes(R"(
      c1:          A-a==!=============R-r
      c4:                   A-a==!=====R-r
      c2:                          A-a============R-x
      slow c3:                         [--]
      c3:                                 A-a==R-r)",
                        {.claims = {"lease-exclusion"}, .lock = "set-nx-px-get-del"}),
              "lease-exclusion");
  EXPECT_EQ(Name(violation.cause), "foreign-release") << violation.because;
  EXPECT_NE(violation.because.find(", and client 4 released the key"), std::string::npos)
      << violation.because;
  EXPECT_NE(violation.sentence.find("; client 3's section was still at work"), std::string::npos)
      << violation.sentence;
}

TEST(RefineSentence, ChangesNothingIfTheCauseIsUnexplained) {
  const Violation violation = FirstLeaseExclusion(kBoth + "\n      drop c2:           [---]");
  EXPECT_EQ(Name(violation.cause), "unexplained") << violation.because;
  EXPECT_TRUE(violation.sentence.ends_with("; client 2's messages were being lost (0.006-0.010 s)"))
      << violation.sentence;
}

}  // namespace
}  // namespace doublehold
