#include "lib/sim/redis/keyspace.h"

#include <algorithm>
#include <bit>

namespace doublehold::sim {
namespace {

void MixValue(const Value& value, StateDigest& digest) {
  digest.Mix(value.index());
  if (const auto* text = std::get_if<std::string>(&value)) return digest.Mix(*text);
  if (const auto* hash = std::get_if<Hash>(&value)) {
    for (const Field& field : *hash) {
      digest.Mix(field.name);
      digest.Mix(field.value);
    }
  } else if (const auto* list = std::get_if<List>(&value)) {
    for (const std::string& item : *list) digest.Mix(item);
  } else {
    for (const Member& member : std::get<SortedSet>(value)) {
      digest.Mix(std::bit_cast<uint64_t>(member.score));
      digest.Mix(member.name);
    }
  }
  digest.Mix("end");
}

}  // namespace

Entry* Keyspace::Find(std::string_view key, int64_t now_ms) {
  for (Entry& entry : entries_) {
    if (entry.key != key) continue;
    if (now_ms <= entry.expires_ms) return &entry;
    Remove(entry);
    Touch(key);
    return nullptr;
  }
  return nullptr;
}

Entry& Keyspace::Add(std::string_view key, Value value) {
  return entries_.emplace_back(Entry{.key = std::string(key), .value = std::move(value)});
}

bool Keyspace::Erase(std::string_view key, int64_t now_ms) {
  Entry* entry = Find(key, now_ms);
  if (entry == nullptr) return false;
  Remove(*entry);
  Touch(key);
  return true;
}

void Keyspace::Watch(int connection, std::string_view key, int64_t now_ms) {
  if (std::ranges::find(spoilt_, connection) != spoilt_.end()) return;
  for (const Watched& each : watches_) {
    if (each.connection == connection && each.key == key) return;
  }
  const Entry* entry = Raw(key);
  const bool expired = entry != nullptr && now_ms > entry->expires_ms;
  watches_.push_back({.connection = connection, .key = std::string(key), .expired = expired});
}

void Keyspace::Unwatch(int connection) {
  std::erase_if(watches_, [&](const Watched& each) { return each.connection == connection; });
  std::erase(spoilt_, connection);
}

void Keyspace::UnwatchAll() {
  watches_.clear();
  spoilt_.clear();
}

bool Keyspace::IsSpoilt(int connection, int64_t now_ms) const {
  if (std::ranges::find(spoilt_, connection) != spoilt_.end()) return true;
  return std::ranges::any_of(watches_, [&](const Watched& each) {
    if (each.connection != connection || each.expired) return false;
    const Entry* entry = Raw(each.key);
    return entry != nullptr && now_ms > entry->expires_ms;
  });
}

const Entry* Keyspace::Raw(std::string_view key) const {
  const auto entry = std::ranges::find(entries_, key, &Entry::key);
  return entry == entries_.end() ? nullptr : &*entry;
}

void Keyspace::Remove(Entry& entry) {
  if (&entry != &entries_.back()) entry = std::move(entries_.back());
  entries_.pop_back();
}

void Keyspace::NotifyWatchers(std::string_view key) {
  const size_t told = spoilt_.size();
  for (Watched& each : watches_) {
    if (each.key != key) continue;
    if (each.expired) {
      // The key had expired before this WATCH. As in Redis, if the key was overwritten now, this
      // watch and the later watches of the key are not notified.
      if (Raw(key) != nullptr) break;
      each.expired = false;
      continue;
    }
    spoilt_.push_back(each.connection);
  }
  for (size_t i = told; i < spoilt_.size(); ++i) {
    std::erase_if(watches_, [&](const Watched& each) { return each.connection == spoilt_[i]; });
  }
}

void Keyspace::MixState(StateDigest& digest, int64_t now_ms) const {
  digest.Mix(entries_.size());
  for (const Entry& entry : entries_) {
    digest.Mix(entry.key);
    digest.Mix(entry.expires_ms == kNever ? kNever : entry.expires_ms - now_ms);
    MixValue(entry.value, digest);
  }
  digest.Mix(watches_.size());
  for (const Watched& watched : watches_) {
    digest.Mix(watched.connection);
    digest.Mix(watched.key);
    digest.Mix(watched.expired);
  }
  digest.Mix(spoilt_.size());
  for (const int connection : spoilt_) digest.Mix(connection);
}

}  // namespace doublehold::sim
