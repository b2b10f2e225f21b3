#include "bench/hiccups.h"

#include <algorithm>

#include "bench/servers.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {

Hiccups::Hiccups(Duration least)
    : least_(least),
      one_core_([this] {
        PinTo(Place::kOneCore);
        Watch();
      }),
      other_core_([this] {
        PinTo(Place::kOtherCore);
        Watch();
      }) {}

Hiccups::~Hiccups() {
  over_ = true;
  one_core_.join();
  other_core_.join();
}

void Hiccups::Watch() {
  constexpr Duration kTick = 500us;
  while (!over_) {
    const MonoTime due = RealMono() + kTick;
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(due.time_since_epoch()));
    const MonoTime woke = RealMono();
    if (woke - due < least_) continue;
    const std::lock_guard lock(mutex_);
    seen_.emplace_back(due, woke);
  }
}

bool Hiccups::During(MonoTime from, MonoTime to) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      seen_, [&](const auto& hiccup) { return hiccup.first <= to && from <= hiccup.second; });
}

}  // namespace doublehold
