#include "checker/sentences/violation_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/claims/lock/exclusion.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

std::string FirstSentence(const std::string& picture) {
  const ClaimVerdict verdict = CheckExclusion(FromLanes(picture), {});
  return verdict.violations.empty() ? verdict.reason : verdict.violations[0].sentence;
}

constexpr char kStoryStale[] = R"(
    c3:                A-a=====!=======R-r
    c5:                          A-a===R-r
)";
constexpr char kLive[] = R"(
    c3:                A-a===========!=R-r
    c5:                       A-a==R-r
)";

struct StoryCase {
  std::string lane;
  std::string sentence;
};

TEST(ViolationText, AStaleHoldNamesTheEndOfItsLeaseAndTheFault) {
  const std::string begin = "client 3's lease ended at 0.008 s";
  const std::string middle =
      "; client 5 was granted the key at 0.012 s; client 3 held it until 0.016 s";
  for (const StoryCase& each : std::vector<StoryCase>{
           {"", begin + middle + "; no fault was active"},
           {"    pause c3:              [-------]",
            begin + " while it was stopped (0.004-0.012 s)" + middle},
           {"    pause c3:              [--]",
            begin + middle + "; client 3 was stopped (0.004-0.007 s)"},
           {"    pause n1:              [-------]",
            begin + " while node 1 was stopped (0.004-0.012 s)" + middle},
           {"    slow c3:               [-------]",
            begin + " while its section was still at work (0.004-0.012 s)" + middle},
           {"    hold c3:               [-------]",
            begin + " while its messages were held on the wire (0.004-0.012 s)" + middle},
           {"    stall c3:              [-------]",
            begin + " while its messages were held on the wire (0.004-0.012 s)" + middle},
           {"    delay n0:              [-------]",
            begin + " while messages to and from the store were held on the wire (0.004-0.012 s)" +
                middle},
           {"    delay:                 [-------]",
            begin + " while messages were held on the wire (0.004-0.012 s)" + middle},
           {"    drop c3:               [-------]",
            begin + " while its messages were being lost (0.004-0.012 s)" + middle},
           {"    partition c3:          [-------]",
            begin + " while it was cut off (0.004-0.012 s)" + middle},
           {"    black-hole c3:         [-------]",
            begin + " while it was cut off (0.004-0.012 s)" + middle},
           {"    reset c3:              []",
            begin + middle + "; client 3's connections had been reset at 0.004 s"},
           {"    meteor c3:             [-------]",
            begin + " while fault 'meteor' was active: meteor as drawn (0.004-0.012 s)" + middle},
           {"    machine c3:            (-------)",
            begin + " while the machine stalled it (0.004-0.012 s)" + middle},
       }) {
    EXPECT_EQ(FirstSentence(kStoryStale + each.lane), each.sentence) << each.lane;
  }
}

TEST(ViolationText, ADoubleGrantNamesTheEndOfTheFirstLeaseAndTheFault) {
  const std::string begin =
      "client 5 was granted the key at 0.009 s while client 3's lease was valid until 0.014 s; "
      "client 3 held it until 0.016 s; ";
  for (const StoryCase& each : std::vector<StoryCase>{
           {"", begin + "no fault was active"},
           {"    jump n1:               [---------------]           | 750",
            begin + "the clock of node 1 had been moved ahead by 750ms at 0.004 s"},
           {"    jump c5:               [---------------]           | -1500",
            begin + "client 5's clock was back by 1.5s at 0.004 s"},
           {"    drift n1:              [---------------]           | 750",
            begin + "the clock of node 1 had been drifting at 0.004 s"},
           {"    restart n1:            [-]", begin + "node 1 had been restarted at 0.004 s"},
           {"    failover n1:           []",
            begin + "another server had taken over from node 1 at 0.004 s"},
           {"    flush n1:              [-]", begin + "node 1 had been emptied at 0.004 s"},
           {"    delete-key n1:         [-]",
            begin + "the key had been deleted on node 1 at 0.004 s"},
           {"    evict n1:              [-]",
            begin + "the key had been evicted from node 1 at 0.004 s"},
           // A pause of a holder explains no double grant. A client that woke up may explain it.
           {"    pause c3:            [---]\n    slow c5:              [---]\n    pause c1:        "
            "  [---]",
            begin + "client 1 was stopped (0.000-0.004 s)"},
           {"    slow c3:               [---]",
            begin + "client 3's section was still at work (0.004-0.008 s)"},
           {"    drop c3:               [---]\n    slow c5:               [---]",
            begin + "client 3's messages were being lost (0.004-0.008 s)"},
           {"    jump n1:                                  []      | 750",
            begin + "no fault was active"},
           {"    restart n0:            [-]", begin + "no fault was acting on the lock"},
           {"    restart n1:            [-]\n    pause n0:              [-]",
            begin + "node 1 had been restarted at 0.004 s"},
           {"    delete-key:            [-]",
            begin + "the key had been deleted on a server at 0.004 s"},
       }) {
    EXPECT_EQ(FirstSentence(kLive + each.lane), each.sentence) << each.lane;
  }
}

