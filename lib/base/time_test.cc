#include "lib/base/time.h"

#include <gtest/gtest.h>

#include "lib/base/prng.h"

namespace doublehold {
namespace {

TEST(ParseDuration, ReadsANumberWithAUnit) {
  const struct {
    const char* text;
    Duration duration;
  } cases[] = {
      {"7ns", Duration(7)},
      {"200us", 200us},
      {"500ms", 500ms},
      {"1.5s", 1500ms},
      {"3m", 180s},
      {"2h", 7200s},
      {"0.5us", Duration(500)},
      {" 2 s ", 2s},
      {"0s", 0s},
      {"0", 0s},
      {"100000h", std::chrono::hours(100'000)},
  };
  for (const auto& [text, duration] : cases) {
    const Result<Duration> parsed = ParseDuration(text);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, duration) << text;
  }
}

TEST(ParseDuration, AcceptsLeasesIfALeaseIsGiven) {
  EXPECT_EQ(*ParseDuration("1.6 lease", 500ms), 800ms);
  EXPECT_EQ(*ParseDuration("2leases", 500ms), 1s);
  EXPECT_EQ(*ParseDuration("0.02 lease", 300ms), 6ms);
  EXPECT_EQ(ParseDuration("1.6 lease").error().message,
            "'1.6 lease' has the unknown unit 'lease' (ns, us, ms, s, m, h)");
}

TEST(ParseDuration, RefusesInvalidTextWithOneLine) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "'' is not a duration (for example 500ms or 2s)"},
      {"soon", "'soon' is not a duration (for example 500ms or 2s)"},
      {"ms", "'ms' is not a duration (for example 500ms or 2s)"},
      {"500", "'500' has no unit (ns, us, ms, s, m, h): did you mean 500ms?"},
      {" 1.5 ", "' 1.5 ' has no unit (ns, us, ms, s, m, h): did you mean 1.5ms?"},
      {"-1s", "'-1s' is negative; a duration must be 0 or more"},
      {"-1", "'-1' is negative; a duration must be 0 or more"},
      {"nan s", "'nan s' is not a duration (for example 500ms or 2s)"},
      {"5 parsecs", "'5 parsecs' has the unknown unit 'parsecs' (ns, us, ms, s, m, h)"},
      {"1s2ms", "'1s2ms' has the unknown unit 's2ms' (ns, us, ms, s, m, h)"},
      {"1 500ms", "'1 500ms' has the unknown unit '500ms' (ns, us, ms, s, m, h)"},
      {"900000h", "'900000h' is over a hundred years"},
      {"1e300s", "'1e300s' is over a hundred years"},
      {"inf s", "'inf s' is over a hundred years"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Duration> parsed = ParseDuration(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, ExitCode::kBadInput) << text;
    EXPECT_EQ(parsed.error().message, message);
  }
}

TEST(FormatDuration, IsTheShortestFormWithAUnit) {
  const struct {
    Duration duration;
    const char* text;
  } cases[] = {
      {0s, "0s"},       {Duration(7), "7ns"}, {20us, "20us"},       {500ms, "500ms"},
      {1500ms, "1.5s"}, {1500us, "1.5ms"},    {90s, "90s"},         {-2s, "-2s"},
      {-5ms, "-5ms"},   {800ms, "800ms"},     {Duration(1), "1ns"}, {3600s, "3600s"},
  };
  for (const auto& [duration, text] : cases) EXPECT_EQ(FormatDuration(duration), text);
}

TEST(FormatDuration, IsExact) {
  Prng random(1, "durations");
  for (int i = 0; i < 2000; ++i) {
    const Duration duration(static_cast<int64_t>(random.Next() >> (14 + random.Below(50))));
    const Result<Duration> parsed = ParseDuration(FormatDuration(duration));
    ASSERT_TRUE(parsed.has_value()) << FormatDuration(duration);
    EXPECT_EQ(*parsed, duration);
  }
}

TEST(FormatSeconds, HasThreeDecimals) {
  EXPECT_EQ(FormatSeconds(2418ms), "2.418 s");
  EXPECT_EQ(FormatSeconds(Duration(1'499'999)), "0.001 s");
  EXPECT_EQ(FormatSeconds(0s), "0.000 s");
}

template <typename From, typename To>
constexpr bool kConverts = std::is_convertible_v<From, To> || std::is_assignable_v<To&, From>;

TEST(Time, TheClocksDoNotConvertIntoEachOther) {
  EXPECT_FALSE((kConverts<MonoTime, WallTime>));
  EXPECT_FALSE((kConverts<WallTime, MonoTime>));
  EXPECT_FALSE((kConverts<Duration, MonoTime>));
  EXPECT_FALSE((kConverts<int64_t, Duration>));
}

}  // namespace
}  // namespace doublehold
