#include "lib/driver/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lib/base/words.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr size_t kShownBytes = 160;
constexpr size_t kLongestName = 200;               // it stands in sentences and tables
constexpr int64_t kMostToken = int64_t{1} << 61U;  // a history has no greater value
constexpr int64_t kLongestValidityMs = int64_t{366} * 24 * 3600 * 1000;

constexpr std::array<std::string_view, 6> kOpNames{"hello",  "setup",   "acquire",
                                                   "extend", "release", "bye"};

std::string Quoted(std::string_view word) { return fmt::format("'{}'", Shortened(word)); }

// What is wrong with a line is thrown, and ends in Take.
[[noreturn]] void Wrong(const std::string& why) { throw std::invalid_argument(why); }

// An object with no members but those that are asked for.
class Members {
 public:
  Members(const json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object.is_object()) Wrong(fmt::format("{} is no object", what_));
  }

  // Null when it is not there.
  const json* Find(const char* name) {
    known_.emplace_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  const json& Get(const char* name) {
    const json* found = Find(name);
    if (found == nullptr) Wrong(fmt::format("{} has no '{}'", what_, name));
    return *found;
  }
  std::string Text(const char* name, size_t most = kLongestDriverLine) {
    const json& value = Get(name);
    if (!value.is_string()) Wrong(fmt::format("'{}' of {} is no text", name, what_));
    const auto& text = value.get_ref<const std::string&>();
    if (text.empty()) Wrong(fmt::format("'{}' of {} is empty", name, what_));
    if (text.size() > most)
      Wrong(fmt::format("'{}' of {} is longer than {} bytes", name, what_, most));
    return text;
  }
  std::optional<int64_t> Whole(const char* name, int64_t least, int64_t most) {
    const json* value = Find(name);
    if (value == nullptr) return std::nullopt;
    const bool fits = value->is_number_unsigned()
                          ? value->get<uint64_t>() <= static_cast<uint64_t>(most)
                          : value->is_number_integer() && value->get<int64_t>() <= most;
    if (!fits || value->get<int64_t>() < least)
      Wrong(fmt::format("'{}' of {} is no whole number in {}..{}", name, what_, least, most));
    return value->get<int64_t>();
  }
  bool Flag(const char* name) {
    const json* value = Find(name);
    if (value != nullptr && !value->is_boolean())
      Wrong(fmt::format("'{}' of {} is neither true nor false", name, what_));
    return value != nullptr && value->get<bool>();
  }
  void CheckNothingElse() const {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(known_, name) == known_.end())
        Wrong(fmt::format("{} has no member {}{}", what_, Quoted(name), Suggestion(name, known_)));
    }
  }

 private:
  const json& object_;
  std::string what_;
  std::vector<std::string> known_;
};

std::vector<std::string> CanOf(const json& words) {
  static const std::vector<std::string> known{"lease", "watchdog",   "extend",    "lost",
                                              "token", "read-write", "reentrant", "blind-release"};
  if (!words.is_array()) Wrong("'can' is no list");
  std::vector<std::string> can;
  for (const json& word : words) {
    if (!word.is_string()) Wrong("'can' has something that is no text");
    can.push_back(word.get<std::string>());
    if (std::ranges::find(known, can.back()) == known.end())
      Wrong(fmt::format("'can' has {}{}", Quoted(can.back()), Suggestion(can.back(), known)));
  }
  std::ranges::sort(can);
  if (std::ranges::adjacent_find(can) != can.end()) Wrong("'can' says a thing twice");
  return can;
}

DriverHello HelloOf(Members& ok) {
  const std::optional<int64_t> protocol = ok.Whole("protocol", 0, INT64_MAX);
  if (protocol != kDriverProtocol) Wrong(fmt::format("its protocol is not {}", kDriverProtocol));
  return {.name = ok.Text("name", kLongestName),
          .version = ok.Text("version", kLongestName),
          .can = CanOf(ok.Get("can"))};
}

// Of a lease, where the driver knows more than when it was asked.
void TakeLease(Members& ok, MonoTime asked, MonoTime now, DriverAnswer& answer) {
  if (const auto validity = ok.Whole("validity_ms", 0, kLongestValidityMs))
    answer.validity = std::chrono::milliseconds(*validity);
  const auto from = ok.Whole("from_ns", 0, INT64_MAX);
  if (!from) return;
  answer.from = MonoTime(Duration(*from));
  if (*answer.from < asked || *answer.from > now)
    Wrong(
        "'from_ns' lies before the request or after the answer: it is of CLOCK_MONOTONIC, of when "
        "the library asked for the lock");
}

// A lock that gives tokens gives one with each grant: that is what they are for.
int64_t TokenOf(Members& ok) {
  const std::optional<int64_t> token = ok.Whole("token", 1, kMostToken);
  if (!token) Wrong("'ok' of acquire has no 'token', which its hello says that it can");
  return *token;
}

