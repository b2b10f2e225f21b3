#include "checker/claims/lock/exclusion_scan.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "checker/claims/lock/exclusion.h"
#include "checker/testing/ascii_history.h"
#include "checker/testing/oracle/random_run.h"
#include "lib/history/binary.h"
#include "lib/testing/temp_file.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

// Numbers the holds of each session from its own base, as in a run.
void GiveHoldsBases(History& history) {
  for (Event& event : history.events) {
    if (event.hold == 0) continue;
    event.hold = static_cast<uint64_t>(event.client) << 40U |
                 static_cast<uint64_t>(event.thread) << 32U | (event.hold & UINT32_MAX);
  }
}

class ExclusionScanTest : public ::testing::Test {
 protected:
  ExclusionScan ScanHistory(History history) {
    GiveHoldsBases(history);
    return ScanNumbered(history);
  }
  ExclusionScan ScanNumbered(const History& history) {
    EXPECT_TRUE(WriteBinaryFile(history, file_).has_value());
    const Result<MappedHistory> mapped = MappedHistory::Open(file_);
    EXPECT_TRUE(mapped.has_value()) << mapped.error().message;
    return ScanExclusion(*mapped);
  }

  const testing::TempFile temp_{"scan-test"};
  const std::filesystem::path& file_ = temp_.path();
};

