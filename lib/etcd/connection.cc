#include "lib/etcd/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/base/check.h"
#include "lib/etcd/http.h"

namespace doublehold {
namespace {

using nlohmann::json;
using Kind = EtcdFailure::Kind;

constexpr std::string_view kDigits64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Keys and values are base64 in the gateway's JSON.
std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j)
      bits = bits << 8U | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    for (size_t j = 0; j < 4; ++j)
      text += j <= count ? kDigits64[bits >> (18U - 6U * static_cast<unsigned>(j)) & 63U] : '=';
  }
  return text;
}

std::string DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const size_t digit = kDigits64.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6U | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255U);
  }
  return bytes;
}

// Returns the end of the range of all keys with this prefix: the last byte is one higher.
std::string EndOfPrefix(std::string prefix) {
  CHECK(!prefix.empty() && prefix.back() != '\xff');
  ++prefix.back();
  return prefix;
}

// Returns a member, or null if `value` is no object or lacks it. The gateway omits zeros and empty
// lists.
const json& MemberOf(const json& value, std::string_view name) {
  static const json null;
  const auto found = value.is_object() ? value.find(name) : value.end();
  return found == value.end() ? null : *found;
}

// The gateway writes 64-bit numbers as strings.
int64_t NumberOf(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? 0 : std::strtoll(text->c_str(), nullptr, 10);
}

std::string TextOf(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? "" : *text;
}

// Returns the first key of a range response, or a key without a name if there is none.
EtcdKey KeyOf(const json& range) {
  const json& keys = MemberOf(range, "kvs");
  if (!keys.is_array() || keys.empty()) return {};
  return {.name = DecodeBase64(TextOf(MemberOf(keys[0], "key"))),
          .create_revision = NumberOf(MemberOf(keys[0], "create_revision"))};
}

tl::unexpected<EtcdFailure> Fail(Kind kind, std::string message) {
  return tl::unexpected(EtcdFailure{kind, std::move(message)});
}

// Converts an error of the server. The gRPC codes below exclude that it executed the request. After
// all others, such as Unavailable, it may have: a new leader may find the request in its log.
EtcdFailure FailureOf(const HttpReply& reply) {
  const json error = json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  const std::string message = TextOf(MemberOf(error, "message"));
  if (message.find("requested lease not found") != std::string::npos)
    return {Kind::kNoLease, message};
  // InvalidArgument, NotFound, AlreadyExists, PermissionDenied, ResourceExhausted,
  // FailedPrecondition, OutOfRange, Unimplemented, Unauthenticated
  constexpr std::array kNotExecuted{3, 5, 6, 7, 8, 9, 11, 12, 16};
  const json& code = MemberOf(error, "code");
  const bool is_refused =
      code.is_number_integer() && std::ranges::count(kNotExecuted, code.get<int64_t>()) > 0;
  return {is_refused ? Kind::kRefused : Kind::kNoReply,
          fmt::format("status {}: {}", reply.status, message)};
}

class DeletionWatch final : public Subscription {
 public:
  DeletionWatch(std::vector<NodeAddress> servers, size_t server, const EtcdKey& key)
      : servers_(std::move(servers)), server_(server), key_(key) {}

  bool Wait(Deadline deadline) override {
    if (stream_ == nullptr) {
      Subscribe();
      if (std::exchange(has_failed_, false)) return true;
    }
    while (true) {
      std::string line;
      const HttpStream::Event event = stream_->Next(line, deadline);
      if (event == HttpStream::Event::kDeadline) return false;
      const json result = MemberOf(json::parse(line, nullptr, false), "result");
      if (event == HttpStream::Event::kEnded || !result.is_object() ||
          MemberOf(result, "canceled").is_boolean()) {
        stream_.reset();
        has_failed_ = true;
        server_ = (server_ + 1) % servers_.size();
        return false;
      }
      if (!MemberOf(result, "events").empty()) return true;
    }
  }

