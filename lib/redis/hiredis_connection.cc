#include "lib/redis/hiredis_connection.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <time.h>

#include <array>
#include <optional>

#include "lib/base/check.h"
#include "lib/redis/socket.h"

namespace doublehold {
namespace {

// Large enough for the replies of lock and stock commands. A larger reply takes several reads.
constexpr size_t kReadBytes = 4096;
constexpr Duration kTrusted = 2ms;
// Limit of retries for one command. A command usually needs at most four: two redirections, and the
// script's text for both nodes. Further redirections occur only while a cluster's nodes disagree.
constexpr int kMostTurns = 5;

Reply Convert(const redisReply& from) {
  Reply reply;
  switch (from.type) {
    case REDIS_REPLY_INTEGER:
      reply.kind = Reply::Kind::kInteger;
      reply.integer = from.integer;
      break;
    case REDIS_REPLY_STRING:
      reply.kind = Reply::Kind::kString;
      reply.text.assign(from.str, static_cast<size_t>(from.len));
      break;
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:  // only inside an array; at the top level an error is a CallFailure
      reply.kind = Reply::Kind::kStatus;
      reply.text.assign(from.str, static_cast<size_t>(from.len));
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = Reply::Kind::kArray;
      reply.items.reserve(from.elements);
      for (size_t i = 0; i < from.elements; ++i) reply.items.push_back(Convert(*from.element[i]));
      break;
    default:
      break;
  }
  return reply;
}

// An error reply to a plain command means that nothing was done. A script may have changed data
// before it failed, unless the node refused to start it.
bool IsDefinite(std::string_view error, bool script) {
  if (!script) return true;
  for (const std::string_view refused : {"LOADING", "NOAUTH", "NOPERM", "MASTERDOWN", "BUSY",
                                         "READONLY", "MOVED", "ASK", "CLUSTERDOWN", "TRYAGAIN"}) {
    if (error.starts_with(refused)) return true;
  }
  return false;
}

// Whether the server replied, with a result or an error.
bool HasReplied(const CallResult& result) { return result || result.error().definite; }

// Sends commands and receives replies over one socket.
class Channel {
 public:
  explicit Channel(std::unique_ptr<Route> route) : route_(std::move(route)) {}

  [[nodiscard]] bool IsOpen() const { return socket_.IsOpen(); }
  [[nodiscard]] bool IsSpoilt() const { return socket_.IsSpoilt(); }
  void Close() { socket_.Close(); }

  std::string Open(Deadline deadline) {
    replies_ = ReplyReader();
    const auto address = route_->Find(deadline);
    std::string error = address ? socket_.Connect(*address, deadline) : address.error();
    if (!error.empty()) route_->Lost();
    return error;
  }

  // Call when the node failed or redirected the client. The next Open asks the route again.
  void Lose() {
    Close();
    route_->Lost();
  }
  bool Redirect(std::string_view error) {
    if (!route_->Redirected(error)) return false;
    Close();
    return true;
  }
  std::optional<NodeAddress> AskedFor(std::string_view error) { return route_->AskedFor(error); }

  std::string Send(const std::vector<std::string_view>& words, Deadline deadline) {
    return socket_.SendAll(FormatCommand(words), deadline);
  }

  CallResult Receive(Deadline deadline) {
    while (true) {
      if (std::optional<CallResult> reply = replies_.Next()) return std::move(*reply);
      std::array<char, kReadBytes> buffer;
      const Socket::Received received = socket_.Receive(buffer, deadline);
      if (!received.error.empty())
        return tl::unexpected(CallFailure{.definite = false, .message = received.error});
      replies_.Feed({buffer.data(), received.bytes});
    }
  }

 private:
  std::unique_ptr<Route> route_;
  Socket socket_;
  ReplyReader replies_;
};

class HiredisConnection final : public Connection {
 public:
  explicit HiredisConnection(std::unique_ptr<Route> route) : channel_(std::move(route)) {}

  void Start(Argv command, Deadline deadline) override {
    words_.assign(command.begin(), command.end());
    script_ = nullptr;
    Begin(deadline);
  }

  void StartScript(const Script& script, Argv keys, Argv args, Deadline deadline) override {
    key_count_ = fmt::format_int(keys.size()).str();
    words_.assign({"EVALSHA", script.sha1, key_count_});
    words_.insert(words_.end(), keys.begin(), keys.end());
    words_.insert(words_.end(), args.begin(), args.end());
    script_ = &script;
    Begin(deadline);
  }

  void Pin() override { pinned_ = true; }
  void Unpin() override { pinned_ = false; }

  CallResult Finish() override {
    CHECK(started_);
    CallResult result = FinishOnce();
    for (int again = 0; !result && again < kMostTurns; ++again) {
      const std::string& why = result.error().message;
      // While pinned, follows no redirection, because watches and queued commands belong to this
      // connection.
      const auto asked = pinned_ ? std::nullopt : channel_.AskedFor(why);
      if (asked) {
        result = FinishAt(*asked);
        continue;
      }
      if (script_ != nullptr && why.starts_with("NOSCRIPT")) {
        words_[0] = "EVAL";
        words_[1] = script_->text;
      } else if (!channel_.Redirect(why)) {
        break;
      }
      Begin(deadline_);
      result = FinishOnce();
    }
    started_ = false;
    return result;
  }

