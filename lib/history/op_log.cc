#include "lib/history/op_log.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "lib/history/edn.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int32_t kThreadsApart = 256;  // of our clients: a session is a process of its own

std::optional<EventType> TypeOf(const json& type) {
  constexpr std::array<std::pair<std::string_view, EventType>, 4> types{
      {{"invoke", EventType::kInvoke},
       {"ok", EventType::kOk},
       {"fail", EventType::kFail},
       {"info", EventType::kInfo}}};
  for (const auto& [name, found] : types) {
    if (type == name) return found;
  }
  return std::nullopt;
}

class LogBuilder {
 public:
  LogBuilder(std::string name, bool edn) : edn_(edn) { log_.name = std::move(name); }

  Result<void> Add(const json& entry, int64_t line) {
    const auto bad = [&](std::string_view problem) {
      return BadInput(fmt::format("{}:{}: {}", log_.name, line, problem));
    };
    if (!entry.is_object()) return bad("not a map");
    if (!edn_ && entry.value("f", json()) == "start") {
      log_.ours = true;
      return {};
    }
    for (const char* needed : {"process", "type", "f"}) {
      if (!entry.contains(needed)) return bad(fmt::format("no '{}'", needed));
    }
    const json& process = entry["process"];
    if (!process.is_number_integer()) return {};  // a nemesis, our supervisor
    const std::optional<EventType> type = TypeOf(entry["type"]);
    if (!type) return bad("its type is none of invoke, ok, fail, info");
    if (!entry["f"].is_string()) return bad("its 'f' is not a word");
    if (entry.contains("task")) return {};  // of ours: a watchdog's, a meter's
    LogEvent event{.line = line, .type = *type, .function = entry["f"], .value = {}, .key = {}};
    const auto number = process.get<int64_t>();
    const int64_t thread = log_.ours ? entry.value("thread", int64_t{0}) : 0;
    if (number < 0 || number > INT32_MAX / kThreadsApart) return bad("no such process can be");
    event.process = static_cast<int32_t>(log_.ours ? number * kThreadsApart + thread : number);
    if (entry.contains("value")) event.value = entry["value"];
    if (entry.contains("key")) event.key = entry["key"];
    event.at = static_cast<int64_t>(log_.events.size());
    if (const auto time = entry.find("time"); time != entry.end() && time->is_number_integer()) {
      event.at = *time;
      ++timed_;
    }
    log_.events.push_back(std::move(event));
    return {};
  }

  Result<OpLog> Take() && {
    // Some with a time and some without cannot be held against each other: then their places count.
    if (timed_ != log_.events.size()) {
      for (size_t i = 0; i < log_.events.size(); ++i) log_.events[i].at = static_cast<int64_t>(i);
    }
    for (size_t i = 1; i < log_.events.size(); ++i) {
      const LogEvent& event = log_.events[i];
      if (event.at < log_.events[i - 1].at) {
        return BadInput(fmt::format("{}:{}: its time {} is before that of line {}", log_.name,
                                    event.line, event.at, log_.events[i - 1].line));
      }
    }
    return std::move(log_);
  }

 private:
  bool edn_;
  size_t timed_ = 0;
  OpLog log_;
};

Result<OpLog> ParseEdn(std::string_view text, const std::string& name) {
  EdnReader reader(text, name);
  LogBuilder log(name, true);
  for (;;) {
    Result<std::optional<json>> form = reader.Next();
    if (!form) return tl::unexpected(form.error());
    if (!*form) return std::move(log).Take();
    if (Result<void> ok = log.Add(**form, reader.line()); !ok) return tl::unexpected(ok.error());
  }
}

Result<OpLog> ParseJsonLines(std::string_view text, const std::string& name) {
  LogBuilder log(name, false);
  for (int64_t line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const json entry = json::parse(one, nullptr, /*allow_exceptions=*/false);
    if (entry.is_discarded()) return BadInput(fmt::format("{}:{}: not JSON", name, line));
    if (Result<void> ok = log.Add(entry, line); !ok) return tl::unexpected(ok.error());
  }
  return std::move(log).Take();
}

}  // namespace

Result<OpLog> ParseOpLog(std::string_view text, const std::string& name, bool edn) {
  Result<OpLog> log = edn ? ParseEdn(text, name) : ParseJsonLines(text, name);
  if (log && log->events.empty()) return BadInput(name + ": no operation of any client");
  return log;
}

Result<OpLog> ReadOpLog(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in || std::filesystem::is_directory(file))
    return BadInput(fmt::format("{}: cannot be read", file.string()));
  return ParseOpLog(text.view(), file.string(), file.extension() == ".edn");
}

}  // namespace doublehold
