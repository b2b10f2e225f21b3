#include "lib/zookeeper/session.h"

#include <fmt/format.h>
#include <zookeeper/zookeeper.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

#include "lib/base/check.h"

namespace doublehold {
namespace {

using Kind = ZooFailure::Kind;

class ClientSession;

// The reply to one request. The session owns it until it is complete, because the requester may
// leave at its deadline. The requester has a share too.
struct ZooReply {
  ClientSession* session = nullptr;
  bool complete = false;
  int code = ZOK;
  ZooNode node{};
  std::vector<std::string> children{};
};

tl::unexpected<ZooFailure> Fail(Kind kind, std::string message) {
  return tl::unexpected(ZooFailure{kind, std::move(message)});
}

// Converts an error code of a request that was given to the C client. Codes below ZAPIERROR are
// the server's. All others are the client's own, so the request may have been sent.
tl::unexpected<ZooFailure> FailWith(int code) {
  const char* const message = zerror(code);
  if (code == ZNONODE) return Fail(Kind::kNoNode, message);
  if (code == ZNODEEXISTS) return Fail(Kind::kNodeExists, message);
  if (code == ZSESSIONEXPIRED) return Fail(Kind::kSessionEnded, message);
  // The C client completes requests that it dropped with ZCLOSING.
  if (code > ZAPIERROR || code == ZCLOSING) return Fail(Kind::kNoReply, message);
  return Fail(Kind::kRefused, message);
}

// Thread rule: the C client calls the callbacks on a thread of its own, and holds no lock of its
// own meanwhile. So this class may call the C client while it holds its mutex, except for
// zookeeper_close, which waits for a running callback. No callback runs after zookeeper_close.
class ClientSession final : public ZooKeeperSession, private Subscription {
 public:
  ClientSession(const std::vector<NodeAddress>& servers, Duration timeout)
      : timeout_ms_(
            static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(timeout).count())) {
    for (const NodeAddress& server : servers) {
      CHECK(server.unix_path.empty());
      servers_ += fmt::format("{}{}:{}", servers_.empty() ? "" : ",", server.host, server.port);
    }
  }
  ~ClientSession() override {
    if (handle_ != nullptr) zookeeper_close(handle_);
  }

  ZooResult<ZooNode> Create(std::string_view path, std::string_view data, ZooCreate how,
                            Deadline deadline) override;
  ZooResult<std::vector<std::string>> Children(std::string_view path, Deadline deadline) override {
    return ListChildren(path, nullptr, deadline);
  }
  ZooResult<ZooNode> Find(std::string_view path, Deadline deadline) override {
    return GetNode(path, nullptr, deadline);
  }
  ZooResult<ZooNode> Watch(std::string_view path, Deadline deadline) override {
    return GetNode(path, OnWatch, deadline);
  }
  ZooResult<std::vector<std::string>> WatchChildren(std::string_view path,
                                                    Deadline deadline) override {
    return ListChildren(path, OnWatch, deadline);
  }
  ZooResult<void> Delete(std::string_view path, Deadline deadline) override;
  Subscription& News() override { return *this; }

 private:
  enum class State : uint8_t { kConnecting, kConnected, kEnded, kRefused };

  // Callbacks of the C client.
  static void OnSession(zhandle_t* handle, int type, int state, const char* path, void* session);
  static void OnWatch(zhandle_t* handle, int type, int state, const char* path, void* session);
  static void OnVoid(int code, const void* data);
  static void OnData(int code, const char* value, int bytes, const Stat* stat, const void* data);
  static void OnNode(int code, const char* path, const Stat* stat, const void* data);
  static void OnChildren(int code, const String_vector* names, const void* data);

  bool Wait(Deadline deadline) override;  // of Subscription
  ZooResult<ZooNode> GetNode(std::string_view path, watcher_fn watcher, Deadline deadline);
  ZooResult<std::vector<std::string>> ListChildren(std::string_view path, watcher_fn watcher,
                                                   Deadline deadline);

