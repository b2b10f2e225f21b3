#include "lib/sim/etcd/etcd_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/base/check.h"

namespace doublehold::sim {
namespace {

int64_t NumberIn(std::string_view word) {
  int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

Reply NumberReply(int64_t number) { return {.kind = Reply::Kind::kInteger, .integer = number}; }

Reply KeyReply(std::string_view name, int64_t revision) {
  return {
      .kind = Reply::Kind::kArray,
      .items = {{.kind = Reply::Kind::kString, .text = std::string(name)}, NumberReply(revision)}};
}

CallResult RefuseWithoutLease() {
  return tl::unexpected(CallFailure{.definite = true, .message = std::string(kEtcdNoLease)});
}

}  // namespace

std::optional<CallResult> EtcdModel::Execute(Argv request, const ServiceCall& call) {
  const std::string_view name = request[0];
  if (name.starts_with("/V3/LEASE/")) return ExecuteOnLease(request, call.now);
  if (name == "/V3/KV/TXN") {
    const CallResult own = Create(request[1], NumberIn(request[2]));
    if (!own) return own;
    const auto first = FindExtreme(request[3], INT64_MAX, /*is_last=*/false);
    Reply reply = KeyReply(first->first, first->second.create_revision);
    reply.items.insert(reply.items.begin(), *own);
    return reply;
  }
  if (name == "/V3/KV/RANGE") {
    const auto last = FindExtreme(request[1], NumberIn(request[2]), /*is_last=*/true);
    if (last == keys_.end()) return Reply{};
    return KeyReply(last->first, last->second.create_revision);
  }
  if (name == "/V3/WATCH") {
    const auto key = keys_.find(request[1]);
    const bool exists = key != keys_.end() && key->second.create_revision == NumberIn(request[2]);
    return NumberReply(exists ? 0 : 1);
  }
  if (name == "/V3/LOCK/UNLOCK") {
    DeleteKeys({std::string(request[1])});
    return Reply{};
  }
  CHECK(name == "/V3/LOCK/LOCK");
  const int64_t lease = NumberIn(request[2]);
  const WaitingLock waiting{.call = call.number,
                            .name = std::string(request[1]) + "/",
                            .key = fmt::format("{}/{:x}", request[1], lease)};
  const CallResult own = Create(waiting.key, lease);
  if (!own) return own;
  if (IsFirst(waiting)) return Granted(waiting);
  waiting_.push_back(waiting);
  return std::nullopt;
}

CallResult EtcdModel::ExecuteOnLease(Argv request, MonoTime now) {
  const int64_t number = NumberIn(request[1]);
  if (request[0] == "/V3/LEASE/GRANT") {
    const Duration ttl(number);
    // As in a real server, the number tells the time, so an emptied server repeats none.
    leases_.push_back({.id = ToNs(now) + granted_++, .ttl = ttl, .expiry = now + ttl});
    return NumberReply(leases_.back().id);
  }
  const auto lease = std::ranges::find(leases_, number, &EtcdLease::id);
  if (lease == leases_.end()) return RefuseWithoutLease();
  if (request[0] == "/V3/LEASE/KEEPALIVE") {
    lease->expiry = now + lease->ttl;
  } else {
    EndLease(number);
  }
  return Reply{};
}

MonoTime EtcdModel::NextExpiry() const {
  MonoTime next = MonoTime::max();
  for (const EtcdLease& lease : leases_) next = std::min(next, lease.expiry);
  return next;
}

void EtcdModel::Expire(MonoTime now) {
  while (true) {
    const auto expired =
        std::ranges::find_if(leases_, [&](const EtcdLease& each) { return each.expiry <= now; });
    if (expired == leases_.end()) return;
    EndLease(expired->id);
  }
}

void EtcdModel::MixData(StateDigest& digest) const {
  digest.Mix(revision_);
  digest.Mix(granted_);
  digest.Mix(keys_.size());
  for (const auto& [name, key] : keys_) {
    digest.Mix(name);
    digest.Mix(key.create_revision);
    digest.Mix(key.lease);
  }
  digest.Mix(leases_.size());
  for (const EtcdLease& lease : leases_) {
    digest.Mix(lease.id);
    digest.Mix(lease.ttl);
    digest.Mix(lease.expiry);
  }
  digest.Mix(waiting_.size());
  for (const WaitingLock& waiting : waiting_) {
    digest.Mix(waiting.call);
    digest.Mix(waiting.name);
    digest.Mix(waiting.key);
  }
}

void EtcdModel::Restart(MonoTime back) {
  waiting_.clear();
  for (EtcdLease& lease : leases_) lease.expiry = back + lease.ttl;
}

// Replies the create revision of the key. A put needs its lease, and an existing key no put.
CallResult EtcdModel::Create(std::string_view name, int64_t lease) {
  const auto key = keys_.find(name);
  if (key != keys_.end()) return NumberReply(key->second.create_revision);
  if (std::ranges::find(leases_, lease, &EtcdLease::id) == leases_.end())
    return RefuseWithoutLease();
  keys_.emplace(name, Key{.create_revision = ++revision_, .lease = lease});
  return NumberReply(revision_);
}

// Returns the key with the lowest or highest create revision below `before`, or the end.
EtcdModel::Keys::const_iterator EtcdModel::FindExtreme(std::string_view prefix, int64_t before,
                                                       bool is_last) const {
  auto found = keys_.end();
  for (auto key = keys_.lower_bound(prefix); key != keys_.end() && key->first.starts_with(prefix);
       ++key) {
    const int64_t revision = key->second.create_revision;
    if (revision >= before) continue;
    if (found == keys_.end() || (revision > found->second.create_revision) == is_last) found = key;
  }
  return found;
}

bool EtcdModel::IsFirst(const WaitingLock& waiting) const {
  return FindExtreme(waiting.name, INT64_MAX, /*is_last=*/false)->first == waiting.key;
}

Reply EtcdModel::Granted(const WaitingLock& waiting) const {
  return KeyReply(waiting.key, revision_);
}

void EtcdModel::EndLease(int64_t id) {
  std::erase_if(leases_, [&](const EtcdLease& lease) { return lease.id == id; });
  std::vector<std::string> names;
  for (const auto& [name, key] : keys_) {
    if (key.lease == id) names.push_back(name);
  }
  DeleteKeys(names);
}

// Deletes the keys in one transaction. Replies to the Lock calls that this grants or ends.
void EtcdModel::DeleteKeys(std::vector<std::string> names) {
  std::erase_if(names, [&](const std::string& name) { return keys_.erase(name) == 0; });
  if (names.empty()) return;
  ++revision_;
  for (const std::string& name : names) news_.push_back({.channel = name});
  std::erase_if(waiting_, [&](const WaitingLock& waiting) {
    const bool is_gone = !keys_.contains(waiting.key);
    if (!is_gone && !IsFirst(waiting)) return false;
    late_replies_.push_back({waiting.call, Granted(waiting)});
    if (is_gone) late_replies_.back().reply = tl::unexpected(CallFailure{.message = "no session"});
    return true;
  });
}

}  // namespace doublehold::sim
