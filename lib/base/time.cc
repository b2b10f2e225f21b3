#include "lib/base/time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace doublehold {
namespace {

struct Unit {
  std::string_view name;
  int64_t ns;
};
constexpr std::array kUnits{Unit{"ns", 1},
                            Unit{"us", 1'000},
                            Unit{"ms", 1'000'000},
                            Unit{"s", 1'000'000'000},
                            Unit{"m", 60'000'000'000},
                            Unit{"h", 3'600'000'000'000}};

// A century. A longer duration is a typing error, and would overflow when added to a time.
constexpr double kLongestNs = 100.0 * 365 * 86400 * 1e9;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text, std::optional<Lease> lease,
                               std::string_view usual_unit) {
  const std::string_view trimmed = Trim(text);
  double number = 0;
  const auto [end, status] =
      std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  if (status != std::errc{} || std::isnan(number)) {
    return BadInput(fmt::format("'{}' is not a duration (for example 500ms or 2s)", text));
  }
  if (number < 0)
    return BadInput(fmt::format("'{}' is negative; a duration must be 0 or more", text));
  const std::string_view unit = Trim(trimmed.substr(static_cast<size_t>(end - trimmed.data())));
  if (unit.empty() && number != 0) {
    return BadInput(fmt::format("'{}' has no unit (ns, us, ms, s, m, h): did you mean {}{}?", text,
                                trimmed, usual_unit));
  }
  double scale_ns = unit.empty() ? 1 : 0;
  for (const Unit& known : kUnits) {
    if (unit == known.name) scale_ns = static_cast<double>(known.ns);
  }
  if (lease && (unit == "lease" || unit == "leases"))
    scale_ns = static_cast<double>(lease->count());
  if (scale_ns == 0) {
    return BadInput(fmt::format("'{}' has the unknown unit '{}' (ns, us, ms, s, m, h{})", text,
                                unit, lease ? ", lease" : ""));
  }
  if (number * scale_ns > kLongestNs)
    return BadInput(fmt::format("'{}' is over a hundred years", text));
  return Duration(std::llround(number * scale_ns));
}

std::string FormatDuration(Duration duration) {
  const int64_t ns = duration.count();
  if (ns == 0) return "0s";
  const auto shown = [ns](int64_t unit_ns, std::string_view unit) {
    return fmt::format("{}{}", static_cast<double>(ns) / static_cast<double>(unit_ns), unit);
  };
  const int64_t size = ns < 0 ? -ns : ns;
  if (size >= 1'000'000'000) return shown(1'000'000'000, "s");
  if (size >= 1'000'000) return shown(1'000'000, "ms");
  if (size >= 1'000) return shown(1'000, "us");
  return shown(1, "ns");
}

std::string FormatSeconds(Duration since_start) {
  return fmt::format("{:.3f} s", ToSeconds(since_start));
}

}  // namespace doublehold