  // Connects, calls `send` with a new reply, which returns the C client's code, and waits for the
  // completed reply.
  template <typename Send>
  ZooResult<std::shared_ptr<ZooReply>> Request(Deadline deadline, Send&& send);
  template <typename Condition>
  bool WaitUntil(std::unique_lock<std::mutex>& lock, Deadline deadline, Condition&& condition) {
    const std::chrono::steady_clock::time_point until(deadline.time_since_epoch());
    return changed_.wait_until(lock, until, std::forward<Condition>(condition));
  }
  void Change(int client_state, int granted_timeout_ms);
  void AddNews();
  static void Complete(const void* data, int code, ZooNode node,
                       std::vector<std::string> children = {});

  std::string servers_;  // "127.0.0.1:2181,127.0.0.1:2182"
  int timeout_ms_;
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  zhandle_t* handle_ = nullptr;
  State state_ = State::kConnecting;
  bool was_connected_ = false;
  bool has_news_ = false;
  std::string refusal_;
  std::map<const void*, std::shared_ptr<ZooReply>> incomplete_;
};

void ClientSession::OnSession(zhandle_t* handle, int type, int state, const char* /*path*/,
                              void* session) {
  if (type != ZOO_SESSION_EVENT) return;
  static_cast<ClientSession*>(session)->Change(state, zoo_recv_timeout(handle));
}

// The C client calls every watcher at each change of the connection too. OnSession handles these.
void ClientSession::OnWatch(zhandle_t* /*handle*/, int type, int /*state*/, const char* /*path*/,
                            void* session) {
  if (type != ZOO_SESSION_EVENT) static_cast<ClientSession*>(session)->AddNews();
}

void ClientSession::OnVoid(int code, const void* data) { Complete(data, code, {}); }

void ClientSession::OnData(int code, const char* /*value*/, int /*bytes*/, const Stat* stat,
                           const void* data) {
  Complete(data, code, {.path = "", .czxid = stat == nullptr ? 0 : stat->czxid});
}

void ClientSession::OnNode(int code, const char* path, const Stat* stat, const void* data) {
  Complete(data, code,
           {.path = path == nullptr ? "" : path, .czxid = stat == nullptr ? 0 : stat->czxid});
}

void ClientSession::OnChildren(int code, const String_vector* names, const void* data) {
  std::vector<std::string> children;
  if (names != nullptr) children.assign(names->data, names->data + names->count);
  Complete(data, code, {}, std::move(children));
}

// The reply exists, even if its requester has left: incomplete_ has a share of it.
void ClientSession::Complete(const void* data, int code, ZooNode node,
                             std::vector<std::string> children) {
  ClientSession& session = *static_cast<const ZooReply*>(data)->session;
  const std::lock_guard lock(session.mutex_);
  const auto found = session.incomplete_.find(data);
  CHECK(found != session.incomplete_.end());
  ZooReply& reply = *found->second;
  reply.complete = true;
  reply.code = code;
  reply.node = std::move(node);
  reply.children = std::move(children);
  session.incomplete_.erase(found);
  session.changed_.notify_all();
}

void ClientSession::AddNews() {
  const std::lock_guard lock(mutex_);
  has_news_ = true;
  changed_.notify_all();
}

void ClientSession::Change(int client_state, int granted_timeout_ms) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kEnded || state_ == State::kRefused) return;
  if (client_state == ZOO_EXPIRED_SESSION_STATE) {
    state_ = State::kEnded;
    has_news_ = true;
  } else if (client_state != ZOO_CONNECTED_STATE) {
    state_ = State::kConnecting;
  } else if (granted_timeout_ms < timeout_ms_) {
    state_ = State::kRefused;
    refusal_ = fmt::format("{} allows a session timeout of {} ms, not {} ms", servers_,
                           granted_timeout_ms, timeout_ms_);
  } else {
    state_ = State::kConnected;
    has_news_ = has_news_ || was_connected_;
    was_connected_ = true;
  }
  changed_.notify_all();
}

bool ClientSession::Wait(Deadline deadline) {
  std::unique_lock lock(mutex_);
  WaitUntil(lock, deadline, [this] { return has_news_; });
  return std::exchange(has_news_, false);
}

