#include "lib/history/csv.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "lib/base/words.h"
#include "lib/history/csv_records.h"
#include "lib/history/event_line.h"
#include "lib/history/event_reader.h"
#include "lib/history/facts_json.h"
#include "lib/history/process_names.h"

namespace doublehold {
namespace {

using nlohmann::json;

// `task_kind` is the member "task" of a line. The operation `save` has a value of that name.
constexpr std::string_view kEventColumns[] = {"index", "time_ns", "process", "thread", "task_kind",
                                              "type",  "f",       "key",     "hold"};
// The facts of the run as JSON, in the first row alone.
constexpr std::string_view kFactsColumn = "run";

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

std::string QuoteText(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// Replaces bytes that are not UTF-8, as history.jsonl does.
std::string QuoteField(const std::string& bytes) {
  return QuoteText(json::parse(json(bytes).dump(-1, ' ', false, json::error_handler_t::replace))
                       .get<std::string>());
}

// Appends the row of the start line.
void AppendStart(const History& history, size_t columns, fmt::memory_buffer& rows) {
  nlohmann::ordered_json facts = FactsToJson(history.facts);
  facts["events"] = history.events.size();
  const std::string text = facts.dump(-1, ' ', false, json::error_handler_t::replace);
  fmt::format_to(std::back_inserter(rows), "0,0,supervisor,0,session,info,start{}{}\r\n",
                 std::string(columns - 7, ','), QuoteText(text));
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
    rows.append(std::string_view(",\r\n"));
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

// Returns a whole number as a number, and any other field as a text.
json NumberOrText(const std::string& field) {
  int64_t number = 0;
  const char* const end = field.data() + field.size();
  const auto [at, status] = std::from_chars(field.data(), end, number);
  if (status == std::errc{} && at == end && number >= 0) return static_cast<uint64_t>(number);
  return status == std::errc{} && at == end ? json(number) : json(field);
}

bool FunctionHasKey(std::string_view function) {
  for (int op = 0; op <= static_cast<int>(kLastOp); ++op) {
    if (Name(static_cast<Op>(op)) == function) return HasKey(static_cast<Op>(op));
  }
  return false;
}

// Returns the line of history.jsonl that the row stands for, or nothing if its facts are malformed.
std::optional<json> LineOfRow(const std::vector<std::string>& columns,
                              const std::vector<std::string>& fields) {
  json line{{"value", json::object()}};
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string& column = columns[i];
    const std::string& field = fields[i];
    if (column == kFactsColumn) {
      if (field.empty()) continue;
      const json facts = json::parse(field, nullptr, /*allow_exceptions=*/false);
      if (!facts.is_object()) return std::nullopt;
      line["value"].update(facts);
    } else if (column == "key") {
      if (!field.empty()) line["key"] = field;
    } else if (column == "task_kind") {
      if (field != Name(TaskKind::kSession)) line["task"] = field;
    } else if (column == "time_ns" || column == "index" || column == "process" ||
               column == "thread") {
      if (column != "thread" || field != "0")
        line[column == "time_ns" ? "time" : column] = NumberOrText(field);
    } else if (column == "type" || column == "f") {
      line[column] = field;
    } else if (!field.empty()) {
      line["value"][column] = NumberOrText(field);
    }
  }
  if (!line.contains("key") && FunctionHasKey(line.value("f", ""))) line["key"] = "";
  return line;
}

}  // namespace

std::vector<std::string> CsvColumns() {
  std::vector<std::string> columns(std::begin(kEventColumns), std::end(kEventColumns));
  for (const std::string_view name : ListValueNames()) columns.emplace_back(name);
  columns.emplace_back(kFactsColumn);
  return columns;
}

void WriteCsv(const History& history, std::ostream& out) {
  CsvRows form(history.facts.keys);
  fmt::memory_buffer rows;
  const std::vector<std::string> columns = CsvColumns();
  fmt::format_to(std::back_inserter(rows), "{}\r\n", fmt::join(columns, ","));
  AppendStart(history, columns.size(), rows);
  for (size_t i = 0; i < history.events.size(); ++i) {
    form.Append(i + 1, history.events[i], rows);
    if (rows.size() >= kFlushBytes) Flush(rows, out);
  }
  Flush(rows, out);
}

bool IsOwnCsv(TextSource& source) {
  constexpr size_t kLooksAt = 4096;
  while (source.window().size() < kLooksAt && !source.at_end()) source.More();
  const std::string_view text = source.window();
  const std::string_view header = text.substr(0, text.find('\n'));
  return std::ranges::all_of(kEventColumns, [&](std::string_view column) {
    return header.find(column) != std::string_view::npos;
  });
}

Result<History> ReadCsv(TextSource& source) {
  CsvRecords records(source);
  EventReader reader;
  const auto refused = [&](std::string_view reason) {
    return BadInput(fmt::format("{}:{}: {}", source.name(), records.line(), OnOneLine(reason)));
  };
  for (auto found = records.Next(); found != CsvRecords::Found::kEnd; found = records.Next()) {
    if (found != CsvRecords::Found::kRecord) return refused(records.problem());
    const auto line = LineOfRow(records.header(), records.fields());
    if (!line) return refused(fmt::format("column '{}' is not a JSON object", kFactsColumn));
    if (const auto reason = reader.Take(*line)) return refused(*reason);
  }
  if (source.broken()) return refused("cannot be read further");
  if (const auto reason = reader.WhyIncomplete()) return refused(*reason);
  return reader.Finish();
}

}  // namespace doublehold
