// How long the lease of a client that never released stays promised. Each case was once judged
// wrongly.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/evidence/holds.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// An event that a lane cannot draw.
struct Added {
  int64_t at_ms = 0;
  Op op = Op::kLeave;
  EventType type = EventType::kInfo;
  uint64_t hold = 101;
  int64_t value_ms = 0;
};

History WithEvents(const std::string& picture, const std::vector<Added>& added) {
  History history = FromLanes(picture, {.lease = 10ms});
  for (const Added& one : added) {
    history.events.push_back(
        {.at_ns = one.at_ms * 1'000'000,
         .hold = one.hold,
         .client = 1,
         .op = one.op,
         .type = one.type,
         .task = one.op == Op::kExtend ? TaskKind::kWatchdog : TaskKind::kSession,
         .value = {one.value_ms * 1'000'000}});
  }
  SortByTime(history.events);
  return history;
}

// "7-12 15-20": the promised spans of the first hold, in ms.
std::string PromisedOf(const History& history) {
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
  std::vector<Added> added;
  std::string promised;
};

TEST(Promised, EndsWhereTheRestOfTheLeaseIsUnknown) {
  const std::string left = "c1: A-a===        !";
  for (const PromisedCase& one : std::vector<PromisedCase>{
           {"it left, and nothing else was done", left, {{.at_ms = 6}}, "6-14"},
           {"it left, and released after all",
            left,
            {{.at_ms = 6}, {.at_ms = 9, .op = Op::kRelease, .type = EventType::kInvoke}},
            "6-9"},
           {"its watchdog asked for more after it had left",
            left,
            {{.at_ms = 6},
             {.at_ms = 8, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 10}},
            "6-8"},
           {"it asked again", "c1: A-a===  A-x  !", {{.at_ms = 6}}, "6-8"},
           {"another acquire, of unknown outcome, was cleaned up",
            "c1: A-?  A-a===        !",
            {{.at_ms = 11, .hold = 102},
             {.at_ms = 13, .op = Op::kRelease, .type = EventType::kInvoke, .hold = 101}},
            "11-13"},
           {"an extension succeeded after it had left, and a later one failed",
            left,
            {{.at_ms = 3, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 4},
             {.at_ms = 6},
             {.at_ms = 7, .op = Op::kExtend, .type = EventType::kOk, .value_ms = 7},
             {.at_ms = 8, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 4},
             {.at_ms = 9, .op = Op::kExtend, .type = EventType::kFail}},
            "6-7"},
       }) {
    EXPECT_EQ(PromisedOf(WithEvents(one.picture, one.added)), one.promised) << one.name;
  }
}

// The session did nothing after its grant. Its watchdog extended the lease too late, and succeeded.
TEST(Promised, HasTheGapsOfALeaseThatWasExtendedTooLate) {
  const History history = WithEvents(
      "c1: A-a==!", {{.at_ms = 7, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 10},
                     {.at_ms = 9, .op = Op::kExtend, .type = EventType::kOk, .value_ms = 14}});
  EXPECT_EQ(PromisedOf(history), "2-5 9-14");
}

// The session stalled before it recorded its grant, so the extension was answered before that.
TEST(Promised, GoesByAnExtensionThatWasAnsweredBeforeTheGrant) {
  const History history =
      WithEvents("c1: A----a==    !",
                 {{.at_ms = 2, .op = Op::kExtend, .type = EventType::kInvoke, .value_ms = 20},
                  {.at_ms = 3, .op = Op::kExtend, .type = EventType::kOk, .value_ms = 22},
                  {.at_ms = 8}});
  EXPECT_EQ(PromisedOf(history), "8-22");
}

}  // namespace
}  // namespace doublehold