template <typename Send>
ZooResult<std::shared_ptr<ZooReply>> ClientSession::Request(Deadline deadline, Send&& send) {
  std::unique_lock lock(mutex_);
  if (handle_ == nullptr) {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));  // failures are in the results
    handle_ = zookeeper_init(servers_.c_str(), OnSession, timeout_ms_, nullptr, this, 0);
    if (handle_ == nullptr)
      return Fail(Kind::kNotSent, fmt::format("{}: {}", servers_, std::strerror(errno)));
  }
  // Gives nothing to the C client before it is connected. The client would queue the request, and
  // could send it after the deadline.
  if (!WaitUntil(lock, deadline, [this] { return state_ != State::kConnecting; }))
    return Fail(Kind::kNotSent, fmt::format("no connection to {}", servers_));
  if (state_ == State::kEnded) return Fail(Kind::kSessionEnded, "session expired");
  if (state_ == State::kRefused) return Fail(Kind::kRefused, refusal_);
  if (std::chrono::steady_clock::now().time_since_epoch() >= deadline.time_since_epoch())
    return Fail(Kind::kNotSent, "the deadline has passed");

  const auto reply = std::make_shared<ZooReply>(ZooReply{.session = this});
  incomplete_.emplace(reply.get(), reply);
  const int code = send(handle_, reply.get());
  if (code != ZOK) {
    // ZBADARGUMENTS and ZINVALIDSTATE come before the request is queued. After other codes the C
    // client may still complete the request, so the reply stays until the session is closed.
    if (code == ZBADARGUMENTS || code == ZINVALIDSTATE) incomplete_.erase(reply.get());
    if (code == ZBADARGUMENTS) return Fail(Kind::kRefused, zerror(code));
    if (code == ZINVALIDSTATE) return Fail(Kind::kSessionEnded, zerror(code));
    return FailWith(code);
  }
  if (!WaitUntil(lock, deadline, [&] { return reply->complete; }))
    return Fail(Kind::kNoReply, fmt::format("no reply from {}", servers_));
  if (reply->code != ZOK) return FailWith(reply->code);
  return reply;
}

ZooResult<ZooNode> ClientSession::Create(std::string_view path, std::string_view data,
                                         ZooCreate how, Deadline deadline) {
  const int mode = how == ZooCreate::kPersistent ? ZOO_PERSISTENT : ZOO_EPHEMERAL_SEQUENTIAL;
  auto reply = Request(deadline, [&](zhandle_t* handle, const void* token) {
    return zoo_acreate2(handle, std::string(path).c_str(), data.data(),
                        static_cast<int>(data.size()), &ZOO_OPEN_ACL_UNSAFE, mode, OnNode, token);
  });
  if (!reply) return tl::unexpected(std::move(reply).error());
  return std::move((*reply)->node);
}

// Reads the node's data rather than its existence. A watch on data is set only if the node exists;
// a watch on existence would stay behind on the server and in the C client.
ZooResult<ZooNode> ClientSession::GetNode(std::string_view path, watcher_fn watcher,
                                          Deadline deadline) {
  const std::string name(path);
  auto reply = Request(deadline, [&](zhandle_t* handle, const void* token) {
    return zoo_awget(handle, name.c_str(), watcher, this, OnData, token);
  });
  if (!reply) return tl::unexpected(std::move(reply).error());
  return ZooNode{.path = name, .czxid = (*reply)->node.czxid};
}

ZooResult<std::vector<std::string>> ClientSession::ListChildren(std::string_view path,
                                                                watcher_fn watcher,
                                                                Deadline deadline) {
  auto reply = Request(deadline, [&](zhandle_t* handle, const void* token) {
    return zoo_awget_children(handle, std::string(path).c_str(), watcher, this, OnChildren, token);
  });
  if (!reply) return tl::unexpected(std::move(reply).error());
  return std::move((*reply)->children);
}

ZooResult<void> ClientSession::Delete(std::string_view path, Deadline deadline) {
  constexpr int kAnyVersion = -1;
  auto reply = Request(deadline, [&](zhandle_t* handle, const void* token) {
    return zoo_adelete(handle, std::string(path).c_str(), kAnyVersion, OnVoid, token);
  });
  if (!reply) return tl::unexpected(std::move(reply).error());
  return {};
}

}  // namespace

bool HasZooKeeper() { return true; }

std::unique_ptr<ZooKeeperSession> OpenZooKeeper(std::vector<NodeAddress> servers,
                                                Duration timeout) {
  return std::make_unique<ClientSession>(servers, timeout);
}

}  // namespace doublehold