 private:
  void Begin(Deadline deadline) {
    started_ = true;
    deadline_ = deadline;
    failed_.reset();
    // A restarted server has closed the connection. The check before sending keeps such a failure
    // definite, but costs a system call. A recently used connection is not checked, because no
    // server restarts that fast.
    if (channel_.IsOpen() && RealMono() - last_reply_ > kTrusted && channel_.IsSpoilt()) {
      channel_.Lose();
    }
    if (pinned_ && !channel_.IsOpen()) {
      return Fail(/*definite=*/true, "the connection was lost, and its WATCH with it");
    }
    std::string error = channel_.IsOpen() ? "" : channel_.Open(deadline);
    if (error.empty()) error = channel_.Send(words_, deadline);
    if (!error.empty()) Fail(/*definite=*/true, std::move(error));
  }

  CallResult FinishOnce() {
    if (failed_) return tl::unexpected(*failed_);
    CallResult result = channel_.Receive(deadline_);
    if (HasReplied(result)) last_reply_ = RealMono();
    // After a failure, or if the server is no longer a master, the next command asks the route for
    // the node.
    if (!HasReplied(result) || (!result && result.error().message.starts_with("READONLY")))
      channel_.Lose();
    return ClassifyError(std::move(result));
  }

  // Sends the same command to the node that ASK named, which accepts it only right after ASKING.
  CallResult FinishAt(const NodeAddress& address) {
    Channel there(FixedRoute(address));
    std::string error = there.Open(deadline_);
    if (error.empty()) error = there.Send({"ASKING"}, deadline_);
    if (error.empty()) error = there.Send(words_, deadline_);
    if (!error.empty()) return tl::unexpected(CallFailure{.definite = true, .message = error});
    CallResult result = there.Receive(deadline_);  // the reply to ASKING
    if (HasReplied(result)) result = there.Receive(deadline_);
    return ClassifyError(std::move(result));
  }

  [[nodiscard]] CallResult ClassifyError(CallResult result) const {
    if (!result && result.error().definite)
      result.error().definite = IsDefinite(result.error().message, script_ != nullptr);
    return result;
  }

  void Fail(bool definite, std::string message) {
    channel_.Lose();
    failed_ = CallFailure{.definite = definite, .message = std::move(message)};
  }

  Channel channel_;
  std::vector<std::string_view> words_;
  std::string key_count_;
  const Script* script_ = nullptr;
  Deadline deadline_{};
  MonoTime last_reply_{};
  std::optional<CallFailure> failed_;  // the failure of the started call
  bool started_ = false;
  bool pinned_ = false;
};

class HiredisSubscription final : public Subscription {
 public:
  HiredisSubscription(std::unique_ptr<Route> route, std::string name)
      : channel_(std::move(route)), name_(std::move(name)) {}

  bool Wait(Deadline deadline) override {
    std::string error;
    if (!channel_.IsOpen()) {
      error = channel_.Open(deadline);
      if (error.empty()) error = channel_.Send({"SUBSCRIBE", name_}, deadline);
      if (!error.empty()) channel_.Close();
      // Messages before the confirmation may have been missed, so the caller must check the lock
      // itself.
      return error.empty() && HasReplied(channel_.Receive(deadline));
    }
    if (HasReplied(channel_.Receive(deadline))) {
      // Messages that have arrived together count as one wake-up, because the caller checks the
      // lock once for all of them.
      while (HasReplied(channel_.Receive(MonoTime{}))) {
      }
      return true;
    }
    // After a timeout the subscription stays. After any other failure the next Wait subscribes
    // again.
    if (RealMono() < deadline) channel_.Lose();
    return false;
  }

 private:
  Channel channel_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Connection> MakeConnection(NodeAddress address) {
  return MakeConnection(FixedRoute(std::move(address)));
}

std::unique_ptr<Subscription> MakeSubscription(NodeAddress address, std::string channel) {
  return MakeSubscription(FixedRoute(std::move(address)), std::move(channel));
}

std::unique_ptr<Connection> MakeConnection(std::unique_ptr<Route> route) {
  return std::make_unique<HiredisConnection>(std::move(route));
}

std::unique_ptr<Subscription> MakeSubscription(std::unique_ptr<Route> route, std::string channel) {
  return std::make_unique<HiredisSubscription>(std::move(route), std::move(channel));
}

std::string FormatCommand(Argv words) {
  std::vector<const char*> starts;
  std::vector<size_t> sizes;
  starts.reserve(words.size());
  sizes.reserve(words.size());
  for (const std::string_view word : words) {
    starts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* frame = nullptr;
  const auto bytes =
      redisFormatCommandArgv(&frame, static_cast<int>(words.size()), starts.data(), sizes.data());
  CHECK(bytes > 0);
  std::string encoded(frame, static_cast<size_t>(bytes));
  redisFreeCommand(frame);
  return encoded;
}

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : reader_(redisReaderCreate()) {}

void ReplyReader::Feed(std::string_view bytes) {
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

std::optional<CallResult> ReplyReader::Next() {
  void* next = nullptr;
  if (redisReaderGetReply(reader_.get(), &next) != REDIS_OK) {
    return tl::unexpected(CallFailure{
        .definite = false, .message = fmt::format("not the Redis protocol: {}", reader_->errstr)});
  }
  if (next == nullptr) return std::nullopt;
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(
      static_cast<redisReply*>(next), freeReplyObject);
  if (reply->type != REDIS_REPLY_ERROR) return Convert(*reply);
  return tl::unexpected(CallFailure{
      .definite = true, .message = std::string(reply->str, static_cast<size_t>(reply->len))});
}

MonoTime RealMono() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return MonoTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace doublehold
