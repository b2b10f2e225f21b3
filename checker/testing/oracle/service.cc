#include "checker/testing/oracle/service.h"

#include <algorithm>
#include <utility>

namespace doublehold::brute {

Service::Service(const Dice& dice, const RunOptions& options) : dice_(dice), options_(options) {
  if (options.held_at_start) entries_.push_back({.until = 10 + dice.Below(30)});
}

uint32_t Service::Holders(int64_t now) const {
  uint32_t holders = 0;
  for (const Request& entry : entries_)
    holders |= entry.until > now ? 1U << static_cast<uint32_t>(entry.client) : 0;
  return holders;
}

void Service::RemoveKeys() {
  entries_.clear();
  queue_.clear();
}

void Service::Save() { saved_ = entries_; }

void Service::Restore() {
  entries_ = saved_;
  queue_.clear();
}

void Service::MoveClock(int64_t by) {
  for (Request& entry : entries_) entry.until -= by;
}

std::optional<Values> Service::Execute(Request request, int64_t now) {
  std::erase_if(entries_, [now](const Request& entry) { return entry.until <= now; });
  const int64_t computed = request.until;
  if (request.validity != 0) request.until = now + request.validity;
  std::optional<Values> answer = Carry(request);
  const bool is_lease = request.op == Op::kAcquire || request.op == Op::kExtend;
  if (answer && is_lease) (*answer)[0] = computed;
  return answer;
}

std::optional<Values> Service::Carry(const Request& request) {
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
  const bool own = options_.reentrant && std::ranges::any_of(entries_, is_own);
  const bool taken = !std::ranges::all_of(entries_, [&](const Request& entry) {
    return (own && is_own(entry)) || (entry.shared && asked.shared);
  });
  const auto queued = std::ranges::find(queue_, asked.client);
  const bool overtakes = options_.fair && !queue_.empty() && queued != queue_.begin();
  const bool refuses = overtakes || dice_.Chance(options_.refuses_free_lock);
  if (taken ? !dice_.Chance(options_.grants_held_lock) : refuses) {
    if (queued == queue_.end()) queue_.push_back(asked.client);
    return {};
  }
  if (queued != queue_.end()) queue_.erase(queued);
  if (taken && dice_.Chance(50)) entries_.clear();
  if (taken || !own) token_ += dice_.Chance(options_.repeats_token) ? -dice_.Below(2) : 1;
  token_ = std::max<int64_t>(1, token_);
  entries_.insert(entries_.end(), dice_.Chance(options_.counts_entry_twice) ? 2 : 1, asked);
  return Values{asked.until, token_, asked.shared ? 1 : 0};
}

// Frees the entry of this hold. If there is none, frees another entry of the client.
std::optional<Values> Service::Release(const Request& asked) {
  auto own = std::ranges::find(entries_, asked.hold, &Request::hold);
  if (own == entries_.end()) own = std::ranges::find(entries_, asked.client, &Request::client);
  bool freed = own != entries_.end();
  if (!options_.checks_owner) {
    freed = !entries_.empty();
    entries_.clear();
  } else if (freed && options_.frees_nested) {
    std::erase_if(entries_, [&](const Request& entry) { return entry.client == asked.client; });
  } else if (freed) {
    entries_.erase(own);
  }
  if (options_.always_reports_failure || !(freed || options_.always_reports_success)) return {};
  return Values{options_.checks_owner ? 0 : 1};
}

std::optional<Values> Service::Extend(const Request& asked) {
  const auto entry = std::ranges::find(entries_, asked.hold, &Request::hold);
  if (entry == entries_.end()) return {};
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

// A torn read returns the previous version of one half. A write whose answer is lost changes only
// one half.
std::optional<Values> Service::UseRecord(const Request& asked) {
  std::array<bool, 2> touches{true, true};
  const bool half = asked.op == Op::kLook ? dice_.Chance(options_.tears_look) : asked.lost;
  if (half) touches[static_cast<size_t>(dice_.Below(2))] = false;
  if (asked.op == Op::kLook)
    return Values{touches[0] ? record[0] : record_before[0],
                  touches[1] ? record[1] : record_before[1]};
  if (dice_.Chance(3)) return {};
  for (size_t i = 0; i < 2; ++i) {
    if (touches[i]) record_before[i] = std::exchange(record[i], asked.asked[1]);
  }
  return asked.asked;
}

}  // namespace doublehold::brute
