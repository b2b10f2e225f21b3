#include "lib/driver/requests.h"

#include <map>
#include <nlohmann/json.hpp>

#include "lib/base/json_object.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int64_t kLongestMs = int64_t{366} * 24 * 3600 * 1000;

DriverOp ReadOp(const JsonValue& field) {
  static const auto ops = [] {
    std::map<std::string, DriverOp, std::less<>> names;
    for (const DriverOp op : {DriverOp::kHello, DriverOp::kSetup, DriverOp::kAcquire,
                              DriverOp::kExtend, DriverOp::kRelease, DriverOp::kBye})
      names.emplace(Name(op), op);
    return names;
  }();
  return field.Meaning(ops);
}

std::map<std::string, std::string> ReadOptions(const JsonValue& field) {
  std::map<std::string, std::string> options;
  for (const auto& [name, value] : field.Members()) options[name] = value.Text();
  return options;
}

std::vector<DriverNode> ReadNodes(const JsonValue& field) {
  std::vector<DriverNode> nodes;
  for (const JsonValue& each : field.List()) {
    JsonObject node(each);
    nodes.push_back({.host = node.Take("host").NonEmptyText(kLongestDriverLine),
                     .port = node.Take("port").Whole<uint16_t>(1)});
    node.RejectUnknown();
  }
  return nodes;
}

Duration ReadMs(const JsonValue& field, int64_t least_ms) {
  return std::chrono::milliseconds(field.Whole<int64_t>(least_ms, kLongestMs));
}

void ReadSetup(JsonObject& members, DriverRequest& request) {
  request.client = members.Take("client").Whole<int>(0);
  request.sessions = members.Take("sessions").Whole<int>(1, UINT8_MAX);
  request.nodes = ReadNodes(members.Take("nodes"));
  request.lease = ReadMs(members.Take("lease_ms"), 1);
  request.seed = static_cast<uint64_t>(members.Take("seed").Whole<int64_t>(0));
}

void ReadCall(JsonObject& members, DriverRequest& request) {
  static const std::vector<std::string> modes{"read"};
  request.session = members.Take("session").Whole<int>(0, UINT8_MAX);
  if (request.op != DriverOp::kRelease) request.lease = ReadMs(members.Take("lease_ms"), 1);
  if (request.op != DriverOp::kAcquire) {
    request.grant = members.Take("grant").NonEmptyText(kLongestDriverLine);
    return;
  }
  request.key = members.Take("key").NonEmptyText(kLongestDriverLine);
  request.wait = ReadMs(members.Take("wait_ms"), 0);
  if (const auto mode = members.Find("mode")) request.reads = !mode->Word(modes).empty();
}

json OkFromAnswer(DriverOp op, const DriverAnswer& answer) {
  json ok = json::object();
  if (op == DriverOp::kHello) {
    ok = {{"protocol", kDriverProtocol},
          {"name", answer.hello.name},
          {"version", answer.hello.version},
          {"can", answer.hello.can}};
  }
  if (op == DriverOp::kAcquire) ok["grant"] = answer.grant;
  if (op == DriverOp::kAcquire && answer.token != 0) ok["token"] = answer.token;
  if (answer.validity) ok["validity_ms"] = ToMs(*answer.validity);
  if (answer.from) ok["from_ns"] = ToNs(*answer.from);
  return ok;
}

}  // namespace

std::variant<DriverRequest, BrokenLine> ParseRequest(std::string_view line) {
  const json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
  JsonDocument document(parsed);
  JsonObject members(document);
  DriverRequest request{.id = members.Take("id").Whole<uint64_t>(0, INT64_MAX),
                        .op = ReadOp(members.Take("op"))};
  if (!document.ok()) return BrokenLine{document.error()};
  switch (request.op) {
    case DriverOp::kHello:
      request.protocol = members.Take("protocol").Whole<int64_t>(0);
      request.options = ReadOptions(members.Take("options"));
      break;
    case DriverOp::kSetup:
      ReadSetup(members, request);
      break;
    case DriverOp::kAcquire:
    case DriverOp::kExtend:
    case DriverOp::kRelease:
      ReadCall(members, request);
      break;
    case DriverOp::kBye:
      break;
  }
  members.RejectUnknown();
  if (!document.ok()) return BrokenLine{document.error()};
  return request;
}

std::string AnswerLine(uint64_t id, DriverOp op, const DriverAnswer& answer) {
  json line{{"id", id}};
  switch (answer.kind) {
    case DriverAnswer::Kind::kOk:
      line["ok"] = OkFromAnswer(op, answer);
      break;
    case DriverAnswer::Kind::kNo:
      line["no"] = json::object();
      if (answer.taken >= 1ms) line["no"]["taken_ms"] = ToMs(answer.taken);
      break;
    case DriverAnswer::Kind::kError:
      line["error"] = {{"text", answer.text}, {"definite", answer.definite}};
      break;
  }
  return line.dump() + "\n";
}

}  // namespace doublehold
