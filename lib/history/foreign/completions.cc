#include "lib/history/foreign/completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace doublehold {
namespace {

constexpr int64_t kNsASecond = 1'000'000'000;
// Seconds beyond this are refused, so that nanoseconds fit into an int64_t.
constexpr int64_t kMostSeconds = int64_t{1} << 33;

// Reads "", "Z", "+02:00" or "-0530".
std::optional<int64_t> ReadZone(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  const std::string zone(text);
  int hours = 0, minutes = 0, read = 0;
  for (const char* form : {"%3d:%2d%n", "%3d%2d%n"}) {
    if (std::sscanf(zone.c_str(), form, &hours, &minutes, &read) == 2 &&
        static_cast<size_t>(read) == zone.size() && (zone[0] == '+' || zone[0] == '-'))
      return (hours * 60 + (zone[0] == '-' ? -minutes : minutes)) * 60;
  }
  return std::nullopt;
}

// `digits` are those behind the point. Digits beyond ns are dropped.
int64_t NsOfFraction(std::string_view digits) {
  int64_t ns = 0;
  for (size_t i = 0; i < 9; ++i) ns = ns * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return ns;
}

// A real has too few digits for the ns of today's seconds, so reads them as they are written.
int64_t NsOfSeconds(double seconds, std::string_view written) {
  const bool is_negative = written.starts_with('-');
  if (is_negative) written.remove_prefix(1);
  const size_t point = written.find('.');
  if (point == std::string_view::npos || written.find_first_not_of("0123456789") != point ||
      written.find_first_not_of("0123456789", point + 1) != std::string_view::npos)
    return std::llround(seconds * static_cast<double>(kNsASecond));
  int64_t whole = 0;
  for (const char digit : written.substr(0, point)) whole = whole * 10 + (digit - '0');
  const int64_t ns = whole * kNsASecond + NsOfFraction(written.substr(point + 1));
  return is_negative ? -ns : ns;
}

// Whether the time is a whole number that is too large for seconds.
bool IsBeyond(const Completions::Time& time) {
  return time.unit == Completions::Unit::kWhole &&
         (time.number > kMostSeconds || time.number < -kMostSeconds);
}

int64_t NsOf(const Completions::Time& time, bool in_seconds) {
  return in_seconds && time.unit == Completions::Unit::kWhole ? time.number * kNsASecond
                                                              : time.number;
}

// Copies the form with its texts.
void CopyForm(FormView form, std::vector<FormNode>& nodes, std::deque<std::string>& texts) {
  if (!form.exists()) return;
  form.AppendTo(nodes);
  for (FormNode& node : nodes) {
    if (!node.text.empty()) node.text = texts.emplace_back(node.text);
  }
}

FormView ViewOf(const std::vector<FormNode>& nodes) {
  return nodes.empty() ? FormView() : FormView(nodes.data());
}

}  // namespace

std::optional<int64_t> ReadDate(std::string_view text) {
  const std::string date(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, read = 0;
  char between = 0;
  const int fields = std::sscanf(date.c_str(), "%4d-%2d-%2d%c%2d:%2d:%2d%n", &year, &month, &day,
                                 &between, &hour, &minute, &second, &read);
  if (fields != 7 || read != 19 || (between != 'T' && between != ' ')) return std::nullopt;
  const std::chrono::year_month_day ymd{std::chrono::year(year),
                                        std::chrono::month(static_cast<unsigned>(month)),
                                        std::chrono::day(static_cast<unsigned>(day))};
  if (!ymd.ok() || year < 1900 || year > 2200 || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  std::string_view rest = text.substr(19);
  int64_t fraction_ns = 0;
  if (!rest.empty() && (rest[0] == '.' || rest[0] == ',')) {
    const size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (end == 1) return std::nullopt;
    fraction_ns = NsOfFraction(rest.substr(1, end - 1));
    rest.remove_prefix(end);
  }
  const std::optional<int64_t> zone = ReadZone(rest);
  if (!zone) return std::nullopt;
  const int64_t days = std::chrono::sys_days(ymd).time_since_epoch().count();
  const int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - *zone;
  return seconds * kNsASecond + fraction_ns;
}

std::optional<Completions::Time> Completions::ReadTime(FormView form) {
  if (const std::optional<int64_t> whole = form.Integer())
    return Time{.unit = Unit::kWhole, .number = *whole};
  if (const std::optional<double> real = form.Real()) {
    if (!(std::abs(*real) < static_cast<double>(kMostSeconds))) return std::nullopt;
    return Time{.unit = Unit::kSeconds, .number = NsOfSeconds(*real, form.Written())};
  }
  if (const std::optional<std::string_view> text = form.Text()) {
    if (const std::optional<int64_t> ns = ReadDate(*text))
      return Time{.unit = Unit::kDate, .number = *ns};
  }
  return std::nullopt;
}

std::optional<std::string> Completions::Add(Operation operation, FormView start, FormView end) {
  const std::optional<Time> from = ReadTime(start);
  const std::optional<Time> to = ReadTime(end);
  if (!from) return fmt::format(kNoTime, "start");
  if (!to && !end.IsNil()) return fmt::format(kNoTime, "end");
  const bool is_date = (kept_.empty() ? *from : kept_.front().start).unit == Unit::kDate;
  if ((from->unit == Unit::kDate) != is_date || (to && (to->unit == Unit::kDate) != is_date))
    return "its times are not of the first operation's kind: dates, or numbers";
  const bool in_seconds =
      in_seconds_ || from->unit == Unit::kSeconds || (to && to->unit == Unit::kSeconds);
  const bool has_beyond = has_beyond_ || IsBeyond(*from) || (to && IsBeyond(*to));
  if (in_seconds && has_beyond) {
    return "its times are in two units: seconds with a fraction, and whole numbers that are too "
           "large for seconds";
  }
  if (to && NsOf(*to, in_seconds) < NsOf(*from, in_seconds)) return "its end is before its start";
  in_seconds_ = in_seconds;
  has_beyond_ = has_beyond;
  Kept& kept = kept_.emplace_back();
  kept.operation = std::move(operation);
  CopyForm(kept.operation.value, kept.value, kept.texts);
  CopyForm(kept.operation.key, kept.key, kept.texts);
  kept.operation.value = ViewOf(kept.value);
  kept.operation.key = ViewOf(kept.key);
  kept.start = *from;
  kept.end = to;
  return std::nullopt;
}

// The rank orders the events of one process that have equal times: completions of earlier
// operations, operations without length, invocations of later operations.
struct Completions::TimedEvent {
  int64_t at_ns = 0;
  int rank = 0;
  EventType type = EventType::kInvoke;
  const Operation* operation = nullptr;
};

Result<void> Completions::ForEachEvent(const TakeEventOf& take) const {
  std::vector<TimedEvent> events;
  for (const Kept& kept : kept_) {
    const int64_t from = NsOf(kept.start, in_seconds_);
    const bool has_length = !kept.end || NsOf(*kept.end, in_seconds_) > from;
    events.push_back({.at_ns = from, .rank = has_length ? 2 : 1, .operation = &kept.operation});
    if (!kept.end) continue;
    events.push_back({.at_ns = NsOf(*kept.end, in_seconds_),
                      .rank = has_length ? 0 : 1,
                      .type = kept.operation.outcome,
                      .operation = &kept.operation});
  }
  std::ranges::stable_sort(
      events, {}, [](const TimedEvent& event) { return std::pair(event.at_ns, event.rank); });
  for (const TimedEvent& event : events) TRY(take(*event.operation, event.type, event.at_ns));
  return {};
}

}  // namespace doublehold
