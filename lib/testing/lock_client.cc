#include "lib/testing/lock_client.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace doublehold::testing {

LockClient::LockClient(std::vector<NodeAddress> servers, int number, const Variant& variant,
                       Lease lease, int thread)
    : lease_(lease), process_{.number = number, .seed = 7, .addresses = std::move(servers)} {
  const LockEntry& entry = *FindLock(variant.lock);
  gives_tokens_ = entry.Has(LockTrait::kToken);
  options_ = *CompleteOptions(variant.lock, entry.options, variant.options, lease);
  lock_ = entry.make(
      {.env = env_,
       .client = number,
       .thread = thread,
       .seed = 7,
       .nodes = std::min(entry.most_nodes, static_cast<int>(process_.addresses.size()) - 1),
       .lease = lease,
       .call_timeout = kPatience,
       .options = Options(options_)});
}

Grant LockClient::Acquire(const LockKey& key) {
  AcquireResult result = Try(key);
  if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
  ADD_FAILURE() << "not granted";
  return {};
}

Grant LockClient::AcquireEventually(const LockKey& key, const RetryPolicy& policy) {
  AcquireResult result = AcquireWithRetry(env_, *lock_, key, lease_, policy);
  if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
  ADD_FAILURE() << "never granted";
  return {};
}

LockClients MakeClients(const NodeAddress& server, int count, const Variant& variant) {
  LockClients clients;
  for (int number = 1; number <= count; ++number)
    clients.push_back(
        std::make_unique<LockClient>(std::vector<NodeAddress>{{}, server}, number, variant));
  return clients;
}

void ExpectGrantedOneAtATime(const LockClients& clients, const LockKey& key,
                             const RetryPolicy& policy) {
  constexpr int kRounds = 50;
  constexpr Duration kHold = 200us;  // so that a second holder meets the first
  std::atomic<int> holders = 0;
  std::atomic<int64_t> last_token = 0;
  std::vector<std::thread> threads;
  for (const auto& client : clients) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const Grant grant = client->AcquireEventually(key, policy);
        EXPECT_EQ(++holders, 1);
        const int64_t before = last_token.exchange(grant.token);
        EXPECT_EQ(grant.token > before, client->gives_tokens()) << grant.token << " " << before;
        std::this_thread::sleep_for(kHold);
        --holders;
        EXPECT_EQ(client->Release(grant), ReleaseResult::kReleased);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace doublehold::testing
