// Test fixture: both queues of a connection in virtual time, without sockets.
#ifndef DOUBLEHOLD_FAULTS_PROXY_QUEUE_FIXTURE_H_
#define DOUBLEHOLD_FAULTS_PROXY_QUEUE_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "faults/proxy/frame_queue.h"
#include "faults/proxy/redis/redis_wire.h"

namespace doublehold {

inline MonoTime At(Duration since_start) { return MonoTime(since_start); }

class FrameQueueTest : public ::testing::Test {
 protected:
  std::shared_ptr<ActiveRule> Set(LinkRule spec) {
    spec.on_limit_reached = [this] { ++limits_reached_; };
    ++last_;
    auto rule = std::make_shared<ActiveRule>(io_, last_, std::move(spec), Prng(1, "rule", last_));
    rules_.Add(rule);
    return rule;
  }
  void Clear(const std::shared_ptr<ActiveRule>& rule, MonoTime now) {
    rule->Clear();
    rules_.Remove(*rule);
    requests_.Release(*rule, now);
    replies_.Release(*rule, now);
  }
  // Returns the bytes that are sent at `now`.
  static std::string Take(FrameQueue& queue, MonoTime now) {
    std::string bytes(queue.Due(now));
    queue.Sent(bytes.size(), now);
    return bytes;
  }
  int limits_reached() {
    io_.restart();
    io_.poll();
    return limits_reached_;
  }

  boost::asio::io_context io_;
  RuleId last_ = 0;
  int limits_reached_ = 0;
  LinkRules rules_;
  RedisWire wire_;
  FrameQueue requests_{Direction::kRequest, rules_, wire_};
  FrameQueue replies_{Direction::kReply, rules_, wire_};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_QUEUE_FIXTURE_H_
