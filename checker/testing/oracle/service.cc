#include "checker/testing/oracle/service.h"

#include <algorithm>
#include <utility>

namespace doublehold::brute {

Service::Service(const Dice& dice, const RunOptions& options) : dice_(dice), options_(options) {
  if (options.taken_at_first) inside_.push_back({.until = 10 + dice.Any(30)});
}

std::optional<Values> Service::Do(const Request& request, int64_t now) {
  std::erase_if(inside_, [now](const Request& entry) { return entry.until <= now; });
  if (request.op == Op::kAcquire) return Acquire(request);
  if (request.op == Op::kRelease) return Release(request);
  if (request.op == Op::kExtend) return Extend(request);
  if (request.op == Op::kSave) return Save(request.asked[0]);
  if (options_.work == Work::kRecord) return UseRecord(request);
  if (options_.work == Work::kTokens) return CheckToken(request);
  if (request.op == Op::kRead) return Values{stock};
  stock = request.asked[1];
  return request.asked;
}

std::optional<Values> Service::Acquire(const Request& asked) {
  const auto is_own = [&](const Request& entry) { return entry.client == asked.client; };
  const bool own = options_.reentrant && std::ranges::any_of(inside_, is_own);
  const bool taken = !std::ranges::all_of(inside_, [&](const Request& entry) {
    return (own && is_own(entry)) || (entry.shared && asked.shared);
  });
  const auto place = std::ranges::find(queue_, asked.client);
  const bool passes = options_.fair && !queue_.empty() && place != queue_.begin();
  const bool refuses = passes || dice_.Chance(options_.refuses_free);
  if (taken ? !dice_.Chance(options_.grants_taken) : refuses) {
    if (place == queue_.end()) queue_.push_back(asked.client);
    return {};
  }
  if (place != queue_.end()) queue_.erase(place);
  if (taken && dice_.Chance(50)) inside_.clear();
  if (taken || !own) token_ += dice_.Chance(options_.repeats_token) ? -dice_.Any(2) : 1;
  token_ = std::max<int64_t>(1, token_);
  inside_.insert(inside_.end(), dice_.Chance(options_.counts_twice) ? 2 : 1, asked);
  return Values{asked.until, token_, asked.shared ? 1 : 0};
}

// Frees the lock of this hold, or another of this client's.
std::optional<Values> Service::Release(const Request& asked) {
  auto own = std::ranges::find(inside_, asked.hold, &Request::hold);
  if (own == inside_.end()) own = std::ranges::find(inside_, asked.client, &Request::client);
  bool freed = own != inside_.end();
  if (!options_.checks_owner) {
    freed = !inside_.empty();
    inside_.clear();
  } else if (freed && options_.frees_nested) {
    std::erase_if(inside_, [&](const Request& entry) { return entry.client == asked.client; });
  } else if (freed) {
    inside_.erase(own);
  }
  if (options_.denies_freed || !(freed || options_.says_freed)) return {};
  return Values{options_.checks_owner ? 0 : 1};
}

std::optional<Values> Service::Extend(const Request& asked) {
  const auto entry = std::ranges::find(inside_, asked.hold, &Request::hold);
  if (entry == inside_.end()) return {};
  entry->until = asked.until;
  return Values{asked.until};
}

std::optional<Values> Service::Save(int64_t task) {
  if (saves.contains(task) && !dice_.Chance(options_.repeats_save)) return {};
  if (!dice_.Chance(options_.loses_save)) ++saves[task];
  return Values{task};
}

std::optional<Values> Service::CheckToken(const Request& shown) {
  if (options_.checks_token && shown.asked[3] < token_seen_) return {};
  token_seen_ = std::max(token_seen_, shown.asked[3]);
  return shown.asked;
}

// A read of the record may be torn: one half is old. A write whose answer is lost may write one
// half.
std::optional<Values> Service::UseRecord(const Request& asked) {
  std::array<bool, 2> does{true, true};
  const bool half = asked.op == Op::kLook ? dice_.Chance(options_.tears_look) : asked.lost;
  if (half) does[static_cast<size_t>(dice_.Any(2))] = false;
  if (asked.op == Op::kLook)
    return Values{does[0] ? record[0] : record_before[0], does[1] ? record[1] : record_before[1]};
  if (dice_.Chance(3)) return {};
  for (size_t i = 0; i < 2; ++i) {
    if (does[i]) record_before[i] = std::exchange(record[i], asked.asked[1]);
  }
  return asked.asked;
}

}  // namespace doublehold::brute