TEST_F(ExclusionScanTest, DecidesAHistoryInWhichEachHoldEndsBeforeTheNext) {
  const ExclusionScan scan = ScanHistory(FromLanes(R"(
    c1:  A-a===R-r        A--?
    c2:      A---x A-a==R-r
    c3:   A--------?  R-?    A-a=R?
  )"));
  EXPECT_EQ(scan.gave_up, "");
  EXPECT_EQ(scan.holds, 3);
  EXPECT_EQ(scan.judged, 3);
  EXPECT_EQ(scan.shortest_gap_ns, 6'000'000);
}

TEST_F(ExclusionScanTest, GivesUpOnOverlapsUnreleasedHoldsReentryReadersAndFaults) {
  for (const char* picture : {
           // An overlap, a hold that is never released, re-entry, readers.
           "      c1:  A-a====R-r\n      c2:    A-a=R-r",
           "      c1:  A-a=======\n      c2:    A---x",
           "      c1:  A-a=======\n      c2:          A-a=R-r",
           "      c1:  A-a=A-a=R-R-r\n      c2:                A-a=R-r",
           "      c1:  A-b===R-r\n      c2:    A-b==R-r",
           // Events of the supervisor: a fault, lost records, a death.
           "      c1:  A-a==R-r\n      c2:          A-a=R-r\n  pause c1:  [-]",
           "      c1:  A-a==R-r\n      c2:          A-a=R-r\n  lost c1:    *",
           "      c1:  A-a==R-r\n      c2:          A-a=R-r\n  died c1:    *",
           "      c1:         A-a==R-r\n      c2:                  A-a=R-r\n  machine c1:     ()",
       }) {
    EXPECT_NE(ScanHistory(FromLanes(picture)).gave_up, "") << picture;
  }
}

TEST_F(ExclusionScanTest, NamesTheRecordAtWhichItGivesUp) {
  EXPECT_EQ(ScanHistory(FromLanes("      c1:  A-a====R-r\n      c2:    A-a=R-r")).gave_up,
            "record 4 of log 1 is not ordinary");
}

TEST_F(ExclusionScanTest, GivesUpOnContradictoryHoldNumbers) {
  const History fine = FromLanes("c1: A-a=R-r  A-a=R-r\n c2:       A---x");
  ASSERT_EQ(ScanHistory(fine).gave_up, "");
  const auto spoilt = [&](size_t index, auto spoil) {
    History history = fine;
    spoil(history.events.at(index));
    return ScanHistory(history).gave_up;
  };
  size_t released = 0;
  size_t granted = 0;  // the second grant
  for (size_t i = 0; i < fine.events.size(); ++i) {
    if (fine.events[i].op == Op::kRelease && released == 0) released = i;
    if (fine.events[i].op == Op::kAcquire && fine.events[i].type == EventType::kOk) granted = i;
  }
  EXPECT_NE(spoilt(granted, [](Event& e) { e.hold = 101; }), "");  // 101 is granted twice
  EXPECT_NE(spoilt(released, [](Event& e) { e.hold = 99; }), "");  // 101 is never released
  EXPECT_NE(spoilt(granted, [](Event& e) { e.hold = 0; }), "");
  EXPECT_NE(spoilt(released, [](Event& e) { e.task = TaskKind::kWatchdog; }), "");
  History twice = fine;  // hold 101 is granted and released twice
  for (Event& event : twice.events) event.hold = event.hold == 102 ? 101 : event.hold;
  EXPECT_NE(ScanHistory(twice).gave_up, "");
  History of_another = fine;  // client 1 releases a hold of client 2
  GiveHoldsBases(of_another);
  of_another.events.push_back({.at_ns = of_another.events.back().at_ns,
                               .hold = (uint64_t{2} << 40U) + 201,
                               .client = 1,
                               .op = Op::kRelease,
                               .type = EventType::kInvoke});
  EXPECT_NE(ScanNumbered(of_another).gave_up, "");
}

// A session that releases twice must not free another session's hold with the same number.
TEST_F(ExclusionScanTest, IdentifiesHoldsByTheirWriterToo) {
  History history = FromLanes("c2: A-aR-r\nc1:       A-a===\nc3:                A-x");
  for (Event& event : history.events) {
    if (event.hold != 0) event.hold = 1;
  }
  EXPECT_EQ(ScanHistory(history).gave_up, "a hold is never released");
  history.events.push_back({.at_ns = history.events.back().at_ns,
                            .hold = 1,
                            .client = 2,
                            .op = Op::kRelease,
                            .type = EventType::kInvoke});
  EXPECT_NE(ScanHistory(history).gave_up, "");
}

TEST_F(ExclusionScanTest, MeasuresGapsBetweenTwoWritersOnly) {
  EXPECT_EQ(ScanHistory(FromLanes("c1: A-a==R-rA-a=R-r\nc2:                     A-a=R-r"))
                .shortest_gap_ns,
            10'000'000);
}

// If the scan decides a history, CheckExclusion decides the same. The scan gives up on every
// history with a violation.
TEST_F(ExclusionScanTest, AgreesWithTheCheckerOnRandomHistories) {
  const int64_t rounds = NumTrials(1'200);
  int64_t decided = 0;
  int64_t violated = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(rounds); ++seed) {
    Prng prng(seed, "scan");
    History history = brute::RandomRun({prng}, {.max_stay = 12,
                                                .loses_acquire = 12,
                                                .loses_release = 12,
                                                .grants_held_lock = seed % 3 == 0 ? 67 : 0});
    const ExclusionScan scan = ScanHistory(history);
    const ClaimVerdict whole = CheckExclusion(history, {});
    if (whole.outcome == Outcome::kViolated) {
      ++violated;
      EXPECT_NE(scan.gave_up, "") << "seed " << seed;
    }
    if (!scan.gave_up.empty()) continue;
    ++decided;
    EXPECT_EQ(whole.outcome, scan.judged == 0 ? Outcome::kUnknown : Outcome::kValid)
        << "seed " << seed;
    EXPECT_EQ(whole.opportunities, scan.holds) << "seed " << seed;
    ASSERT_EQ(whole.margins.size(), scan.shortest_gap_ns ? 1u : 0u) << "seed " << seed;
    if (scan.shortest_gap_ns) {
      EXPECT_EQ(whole.margins[0].value, *scan.shortest_gap_ns) << "seed " << seed;
    }
  }
  EXPECT_GT(decided, rounds / 6);
  EXPECT_GT(violated, rounds / 6);
}

}  // namespace
}  // namespace doublehold