 private:
  // Also reports deletions from before the subscription.
  void Subscribe() {
    const json create{{"key", EncodeBase64(key_.name)},
                      {"start_revision", std::to_string(key_.create_revision + 1)},
                      {"filters", {"NOPUT"}}};
    stream_ = std::make_unique<HttpStream>(
        HttpRequest{servers_[server_], "/v3/watch", json{{"create_request", create}}.dump()});
  }

  std::vector<NodeAddress> servers_;
  size_t server_;
  EtcdKey key_;
  std::unique_ptr<HttpStream> stream_;
  bool has_failed_ = false;
};

class GatewayConnection final : public EtcdConnection {
 public:
  explicit GatewayConnection(std::vector<NodeAddress> servers) : servers_(std::move(servers)) {
    CHECK(!servers_.empty());
  }

  EtcdResult<int64_t> GrantLease(Duration ttl, Deadline deadline) override;
  EtcdResult<void> KeepAlive(int64_t lease, Deadline deadline) override;
  EtcdResult<void> Revoke(int64_t lease, Deadline deadline) override {
    return Ignore(Call("/v3/lease/revoke", {{"ID", std::to_string(lease)}}, deadline));
  }
  EtcdResult<EtcdQueue> Create(const std::string& key, int64_t lease, const std::string& prefix,
                               Deadline deadline) override;
  EtcdResult<std::optional<EtcdKey>> FindBefore(const std::string& prefix, int64_t revision,
                                                Deadline deadline) override;
  EtcdResult<std::vector<std::string>> Keys(Deadline deadline) override;
  std::unique_ptr<Subscription> WatchDeletion(const EtcdKey& key) override {
    return std::make_unique<DeletionWatch>(servers_, server_, key);
  }
  EtcdResult<EtcdKey> Lock(const std::string& name, int64_t lease, Deadline deadline) override;
  EtcdResult<void> Unlock(const std::string& key, Deadline deadline) override {
    return Ignore(Call("/v3/lock/unlock", {{"key", EncodeBase64(key)}}, deadline));
  }

 private:
  static EtcdResult<void> Ignore(EtcdResult<json> result) {
    if (!result) return tl::unexpected(std::move(result).error());
    return {};
  }
  static json FirstOf(const std::string& prefix, const char* order) {
    return {{"key", EncodeBase64(prefix)},
            {"range_end", EncodeBase64(EndOfPrefix(prefix))},
            {"sort_target", "CREATE"},
            {"sort_order", order},
            {"limit", "1"},
            {"keys_only", true}};
  }
  EtcdResult<json> Call(std::string path, const json& body, Deadline deadline);

  std::vector<NodeAddress> servers_;
  size_t server_ = 0;  // the one that is asked first
  HttpClient http_;
};

EtcdResult<json> GatewayConnection::Call(std::string path, const json& body, Deadline deadline) {
  HttpRequest request{.path = std::move(path), .body = body.dump()};
  std::string failure;
  for (size_t tried = 0; tried < servers_.size(); ++tried) {
    request.server = servers_[server_];
    request.servers = static_cast<int>(servers_.size() - tried);
    const tl::expected<HttpReply, HttpFailure> reply = http_.Post(request, deadline);
    if (reply && reply->status == 200) {
      json value = json::parse(reply->body, nullptr, /*allow_exceptions=*/false);
      if (value.is_object()) return value;
    }
    if (reply) {
      EtcdFailure error = FailureOf(*reply);
      if (error.kind == Kind::kNoReply) server_ = (server_ + 1) % servers_.size();
      return tl::unexpected(std::move(error));
    }
    server_ = (server_ + 1) % servers_.size();
    failure = reply.error().message;
    if (reply.error().is_sent) return Fail(Kind::kNoReply, failure);
  }
  return Fail(Kind::kNotSent, failure);
}

EtcdResult<int64_t> GatewayConnection::GrantLease(Duration ttl, Deadline deadline) {
  const int64_t seconds = std::chrono::ceil<std::chrono::seconds>(ttl).count();
  const auto reply = Call("/v3/lease/grant", {{"TTL", std::to_string(seconds)}}, deadline);
  if (!reply) return tl::unexpected(reply.error());
  const int64_t lease = NumberOf(MemberOf(*reply, "ID"));
  if (lease == 0) return Fail(Kind::kNoReply, "the reply has no lease");
  return lease;
}