TEST(ViolationText, AFaultOnOneListedNodeNamesIt) {
  History history = FromLanes(std::string(kLive) + "    delete-key:            [-]");
  history.facts.faults.at(0).nodes = {1};
  const std::string sentence = CheckExclusion(history, {}).violations.at(0).sentence;
  EXPECT_NE(sentence.find("the key had been deleted on node 1"), std::string::npos) << sentence;
}

TEST(ViolationText, AFaultThatEndedMoreThanALeaseBeforeTheOverlapIsNotNamed) {
  const std::string late = R"(
    c3:        A-a=====!===================R-r
    c5:                              A-a===R-r
    pause c3:    [--])";
  EXPECT_NE(FirstSentence(late).find("; no fault was active"), std::string::npos);
}

TEST(ViolationText, ALostMessageIsNamedIfTheFaultEndedWithinALeaseBeforeTheLeaseEnd) {
  const std::string late = R"(
    c3:        A-a=====!===================R-r
    c5:                              A-a===R-r
    drop c3:     [--])";
  EXPECT_NE(FirstSentence(late).find("; client 3's messages were being lost"), std::string::npos)
      << FirstSentence(late);
}

TEST(ViolationText, APauseAtTheEndOfTheLeaseIsNamedHoweverLateTheOverlap) {
  const std::string late = R"(
    c3:        A-a=====!===================R-r
    c5:                              A-a===R-r)";
  for (const StoryCase& each :
       {StoryCase{"    pause c3:       [----]", "0.005-0.010"},
        {"    pause c3:          [----]", "0.008-0.013"},  // begins when the lease ends
        {"    pause c3:     [----]", "0.003-0.008"}}) {    // ends when the lease ends
    const std::string sentence = FirstSentence(late + "\n" + each.lane);
    EXPECT_NE(sentence.find("ended at 0.008 s while it was stopped (" + each.sentence + " s)"),
              std::string::npos)
        << sentence;
  }
}

TEST(ViolationText, AFaultShorterThanAMillisecondIsWrittenWithOneTime) {
  const History history = FromLanes(R"(
    c3:       A-a=====R-r
    drop c3:     [--]    )");
  const Disturbances disturbances = Observe(history);
  FaultEpisode episode = disturbances.episodes.at(0);
  EXPECT_EQ(FaultClause(disturbances, episode),
            "client 3's messages were being lost (0.003-0.006 s)");
  episode.to_ns = episode.from_ns + 100'000;
  EXPECT_EQ(FaultClause(disturbances, episode), "client 3's messages were being lost at 0.003 s");
}

