#include "lib/driver/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <nlohmann/json.hpp>

#include "lib/base/words.h"
#include "lib/driver/json_members.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr std::array kOps{DriverOp::kHello,  DriverOp::kSetup,   DriverOp::kAcquire,
                          DriverOp::kExtend, DriverOp::kRelease, DriverOp::kBye};
constexpr int64_t kLongestMs = int64_t{366} * 24 * 3600 * 1000;

DriverOp OpOf(const std::string& name) {
  const auto op = std::ranges::find(kOps, name, [](DriverOp known) { return Name(known); });
  if (op == kOps.end()) Wrong(fmt::format("there is no op '{}'", Shortened(name)));
  return *op;
}

std::map<std::string, std::string> OptionsOf(const json& object) {
  if (!object.is_object()) Wrong("'options' is no object");
  std::map<std::string, std::string> options;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) Wrong(fmt::format("option '{}' is no text", Shortened(name)));
    options[name] = value.get<std::string>();
  }
  return options;
}

std::vector<DriverNode> NodesOf(const json& list) {
  if (!list.is_array()) Wrong("'nodes' is no list");
  std::vector<DriverNode> nodes;
  for (const json& each : list) {
    Members node(each, "a node");
    nodes.push_back({.host = node.Text("host"),
                     .port = static_cast<uint16_t>(node.NeededWhole("port", 1, UINT16_MAX))});
    node.CheckNothingElse();
  }
  return nodes;
}

Duration SpanOf(Members& members, const char* name, int64_t least_ms) {
  return std::chrono::milliseconds(members.NeededWhole(name, least_ms, kLongestMs));
}

void TakeSetup(Members& members, DriverRequest& request) {
  request.client = static_cast<int>(members.NeededWhole("client", 0, INT_MAX));
  request.sessions = static_cast<int>(members.NeededWhole("sessions", 1, UINT8_MAX));
  request.nodes = NodesOf(members.Get("nodes"));
  request.lease = SpanOf(members, "lease_ms", 1);
  request.seed = static_cast<uint64_t>(members.NeededWhole("seed", 0, INT64_MAX));
}

void TakeCall(Members& members, DriverRequest& request) {
  request.session = static_cast<int>(members.NeededWhole("session", 0, UINT8_MAX));
  if (request.op != DriverOp::kRelease) request.lease = SpanOf(members, "lease_ms", 1);
  if (request.op != DriverOp::kAcquire) {
    request.grant = members.Text("grant");
    return;
  }
  request.key = members.Text("key");
  request.wait = SpanOf(members, "wait_ms", 0);
  request.reads = members.Find("mode") != nullptr;
  if (request.reads && members.Text("mode") != "read") Wrong("'mode' is not read");
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

std::variant<DriverRequest, BrokenLine> ParseRequest(std::string_view line) try {
  const json object = ParsedObject(line);
  Members members(object, "the request");
  DriverRequest request{.id = static_cast<uint64_t>(members.NeededWhole("id", 0, INT64_MAX)),
                        .op = OpOf(members.Text("op"))};
  switch (request.op) {
    case DriverOp::kHello:
      request.protocol = members.NeededWhole("protocol", 0, INT64_MAX);
      request.options = OptionsOf(members.Get("options"));
      break;
    case DriverOp::kSetup:
      TakeSetup(members, request);
      break;
    case DriverOp::kAcquire:
    case DriverOp::kExtend:
    case DriverOp::kRelease:
      TakeCall(members, request);
      break;
    case DriverOp::kBye:
      break;
  }
  members.CheckNothingElse();
  return request;
} catch (const WrongLine& wrong) {
  return BrokenLine{wrong.what()};
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