// The reply for a lease that has ended is one without a remaining time.
EtcdResult<void> GatewayConnection::KeepAlive(int64_t lease, Deadline deadline) {
  const auto reply = Call("/v3/lease/keepalive", {{"ID", std::to_string(lease)}}, deadline);
  if (!reply) return tl::unexpected(reply.error());
  const json& result = MemberOf(*reply, "result");
  if (!result.is_object()) return Fail(Kind::kNoReply, "the reply has no result");
  if (NumberOf(MemberOf(result, "TTL")) <= 0) return Fail(Kind::kNoLease, "the lease has ended");
  return {};
}

EtcdResult<EtcdQueue> GatewayConnection::Create(const std::string& key, int64_t lease,
                                                const std::string& prefix, Deadline deadline) {
  const std::string name = EncodeBase64(key);
  const json own{{"request_range", {{"key", name}}}};
  const json first{{"request_range", FirstOf(prefix, "ASCEND")}};
  const json put{{"request_put", {{"key", name}, {"lease", std::to_string(lease)}}}};
  const json is_absent{
      {"key", name}, {"target", "CREATE"}, {"result", "EQUAL"}, {"create_revision", "0"}};
  const auto reply = Call("/v3/kv/txn",
                          {{"compare", json::array({is_absent})},
                           {"success", json::array({put, own, first})},
                           {"failure", json::array({own, first})}},
                          deadline);
  if (!reply) return tl::unexpected(reply.error());
  const json& responses = MemberOf(*reply, "responses");
  const size_t ranges = MemberOf(*reply, "succeeded").is_boolean() ? 1 : 0;
  if (!responses.is_array() || responses.size() != ranges + 2)
    return Fail(Kind::kNoReply, "the reply has no keys");
  return EtcdQueue{.own = KeyOf(MemberOf(responses[ranges], "response_range")),
                   .first = KeyOf(MemberOf(responses[ranges + 1], "response_range"))};
}

EtcdResult<std::optional<EtcdKey>> GatewayConnection::FindBefore(const std::string& prefix,
                                                                 int64_t revision,
                                                                 Deadline deadline) {
  json body = FirstOf(prefix, "DESCEND");
  body["max_create_revision"] = std::to_string(revision - 1);
  const auto reply = Call("/v3/kv/range", body, deadline);
  if (!reply) return tl::unexpected(reply.error());
  EtcdKey key = KeyOf(*reply);
  if (key.name.empty()) return std::nullopt;
  return key;
}

EtcdResult<std::vector<std::string>> GatewayConnection::Keys(Deadline deadline) {
  const std::string zero = EncodeBase64(std::string(1, '\0'));  // from it, up to it: all keys
  const auto reply =
      Call("/v3/kv/range", {{"key", zero}, {"range_end", zero}, {"keys_only", true}}, deadline);
  if (!reply) return tl::unexpected(reply.error());
  std::vector<std::string> names;
  for (const json& key : MemberOf(*reply, "kvs"))
    names.push_back(DecodeBase64(TextOf(MemberOf(key, "key"))));
  return names;
}

EtcdResult<EtcdKey> GatewayConnection::Lock(const std::string& name, int64_t lease,
                                            Deadline deadline) {
  const auto reply = Call(
      "/v3/lock/lock", {{"name", EncodeBase64(name)}, {"lease", std::to_string(lease)}}, deadline);
  if (!reply) return tl::unexpected(reply.error());
  return EtcdKey{.name = DecodeBase64(TextOf(MemberOf(*reply, "key"))),
                 .create_revision = NumberOf(MemberOf(MemberOf(*reply, "header"), "revision"))};
}

}  // namespace

bool HasEtcd() { return true; }

std::unique_ptr<EtcdConnection> DialEtcd(std::vector<NodeAddress> servers) {
  return std::make_unique<GatewayConnection>(std::move(servers));
}

}  // namespace doublehold