TEST(ViolationText, AClockMoveIsRoundedToMilliseconds) {
  const History history = FromLanes("jump c3: [-]");
  const Disturbances disturbances = Observe(history);
  FaultEpisode episode = disturbances.episodes.at(0);
  for (const auto& [by_ns, by] : {std::pair{-1'600'000, "back by 2ms"},
                                  {0, "ahead by 0s"},
                                  {400'000, "ahead by 0s"},
                                  {600'000, "ahead by 1ms"}}) {
    episode.measured_ns = episode.asked_ns = by_ns;
    EXPECT_EQ(FaultClause(disturbances, episode),
              "client 3's clock was " + std::string(by) + " at 0.000 s");
  }
}

TEST(ViolationText, AStaleHoldPrefersAFaultOnItsOwnClient) {
  EXPECT_NE(FirstSentence(std::string(kStoryStale) + "    pause c5:              [-------]\n"
                                                     "    delay c3:            [-----]\n"
                                                     "    jump n1:               [--]      | 5")
                .find("while its messages were held"),
            std::string::npos);
}

TEST(ViolationText, ADoubleGrantPrefersAClockFaultToAPause) {
  EXPECT_NE(FirstSentence(std::string(kLive) + "    jump n1:               [-------]   | 750\n"
                                               "    pause c3:               [-------]")
                .find("the clock of node 1"),
            std::string::npos);
}

TEST(ViolationText, AllClocksThatMovedAtOnceAreNamed) {
  EXPECT_NE(FirstSentence(std::string(kLive) + "    jump n1:               [-------]   | 750\n"
                                               "    jump c5:               [-------]   | 1500")
                .find("the clock of node 1 had been moved ahead by 750ms at 0.004 s and client 5's "
                      "clock was ahead by 1.5s at 0.004 s"),
            std::string::npos);
}

TEST(ViolationText, AFaultOnAClientAndANodeNamesBoth) {
  History history = FromLanes(std::string(kLive) + "    jump c5:               [-------]   | 1500");
  history.facts.faults[0].nodes = {1};
  for (Event& event : history.events) {
    if (event.op == Op::kFault) event.value[3] = 1;
  }
  EXPECT_NE(
      CheckExclusion(history, {})
          .violations.at(0)
          .sentence.find("client 5's clock was ahead by 1.5s and the clock of node 1 had been "
                         "moved ahead by 1.5s at 0.004 s"),
      std::string::npos);
}

TEST(ViolationText, AHoldThatWasNeverReleasedIsNamedAsSuch) {
  EXPECT_EQ(FirstSentence(R"(
      c1:    A-a=====!=======w   | 5>4
      c2:              A-a===R-r)"),
            "client 1's lease ended at 0.008 s; client 2 was granted the key at 0.012 s; client 1 "
            "never released it (last seen at 0.016 s); no fault was active");
}

TEST(ViolationText, AGrantThatNeverEndsIsNamedAsSuch) {
  History history = FromLanes(kLive);
  history.events[1].value[0] = INT64_MAX;
  EXPECT_EQ(CheckExclusion(history, {}).violations.at(0).sentence,
            "client 5 was granted the key at 0.009 s while client 3 held it, whose grant never "
            "ends; client 3 held it until 0.016 s; no fault was active");
}

TEST(ViolationText, ALeaseThatEndedBeforeItsGrantIsNamedAsSuch) {
  History history = FromLanes(R"(
      c1:  A-a=============R-r
      c2:      A-----a==R-r)");
  for (Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kOk && event.client == 2) {
      event.value[0] = 7'000'000;
    }
  }
  EXPECT_EQ(CheckExclusion(history, {}).violations.at(0).sentence,
            "client 2's lease ended at 0.007 s; it was granted the key at 0.010 s, while client 1 "
            "held it until 0.016 s; no fault was active");
}

// A stall ended c2's lease before its answer came. This excuses the grant only if the key can have
// been free at or after the acquire's invocation.
TEST(ViolationText, AStallDoesNotExcuseAGrantWithinALeaseValidSinceTheAcquire) {
  struct Granted {
    std::string first;
    Outcome outcome;
  };
  const std::string second = R"(
      c2:             A--------a=R-r
      machine c2:      (------))";
  for (const Granted& each : std::vector<Granted>{
           {"c1:          A-a==============R-r", Outcome::kViolated},
           // c1's lease begins at the instant at which c2's acquire is invoked.
           {"c1:           A-a==============R-r", Outcome::kViolated},
           // c1's lease begins later.
           {"c1:            A-a==============R-r", Outcome::kUnknown},
           // c1's lease ended after that instant, and was extended later.
           {"c1:          A-a=====!=E-e=====R-r", Outcome::kUnknown},
       }) {
    History history = FromLanes("\n      " + each.first + second);
    int64_t asked_ns = 0;
    for (Event& event : history.events) {
      if (event.client != 2 || event.op != Op::kAcquire) continue;
      if (event.type == EventType::kInvoke) asked_ns = event.at_ns;
      if (event.type == EventType::kOk) event.value[0] = asked_ns + 6'000'000;
    }
    const ClaimVerdict verdict = CheckExclusion(history, {});
    EXPECT_EQ(Name(verdict.outcome), Name(each.outcome)) << each.first << "\n" << verdict.reason;
  }
}

}  // namespace
}  // namespace doublehold
