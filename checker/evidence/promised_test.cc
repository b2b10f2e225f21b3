// Tests Hold::promised: how long the lease of an abandoned hold stays promised. Each case is a
// regression test.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/evidence/holds.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// An event of client 1 that lanes cannot draw.
struct AddedEvent {
  int64_t at_ms = 0;
  Op op = Op::kLeave;
  EventType type = EventType::kInfo;
  uint64_t hold = 101;
  int64_t value_ms = 0;
};

History WithEvents(const std::string& picture, const std::vector<AddedEvent>& added) {
  History history = FromLanes(picture, {.lease = 10ms});
  for (const AddedEvent& each : added) {
    history.events.push_back(
        {.at_ns = each.at_ms * 1'000'000,
         .hold = each.hold,
         .client = 1,
         .op = each.op,
         .type = each.type,
         .task = each.op == Op::kExtend ? TaskKind::kWatchdog : TaskKind::kSession,
         .value = {each.value_ms * 1'000'000}});
  }
  SortByTime(history.events);
  return history;
}

// Returns the promised spans of the first hold, in ms: "7-12 15-20".
std::string DrawnPromises(const History& history) {
  const Holds holds = ExtractHolds(history);
  std::string text;
  for (const Span& span : holds.all.at(0).promised) {
    text += (text.empty() ? "" : " ") + std::to_string(span.from_ns / 1'000'000) + "-" +
            std::to_string(span.to_ns / 1'000'000);
  }
  return text;
}

struct PromisedCase {
  std::string name;
  std::string picture;
  std::vector<AddedEvent> added;
  std::string promised;
};

TEST(Promised, APromiseEndsWhenTheLeaseMayHaveEnded) {
  const std::string left = "c1: A-a===        !";
  for (const PromisedCase& each : std::vector<PromisedCase>{
           {"left without a release", left, {{.at_ms = 6}}, "6-14"},
           {"left when its lease ended", "c1: A-a===!", {{.at_ms = 6}}, ""},
           {"left, then released",
            left,
            {{.at_ms = 6}, {.at_ms = 9, .op = Op::kRelease, .type = EventType::kInvoke}},
            "6-9"},
           {"left, then its watchdog invoked an extension",
            left,
            {{.at_ms = 6},
             {.at_ms = 8, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 10}},
            "6-8"},
           {"left, then acquired the key again", "c1: A-a===  A-x  !", {{.at_ms = 6}}, "6-8"},
           {"left, then released an earlier acquire of unknown outcome",
            "c1: A-?  A-a===        !",
            {{.at_ms = 11, .hold = 102},
             {.at_ms = 13, .op = Op::kRelease, .type = EventType::kInvoke, .hold = 101}},
            "11-13"},
           {"left during an extension that failed later",
            left,
            {{.at_ms = 3, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 4},
             {.at_ms = 6},
             {.at_ms = 8, .op = Op::kExtend, .type = EventType::kFail}},
            "6-14"},
           {"left, then an extension succeeded and another one failed",
            left,
            {{.at_ms = 3, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 4},
             {.at_ms = 6},
             {.at_ms = 7, .op = Op::kExtend, .type = EventType::kOk, .value_ms = 7},
             {.at_ms = 8, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 4},
             {.at_ms = 9, .op = Op::kExtend, .type = EventType::kFail}},
            "6-7"},
           {"left, then an extension succeeded and one whose invocation was lost failed",
            left,
            {{.at_ms = 3, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 4},
             {.at_ms = 6},
             {.at_ms = 7, .op = Op::kExtend, .type = EventType::kOk, .value_ms = 7},
             {.at_ms = 9, .op = Op::kExtend, .type = EventType::kFail}},
            "6-7"},
       }) {
    EXPECT_EQ(DrawnPromises(WithEvents(each.picture, each.added)), each.promised) << each.name;
  }
}

// If the session re-entered the lock, the lease of the hold that it left goes on.
TEST(Promised, AnAcquireAfterAHoldWasLeftCanBeReadInTwoWays) {
  const auto is_ambiguous = [](const std::string& picture) {
    return ExtractHolds(WithEvents(picture, {{.at_ms = 6}})).is_ambiguous;
  };
  EXPECT_TRUE(is_ambiguous("c1: A-a===  A-x  !"));
  EXPECT_FALSE(is_ambiguous("c1: A-a===       !"));
}

TEST(Promised, ALeaseIsPromisedFromTheEndOfTheCoreToTheEndOfTheLease) {
  const Hold hold = ExtractHolds(WithEvents("c1: A-a===        !", {{.at_ms = 6}})).all.at(0);
  for (const auto& [at_ms, promised] :
       {std::pair{1, false}, {2, true}, {6, true}, {13, true}, {14, false}})
    EXPECT_EQ(hold.PromisedAt(at_ms * int64_t{1'000'000}), promised) << at_ms;
}

// The session does nothing after its grant. Its watchdog extends the lease after the expiry.
TEST(Promised, AnExtensionAfterTheExpiryLeavesAGap) {
  const History history = WithEvents(
      "c1: A-a==!", {{.at_ms = 7, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 10},
                     {.at_ms = 9, .op = Op::kExtend, .type = EventType::kOk, .value_ms = 14}});
  EXPECT_EQ(DrawnPromises(history), "2-5 9-14");
}

// Its lease may end with its session, so nothing is promised after the kill.
TEST(Promised, ALeaseWithoutAnEndIsNotPromisedAfterAKill) {
  const auto promises = [](const std::string& picture) {
    const History history = FromLanes(picture, {.asked_lease = Duration(kForeverNs)});
    return ExtractHolds(history).all.at(0).promised.size();
  };
  EXPECT_EQ(promises("c1:       A-a==="), 1U);
  EXPECT_EQ(promises("c1:       A-a===\ncrash c1:       []"), 0U);
  EXPECT_EQ(promises("c1:       A-a==E\ncrash c1:       []"), 0U) << "an extension was under way";
}

// The session stalls before it records its grant, so the extension is answered before the grant.
TEST(Promised, AnExtensionAnsweredBeforeTheGrantDecidesTheEnd) {
  const History history =
      WithEvents("c1: A----a==    !",
                 {{.at_ms = 2, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 20},
                  {.at_ms = 3, .op = Op::kExtend, .type = EventType::kOk, .value_ms = 22},
                  {.at_ms = 8}});
  EXPECT_EQ(DrawnPromises(history), "8-22");
}

}  // namespace
}  // namespace doublehold
