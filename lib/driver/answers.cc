#include "lib/driver/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "lib/base/words.h"
#include "lib/driver/json_members.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr size_t kLongestName = 200;               // it stands in sentences and tables
constexpr int64_t kMostToken = int64_t{1} << 61U;  // a history has no greater value
constexpr int64_t kLongestValidityMs = int64_t{366} * 24 * 3600 * 1000;

constexpr std::array<std::string_view, 6> kOpNames{"hello",  "setup",   "acquire",
                                                   "extend", "release", "bye"};

std::string Quoted(std::string_view word) { return fmt::format("'{}'", Shortened(word)); }

std::vector<std::string> CanOf(const json& words) {
  static const std::vector<std::string> known{"lease",     "watchdog",      "extend",
                                              "lost",      "token",         "read-write",
                                              "reentrant", "blind-release", "silent-release"};
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

DriverAnswer AnswerFromOk(const json& object, DriverOp op, const DriverHello& hello, MonoTime asked,
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
  DriverAnswer answer{.kind = DriverAnswer::Kind::kNo};
  Members no(object, "'no'");
  if (op == DriverOp::kAcquire)
    answer.taken =
        std::chrono::milliseconds(no.Whole("taken_ms", 1, kLongestValidityMs).value_or(0));
  no.CheckNothingElse();
  return answer;
}

DriverAnswer ErrorOf(const json& object) {
  Members error(object, "'error'");
  DriverAnswer answer{.kind = DriverAnswer::Kind::kError};
  answer.text = error.Text("text");
  answer.definite = error.Flag("definite");
  error.CheckNothingElse();
  return answer;
}

}  // namespace

std::string_view Name(DriverOp op) { return kOpNames[static_cast<size_t>(op)]; }

bool DriverHello::Can(std::string_view what) const {
  return std::ranges::find(can, what) != can.end();
}

uint64_t DriverAnswers::Ask(DriverOp op, MonoTime now, const std::string& grant) {
  if (op == DriverOp::kRelease) {
    held_.erase(grant);
    lost_.erase(grant);
  }
  under_way_[++last_id_] = {.op = op, .at = now};
  return last_id_;
}

std::variant<DriverReply, LostNotification, BrokenLine> DriverAnswers::Take(std::string_view line,
                                                                            MonoTime now) try {
  const json object = ParsedObject(line);
  Members members(object, "it");
  if (const json* lost = members.Find("lost"); lost != nullptr) {
    if (!hello_.Can("lost")) Wrong("its hello does not say that it can 'lost'");
    members.CheckNothingElse();
    Members notice(*lost, "'lost'");
    LostNotification told{.grant = notice.Text("grant")};
    notice.CheckNothingElse();
    told.is_news = held_.erase(told.grant) > 0;
    if (told.is_news) lost_.emplace(told.grant, now);
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
  reply.answer = ok != nullptr   ? AnswerFromOk(*ok, op, hello_, at, now)
                 : no != nullptr ? NoOf(*no, op)
                                 : ErrorOf(*error);
  reply.answer.came = now;
  members.CheckNothingElse();
  if (op == DriverOp::kHello && ok != nullptr) hello_ = reply.answer.hello;
  if (op == DriverOp::kAcquire && ok != nullptr) held_.insert(reply.answer.grant);
  under_way_.erase(asked);
  return reply;
} catch (const WrongLine& wrong) {
  return BrokenLine{wrong.what()};
}

std::optional<MonoTime> DriverAnswers::LostAt(const std::string& grant) const {
  const auto lost = lost_.find(grant);
  if (lost == lost_.end()) return std::nullopt;
  return lost->second;
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

}  // namespace doublehold
