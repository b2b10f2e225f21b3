#include "lib/history/csv.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "lib/history/event_line.h"
#include "lib/history/process_names.h"

namespace doublehold {
namespace {

// `task_kind` is the member "task" of a line. The operation `save` has a value of that name.
constexpr std::string_view kEventColumns[] = {"index", "time_ns", "process", "thread", "task_kind",
                                              "type",  "f",       "key",     "hold"};

// Returns the names of all values, in the order of the operations. The names of values that have
// none of their own come last.
std::vector<std::string_view> ListValueNames() {
  std::vector<std::string_view> names;
  for (int op = 0; op <= static_cast<int>(kLastOp); ++op) {
    for (int type = 0; type <= static_cast<int>(EventType::kInfo); ++type) {
      for (const ValueName& name :
           ValueNamesOf(static_cast<Op>(op), static_cast<EventType>(type))) {
        const bool is_new = std::ranges::find(names, name.text) == names.end();
        if (!name.text.empty() && is_new) names.push_back(name.text);
      }
    }
  }
  constexpr ValueNames kUnnamed;
  for (size_t i = 0; i < kUnnamed.size(); ++i) names.push_back(NameOfValue(kUnnamed, i));
  return names;
}

// Replaces bytes that are not UTF-8, as history.jsonl does.
std::string QuoteField(const std::string& bytes) {
  using nlohmann::json;
  const auto text = json::parse(json(bytes).dump(-1, ' ', false, json::error_handler_t::replace))
                        .get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

class CsvRows {
 public:
  explicit CsvRows(const std::vector<std::string>& keys) : cells_(names_.size()) {
    for (const std::string& key : keys) keys_.push_back(QuoteField(key));
  }

  void Append(size_t index, const Event& event, fmt::memory_buffer& rows) {
    const auto out = std::back_inserter(rows);
    fmt::format_to(out, FMT_COMPILE("{},{},"), index, event.at_ns);
    if (event.client > kReferee) {
      fmt::format_to(out, FMT_COMPILE("{}"), event.client);
    } else {
      rows.append(NameOfProcess(event.client));
    }
    const bool has_key = (HasKey(event.op) || event.key != 0) && event.key < keys_.size();
    fmt::format_to(out, FMT_COMPILE(",{},{},{},{},{},"), event.thread, Name(event.task),
                   Name(event.type), Name(event.op), has_key ? keys_[event.key] : "");
    if (event.hold != 0) fmt::format_to(out, FMT_COMPILE("{}"), event.hold);
    AppendValues(event, rows);
    rows.append(std::string_view("\r\n"));
  }

 private:
  void AppendValues(const Event& event, fmt::memory_buffer& rows) {
    std::ranges::fill(cells_, std::nullopt);
    ForEachValue(event, [&](std::string_view name, int64_t value) {
      cells_[static_cast<size_t>(std::ranges::find(names_, name) - names_.begin())] = value;
    });
    for (const std::optional<int64_t>& cell : cells_) {
      rows.push_back(',');
      if (cell) fmt::format_to(std::back_inserter(rows), FMT_COMPILE("{}"), *cell);
    }
  }

  const std::vector<std::string_view> names_ = ListValueNames();
  std::vector<std::optional<int64_t>> cells_;  // of the current row, one for each name
  std::vector<std::string> keys_;              // quoted where necessary
};

}  // namespace

std::vector<std::string> CsvColumns() {
  std::vector<std::string> columns(std::begin(kEventColumns), std::end(kEventColumns));
  for (const std::string_view name : ListValueNames()) columns.emplace_back(name);
  return columns;
}

void WriteCsv(const History& history, std::ostream& out) {
  CsvRows form(history.facts.keys);
  fmt::memory_buffer rows;
  fmt::format_to(std::back_inserter(rows), "{}\r\n", fmt::join(CsvColumns(), ","));
  for (size_t i = 0; i < history.events.size(); ++i) {
    form.Append(i + 1, history.events[i], rows);
    if (rows.size() >= kFlushBytes) Flush(rows, out);
  }
  Flush(rows, out);
}

}  // namespace doublehold
