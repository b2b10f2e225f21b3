#include "lib/driver/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "lib/base/json_object.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr size_t kLongestName = 200;               // the name is part of sentences and tables
constexpr int64_t kMostToken = int64_t{1} << 61U;  // limit of values in a history
constexpr int64_t kLongestValidityMs = int64_t{366} * 24 * 3600 * 1000;

constexpr std::array<std::string_view, 6> kOpNames{"hello",  "setup",   "acquire",
                                                   "extend", "release", "bye"};

std::vector<std::string> ReadAbilities(const JsonValue& field) {
  static const std::vector<std::string> known{
      "lease",      "watchdog",  "extend",        "lost",          "token",
      "read-write", "reentrant", "keys-together", "blind-release", "silent-release"};
  std::vector<std::string> can;
  for (const JsonValue& word : field.List()) can.push_back(word.Word(known));
  std::ranges::sort(can);
  if (std::ranges::adjacent_find(can) != can.end()) field.Fail("has a capability twice");
  return can;
}

DriverHello ReadHello(JsonObject& ok) {
  const JsonValue protocol = ok.Take("protocol");
  if (protocol.Whole<int64_t>() != kDriverProtocol)
    protocol.Fail(fmt::format("is not {}", kDriverProtocol));
  DriverHello hello{.name = ok.Take("name").NonEmptyText(kLongestName),
                    .version = ok.Take("version").NonEmptyText(kLongestName),
                    .can = ReadAbilities(ok.Take("can"))};
  if (const auto service = ok.Find("service")) hello.service = service->NonEmptyText(kLongestName);
  return hello;
}

// Reads the lease's length and start, if the driver reports them.
void ReadLease(JsonObject& ok, MonoTime asked, MonoTime now, DriverAnswer& answer) {
  if (const auto validity = ok.Find("validity_ms"))
    answer.validity = std::chrono::milliseconds(validity->Whole<int64_t>(0, kLongestValidityMs));
  const auto from = ok.Find("from_ns");
  if (!from) return;
  answer.from = MonoTime(Duration(from->Whole<int64_t>(0)));
  if (*answer.from < asked || *answer.from > now)
    from->Fail(
        "lies before the request or after the answer: it must be the CLOCK_MONOTONIC time at which "
        "the library asked for the lock");
}

DriverAnswer ReadOk(const JsonValue& field, DriverOp op, const DriverHello& hello, MonoTime asked,
                    MonoTime now) {
  DriverAnswer answer;
  JsonObject ok(field);
  if (op == DriverOp::kHello) answer.hello = ReadHello(ok);
  if (op == DriverOp::kAcquire) answer.grant = ok.Take("grant").NonEmptyText(kLongestDriverLine);
  if (op == DriverOp::kAcquire && hello.Can("token")) {
    const auto token = ok.Find("token");
    if (!token) field.Fail("has no 'token', although its hello lists 'token' in 'can'");
    if (token) answer.token = token->Whole<int64_t>(1, kMostToken);
  }
  if (op == DriverOp::kAcquire || op == DriverOp::kExtend) ReadLease(ok, asked, now, answer);
  ok.RejectUnknown();
  return answer;
}

DriverAnswer ReadNo(const JsonValue& field, DriverOp op) {
  const bool can_refuse =
      op == DriverOp::kAcquire || op == DriverOp::kExtend || op == DriverOp::kRelease;
  if (!can_refuse) field.Fail("is only for acquire, extend and release");
  DriverAnswer answer{.kind = DriverAnswer::Kind::kNo};
  JsonObject no(field);
  const auto taken = op == DriverOp::kAcquire ? no.Find("taken_ms") : std::nullopt;
  if (taken) answer.taken = std::chrono::milliseconds(taken->Whole<int64_t>(1, kLongestValidityMs));
  no.RejectUnknown();
  return answer;
}

DriverAnswer ReadError(const JsonValue& field) {
  DriverAnswer answer{.kind = DriverAnswer::Kind::kError};
  JsonObject error(field);
  answer.text = error.Take("text").NonEmptyText(kLongestDriverLine);
  if (const auto definite = error.Find("definite")) answer.definite = definite->Flag();
  error.RejectUnknown();
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
  pending_[++last_id_] = {.op = op, .at = now};
  return last_id_;
}

std::variant<DriverReply, LostNotification, BrokenLine> DriverAnswers::Take(std::string_view line,
                                                                            MonoTime now) {
  const json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
  JsonDocument document(parsed);
  JsonObject members(document);
  if (const auto lost = members.Find("lost")) {
    if (!hello_.Can("lost")) return BrokenLine{"its hello does not list 'lost' in 'can'"};
    JsonObject notice(*lost);
    LostNotification notification{.grant = notice.Take("grant").NonEmptyText(kLongestDriverLine)};
    notice.RejectUnknown();
    members.RejectUnknown();
    if (!document.ok()) return BrokenLine{document.error()};
    notification.is_news = held_.erase(notification.grant) > 0;
    if (notification.is_news) lost_.emplace(notification.grant, now);
    return notification;
  }
  const auto id = members.Take("id").Whole<int64_t>(0);
  if (!document.ok()) return BrokenLine{document.error()};
  const auto asked = pending_.find(static_cast<uint64_t>(id));
  if (asked == pending_.end()) {
    const bool was_asked = id > 0 && static_cast<uint64_t>(id) <= last_id_;
    return BrokenLine{was_asked ? fmt::format("request {} was already answered", id)
                                : fmt::format("no request has id {}", id)};
  }
  const auto [op, at] = asked->second;
  const auto ok = members.Find("ok");
  const auto no = members.Find("no");
  const auto error = members.Find("error");
  if (ok.has_value() + no.has_value() + error.has_value() != 1)
    return BrokenLine{"an answer must have exactly one of 'ok', 'no' and 'error'"};
  DriverReply reply{.id = asked->first, .answer = {}};
  reply.answer = ok ? ReadOk(*ok, op, hello_, at, now) : no ? ReadNo(*no, op) : ReadError(*error);
  reply.answer.came = now;
  members.RejectUnknown();
  if (!document.ok())
    return BrokenLine{fmt::format("answer to {}: {}", Name(op), document.error())};
  if (op == DriverOp::kHello && ok) hello_ = reply.answer.hello;
  if (op == DriverOp::kAcquire && ok) held_.insert(reply.answer.grant);
  pending_.erase(asked);
  return reply;
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
