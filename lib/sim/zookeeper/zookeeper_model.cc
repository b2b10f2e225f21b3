#include "lib/sim/zookeeper/zookeeper_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/base/check.h"

namespace doublehold::sim {
namespace {

CallResult RefuseWith(std::string_view message) {
  return tl::unexpected(CallFailure{.definite = true, .message = std::string(message)});
}

Reply TextReply(std::string_view text) {
  return {.kind = Reply::Kind::kString, .text = std::string(text)};
}

std::string_view ParentOf(std::string_view path) {
  return path.substr(0, std::max<size_t>(path.rfind('/'), 1));
}

}  // namespace

std::optional<CallResult> ZooKeeperModel::Execute(Argv request, const ServiceCall& call) {
  const std::string_view name = request[0];
  if (name == "CONNECT") return Connect(request, call.now);
  Session* session = FindSession(request[1]);
  if (session == nullptr) return std::nullopt;
  session->expiry = call.now + session->timeout;
  if (name == "CREATE") return Create(request);
  if (name == "GETDATA" || name == "GETCHILDREN") return Read(request);
  if (name == "DELETE") return Delete(request[2]);
  if (name == "PING") return Reply{};
  CHECK(name == "CLOSE");
  EndSession(std::string(request[1]));
  return std::nullopt;  // nobody waits for the reply
}

MonoTime ZooKeeperModel::NextExpiry() const {
  MonoTime next = MonoTime::max();
  for (const Session& session : sessions_) next = std::min(next, session.expiry);
  return next;
}

void ZooKeeperModel::Expire(MonoTime now) {
  while (true) {
    const auto expired =
        std::ranges::find_if(sessions_, [&](const Session& each) { return each.expiry <= now; });
    if (expired == sessions_.end()) return;
    const std::string name = expired->name;
    EndSession(name);
    news_.push_back({.channel = name, .closes = true});
  }
}

// Watches end with their connections. Clients ask again when they are connected again.
void ZooKeeperModel::MixData(StateDigest& digest) const {
  digest.Mix(zxid_);
  digest.Mix(nodes_.size());
  for (const auto& [path, node] : nodes_) {
    digest.Mix(path);
    digest.Mix(node.czxid);
    digest.Mix(node.owner);
    digest.Mix(node.children_ever);
  }
  digest.Mix(sessions_.size());
  for (const Session& session : sessions_) {
    digest.Mix(session.name);
    digest.Mix(session.timeout);
    digest.Mix(session.expiry);
  }
  digest.Mix(watches_.size());
  for (const Watch& watch : watches_) {
    digest.Mix(watch.session);
    digest.Mix(watch.path);
    digest.Mix(watch.of_children);
  }
}

void ZooKeeperModel::Restart(MonoTime back) {
  watches_.clear();
  for (Session& session : sessions_) session.expiry = back + session.timeout;
}

ZooKeeperModel::Session* ZooKeeperModel::FindSession(std::string_view name) {
  const auto found = std::ranges::find(sessions_, name, &Session::name);
  return found == sessions_.end() ? nullptr : &*found;
}

CallResult ZooKeeperModel::Connect(Argv request, MonoTime now) {
  Session* session = FindSession(request[1]);
  if (session == nullptr && request[3] == "again") return RefuseWith(kZooSessionExpired);
  if (session == nullptr) session = &sessions_.emplace_back(Session{std::string(request[1])});
  int64_t timeout_ns = 0;
  std::from_chars(request[2].data(), request[2].data() + request[2].size(), timeout_ns);
  session->timeout = Duration(timeout_ns);
  session->expiry = now + session->timeout;
  std::erase_if(watches_, [&](const Watch& watch) { return watch.session == request[1]; });
  return Reply{};
}

CallResult ZooKeeperModel::Create(Argv request) {
  const bool is_ephemeral = request.size() > 3;
  const auto parent = nodes_.find(ParentOf(request[2]));
  if (parent == nodes_.end()) return RefuseWith(kZooNoNode);
  std::string path(request[2]);
  if (is_ephemeral) path += fmt::format("{:010}", parent->second.children_ever);
  if (nodes_.contains(path)) return RefuseWith(kZooNodeExists);
  if (!parent->second.owner.empty()) return RefuseWith("ephemeral nodes may not have children");
  ++parent->second.children_ever;
  nodes_[path] = {.czxid = ++zxid_, .owner = is_ephemeral ? std::string(request[1]) : ""};
  Trigger(parent->first, /*of_children=*/true);
  return Reply{.kind = Reply::Kind::kArray,
               .items = {TextReply(path), {.kind = Reply::Kind::kInteger, .integer = zxid_}}};
}

// A watch is set only if the node exists.
CallResult ZooKeeperModel::Read(Argv request) {
  const auto node = nodes_.find(request[2]);
  if (node == nodes_.end()) return RefuseWith(kZooNoNode);
  const bool of_children = request[0] == "GETCHILDREN";
  if (request.size() > 3) {
    Watch watch{std::string(request[1]), node->first, of_children};
    if (std::ranges::find(watches_, watch) == watches_.end()) watches_.push_back(std::move(watch));
  }
  if (!of_children) return Reply{.kind = Reply::Kind::kInteger, .integer = node->second.czxid};
  Reply names{.kind = Reply::Kind::kArray};
  for (const std::string& name : ChildrenOf(request[2])) names.items.push_back(TextReply(name));
  return names;
}

CallResult ZooKeeperModel::Delete(std::string_view path) {
  if (!nodes_.contains(path)) return RefuseWith(kZooNoNode);
  if (!ChildrenOf(path).empty()) return RefuseWith("not empty");
  ++zxid_;
  Remove(path);
  return Reply{};
}

std::vector<std::string> ZooKeeperModel::ChildrenOf(std::string_view path) const {
  std::string prefix(path);
  if (prefix != "/") prefix += '/';
  std::vector<std::string> names;
  for (auto node = nodes_.upper_bound(prefix);
       node != nodes_.end() && node->first.starts_with(prefix); ++node) {
    std::string name = node->first.substr(prefix.size());
    if (name.find('/') == std::string::npos) names.push_back(std::move(name));
  }
  return names;
}

void ZooKeeperModel::Remove(std::string_view path) {
  const std::string removed(path);
  nodes_.erase(removed);
  Trigger(removed, /*of_children=*/false);
  Trigger(removed, /*of_children=*/true);
  Trigger(ParentOf(removed), /*of_children=*/true);
}

void ZooKeeperModel::EndSession(const std::string& name) {
  ++zxid_;
  std::erase_if(sessions_, [&](const Session& session) { return session.name == name; });
  std::erase_if(watches_, [&](const Watch& watch) { return watch.session == name; });
  std::vector<std::string> owned;
  for (const auto& [path, node] : nodes_) {
    if (node.owner == name) owned.push_back(path);
  }
  for (const std::string& path : owned) Remove(path);
}

// Sends the news of these watches. Each watch gives one message.
void ZooKeeperModel::Trigger(std::string_view path, bool of_children) {
  for (const Watch& watch : watches_) {
    if (watch.path != path || watch.of_children != of_children) continue;
    if (std::ranges::find(news_, watch.session, &ServiceNews::channel) == news_.end())
      news_.push_back({.channel = watch.session});
  }
  std::erase_if(watches_, [&](const Watch& watch) {
    return watch.path == path && watch.of_children == of_children;
  });
}

}  // namespace doublehold::sim