DriverAnswer OkOf(const json& object, DriverOp op, const DriverHello& hello, MonoTime asked,
                  MonoTime now) {
  DriverAnswer answer;
  Members ok(object, fmt::format("'ok' of {}", Name(op)));
  if (op == DriverOp::kHello) answer.hello = HelloOf(ok);
  if (op == DriverOp::kAcquire) answer.grant = ok.Text("grant");
  if (op == DriverOp::kAcquire && hello.Can("token")) answer.token = TokenOf(ok);
  if (op == DriverOp::kAcquire || op == DriverOp::kExtend) TakeLease(ok, asked, now, answer);
  ok.CheckNothingElse();
  return answer;
}

DriverAnswer NoOf(const json& object, DriverOp op) {
  const bool can_refuse =
      op == DriverOp::kAcquire || op == DriverOp::kExtend || op == DriverOp::kRelease;
  if (!can_refuse) Wrong(fmt::format("'no' is no answer to {}", Name(op)));
  Members(object, "'no'").CheckNothingElse();
  return {.kind = DriverAnswer::Kind::kNo};
}

DriverAnswer ErrorOf(const json& object) {
  Members error(object, "'error'");
  DriverAnswer answer{.kind = DriverAnswer::Kind::kError};
  answer.text = error.Text("text");
  answer.definite = error.Flag("definite");
  error.CheckNothingElse();
  return answer;
}

json Parsed(std::string_view line) {
  json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) Wrong("it is no JSON");
  if (!object.is_object()) Wrong("it is no JSON object");
  return object;
}

}  // namespace

std::string_view Name(DriverOp op) { return kOpNames[static_cast<size_t>(op)]; }

bool DriverHello::Can(std::string_view what) const {
  return std::ranges::find(can, what) != can.end();
}

uint64_t DriverAnswers::Ask(DriverOp op, MonoTime now, const std::string& grant) {
  if (op == DriverOp::kRelease) held_.erase(grant);
  under_way_[++last_id_] = {.op = op, .at = now};
  return last_id_;
}

std::variant<DriverReply, LostNotice, BrokenLine> DriverAnswers::Take(std::string_view line,
                                                                      MonoTime now) try {
  const json object = Parsed(line);
  Members members(object, "it");
  if (const json* lost = members.Find("lost"); lost != nullptr) {
    if (!hello_.Can("lost")) Wrong("its hello does not say that it can 'lost'");
    members.CheckNothingElse();
    Members notice(*lost, "'lost'");
    LostNotice told{.grant = notice.Text("grant")};
    notice.CheckNothingElse();
    told.is_news = held_.erase(told.grant) > 0;
    return told;
  }
  const std::optional<int64_t> id = members.Whole("id", 0, INT64_MAX);
  if (!id) Wrong("it has no 'id'");
  const auto asked = under_way_.find(static_cast<uint64_t>(*id));
  if (asked == under_way_.end()) {
    const bool was_asked = *id > 0 && static_cast<uint64_t>(*id) <= last_id_;
    Wrong(fmt::format("id {} {}", *id, was_asked ? "was answered before" : "was never asked"));
  }
  const auto [op, at] = asked->second;
  const json* ok = members.Find("ok");
  const json* no = members.Find("no");
  const json* error = members.Find("error");
  if ((ok != nullptr) + (no != nullptr) + (error != nullptr) != 1)
    Wrong("it has not exactly one of 'ok', 'no' and 'error'");
  DriverReply reply{.id = asked->first, .answer = {}};
  reply.answer = ok != nullptr   ? OkOf(*ok, op, hello_, at, now)
                 : no != nullptr ? NoOf(*no, op)
                                 : ErrorOf(*error);
  members.CheckNothingElse();
  if (op == DriverOp::kHello && ok != nullptr) hello_ = reply.answer.hello;
  if (op == DriverOp::kAcquire && ok != nullptr) held_.insert(reply.answer.grant);
  under_way_.erase(asked);
  return reply;
} catch (const std::invalid_argument& wrong) {
  return BrokenLine{wrong.what()};
}

std::string RequestLine(uint64_t id, DriverOp op, const json& members) {
  json request = members;
  request["id"] = id;
  request["op"] = Name(op);
  return request.dump() + "\n";
}

bool DriverLines::Feed(std::string_view bytes, const std::function<bool(std::string_view)>& take) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (rest_.size() + part.size() > kLongestDriverLine) {
      rest_ += part.substr(0, kLongestDriverLine - rest_.size());
      return false;
    }
    rest_ += part;
    if (end == std::string_view::npos) return true;
    const std::string line = std::exchange(rest_, {});
    if (!take(line)) return false;
    bytes.remove_prefix(end + 1);
  }
  return true;
}

std::string Shortened(std::string_view line) {
  if (line.size() <= kShownBytes) return OnOneLine(line);
  return fmt::format("{}... ({} bytes)", OnOneLine(line.substr(0, kShownBytes)), line.size());
}

}  // namespace doublehold
