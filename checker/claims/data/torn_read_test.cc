#include "checker/claims/data/torn_read.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnTornRead(const std::string& picture) {
  return CheckTornRead(FromLanes(picture), {});
}

constexpr char kTorn[] = R"(
      c1:       A-b==L--!-----------l=R-x   | 7/8
      c2:               A-a=W-u=R-r         | 7>8
      pause c1:        [----------]         | 10)";

TEST(TornRead, IsViolatedWhenAReaderSawHalfOfAWrite) {
  const ClaimVerdict verdict = VerdictOnTornRead(kTorn);
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 1);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1's lease ended at 0.008 s while it was stopped (0.007-0.018 s); it looked at "
      "0.005-0.020 s and saw version 7 of one half and 8 of the other; client 2 wrote version 8 "
      "over 7 at 0.012-0.014 s");
}

TEST(TornRead, ALateWriterIsBlamed) {
  EXPECT_EQ(
      VerdictOnTornRead(R"(
      c1:       A-a==!=====W------u=R-x     | 7>8
      c2:                A-b=L--l=R-r       | 8/7
      pause c1:     [-----]                 | 6)")
          .violations.at(0)
          .sentence,
      "client 1's lease ended at 0.005 s while it was stopped (0.004-0.010 s); it wrote version "
      "8 over 7 until 0.018 s, while client 2 looked at 0.013-0.016 s and saw version 8 of one "
      "half and 7 of the other");
}

// c2 and c3 both wrote version 8. It is unknown which of the two writes was in progress during the
// look.
TEST(TornRead, ALateWriterIsBlamedRatherThanAWriterInTime) {
  const std::string both = R"(
      c1:                           A--b=L==lR-r    | 7/8
      c2:              A-a=============W-u=R-r      | 7>8
      c3:         A-a========!==========W--uR-x     | 7>8)";
  const std::string c3_before = R"(
      c1:                           A--b=L==lR-r    | 7/8
      c2:              A-a=============W-u=R-r      | 7>8
      c3:         A-a======!====W--uR-x             | 7>8)";
  struct Case {
    std::string picture;
    Outcome outcome;
    int32_t blamed;
  };
  for (const auto& [picture, outcome, blamed] :
       {Case{both, Outcome::kViolated, 3},
        Case{both + "\n      pause c3:       [----------------]", Outcome::kViolated, 3},
        Case{both + "\n      machine c3:     (----------------)", Outcome::kUnknown, 3},
        Case{both + "\n      machine c2:     (----------------)", Outcome::kViolated, 3},
        Case{c3_before + "\n      machine c3:     (--------)", Outcome::kViolated, 1}}) {
    const ClaimVerdict verdict = VerdictOnTornRead(picture);
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << picture << verdict.reason;
    EXPECT_EQ(verdict.violations.at(0).first->client, blamed) << picture << verdict.reason;
  }
}

TEST(TornRead, IsValidWhereBothHalvesHaveOneVersion) {
  EXPECT_EQ(VerdictOnTornRead(R"(
      c1:    A-b==L-l=R-r                              | 7/7
      c2:                   A-a=W-u=R-r                | 7>8
      c3:                                A-b==L-l=R-r  | 8/8)")
                .reason,
            "none of 2 looks saw half of a write");
}

TEST(TornRead, AHalfDoneWriteLeavesLaterTornLooksUnknown) {
  for (const std::string end : {"?=R-r", "x=R-r", "     "}) {
    const ClaimVerdict verdict = VerdictOnTornRead(R"(
      c2:    A-a=W-)" + end + R"(                      | 7>8
      c1:                       A-b==L-l=R-r           | 8/7)");
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << end << verdict.reason;
    EXPECT_EQ(verdict.count, 0);
  }
}

TEST(TornRead, AWriteThatBeganAsTheLookEndedMayHaveBeenLeftHalfDone) {
  EXPECT_EQ(VerdictOnTornRead(R"(
      c1:    A-b==L--l=R-r     | 7/8
      c2:    A-a=====W-?R-r    | 7>8)")
                .outcome,
            Outcome::kUnknown);
}

TEST(TornRead, NamesTheLatestWriteIfNoneWasInProgress) {
  const std::string sentence = VerdictOnTornRead(R"(
      c1:             A-b==L--l=R-r   | 7/8
      c2:      A-a=W--uR-r            | 7>8
      c3:    A-a=W----uR-x            | 6>7)")
                                   .violations.at(0)
                                   .sentence;
  EXPECT_NE(sentence.find("; client 2 wrote version 8 over 7 at "), std::string::npos) << sentence;
}

