#include "bench/bare_loop.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include "lib/base/check.h"

namespace doublehold {

struct BareLoop::State {
  redisContext* context = nullptr;
  std::string sha1;
  uint64_t cycles = 0;
};

BareLoop::BareLoop(const std::string& unix_path) : state_(new State) {
  state_->context = redisConnectUnix(unix_path.c_str());
  CHECK(state_->context != nullptr && state_->context->err == 0);
  auto* reply = static_cast<redisReply*>(redisCommand(
      state_->context, "SCRIPT LOAD %s",
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
      "else return 0 end"));
  CHECK(reply != nullptr && reply->type == REDIS_REPLY_STRING);
  state_->sha1.assign(reply->str, static_cast<size_t>(reply->len));
  freeReplyObject(reply);
}

BareLoop::~BareLoop() {
  redisFree(state_->context);
  delete state_;
}

void BareLoop::Cycle() {
  const std::string owner =
      fmt::format("{:016x}-{:x}", uint64_t{0x1234567890abcdef}, ++state_->cycles);
  auto* set = static_cast<redisReply*>(
      redisCommand(state_->context, "SET %s %s NX PX %d", "dh:bare", owner.c_str(), 500));
  CHECK(set != nullptr && set->type == REDIS_REPLY_STATUS);
  freeReplyObject(set);
  auto* released = static_cast<redisReply*>(redisCommand(
      state_->context, "EVALSHA %s 1 %s %s", state_->sha1.c_str(), "dh:bare", owner.c_str()));
  CHECK(released != nullptr && released->integer == 1);
  freeReplyObject(released);
}

void BareLoop::Ping() {
  auto* reply = static_cast<redisReply*>(redisCommand(state_->context, "PING"));
  CHECK(reply != nullptr && reply->type == REDIS_REPLY_STATUS);
  freeReplyObject(reply);
}

}  // namespace doublehold