TEST(TornRead, AStoreThatMayHaveKeptHalfOfAWriteLeavesTornLooksUnknown) {
  const std::string torn = R"(
      c2:           A-a=W-u=R-r                                | 7>8
      c1:                         A-b==L-l=R-r                 | 8/7)";
  const std::string written_since = R"(
      c2:           A-a=W-u=R-r        A-a=W-u=R-r             | 7>8 8>9
      c1:                                            A-b==L-l=R-r      | 9/8)";
  EXPECT_EQ(VerdictOnTornRead(torn + "\n      restart n0:            []").reason,
            "client 1 looked at 0.019-0.021 s and saw version 8 of one half and 7 of the other, "
            "and the store may have kept half of a write: the store had been restarted at 0.009 s");
  for (const auto& [picture, outcome] : {
           std::pair(torn, Outcome::kViolated),
           std::pair(torn + "\n      flush n0:                        []", Outcome::kUnknown),
           std::pair(torn + "\n      restart n1:            []", Outcome::kViolated),
           std::pair(torn + "\n      pause n0:              []", Outcome::kViolated),
           std::pair(torn + "\n      restart n0:   []", Outcome::kViolated),
           std::pair(torn + "\n      restart n0:                                 []",
                     Outcome::kViolated),
           std::pair(written_since + "\n      restart n0:            []", Outcome::kViolated),
           std::pair(written_since + "\n      restart n0:                           []",
                     Outcome::kUnknown),
       }) {
    const ClaimVerdict verdict = VerdictOnTornRead(picture);
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << picture << verdict.reason;
  }
  History kept = FromLanes(torn + "\n      restart n0:            []");
  kept.facts.faults[0].keeps_data = true;
  EXPECT_EQ(CheckTornRead(kept, {}).outcome, Outcome::kViolated);
  History both = FromLanes(torn + "\n      restart n1:            []");
  both.facts.faults[0].nodes = {1, 0};
  EXPECT_EQ(CheckTornRead(both, {}).outcome, Outcome::kUnknown);
}

TEST(TornRead, ALookWithoutAHoldIsNotJudged) {
  EXPECT_EQ(VerdictOnTornRead(R"(
      c1:         L--------l                | 7/8
      c2:      A-a=W-u=R-r                  | 7>8)")
                .reason,
            "nobody looked at a record under a lock");
  EXPECT_EQ(VerdictOnTornRead("c1:  A-b==L-l=R-r  | 7/7").reason,
            "nobody looked at what another wrote");
}

TEST(TornRead, IsUnknownWhereFewLooksCouldHaveBeenTorn) {
  const std::string look = "\n      c1:             A-b==L-l=R-r                          | 7/7";
  const std::string none = "nobody looked at what another wrote";
  EXPECT_EQ(VerdictOnTornRead(look + R"(
      c2 item-1:      A-a=W-u=R-r                           | 7>8)")
                .reason,
            none);
  EXPECT_EQ(VerdictOnTornRead(look + R"(
      c2:                          A-a=W-x=R-r              | 7>8)")
                .reason,
            none);
  EXPECT_EQ(VerdictOnTornRead(look + R"(
      c2:                          A-a=W-?=R-r              | 7>8)")
                .reason,
            none);
  EXPECT_EQ(VerdictOnTornRead("c1:  A-a=W-u=R-r  A-b==L-l=R-r  | 7>8 8/8").reason, none);
  const std::string judged = look + R"(
      c2:                          A-a=W-u=R-r              | 7>8)";
  EXPECT_EQ(VerdictOnTornRead(judged).outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnTornRead(judged + R"(
      c3:                          L-lL-l                   | 7/8 8/8)")
                .reason,
            "only 1 of 3 looks could be judged");
  EXPECT_EQ(VerdictOnTornRead(judged + R"(
      c3 item-1:                   A-b=L-l=L-l=L            | 1/1 1/1)")
                .reason,
            "only 1 of 4 looks could be judged");
}

TEST(TornRead, ALookUnderAnotherSessionsHoldIsNotJudged) {
  History history = FromLanes(kTorn);
  for (Event& event : history.events) {
    if (event.op == Op::kLook) event.hold = 201;
  }
  EXPECT_EQ(CheckTornRead(history, {}).reason, "nobody looked at a record under a lock");
}

TEST(TornRead, ALookThatBeganAfterTheReleaseIsNotJudged) {
  History history = FromLanes(R"(
      c2:    A-a=W------u=R-r                 | 7>8
      c1:    A-b=R-r   L-l                    | 7/8)");
  for (Event& event : history.events) {
    if (event.op == Op::kLook) event.hold = 101;
  }
  EXPECT_EQ(CheckTornRead(history, {}).reason, "nobody looked at a record under a lock");
}

}  // namespace
}  // namespace doublehold
