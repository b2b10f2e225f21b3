// Test fixture: a real redis-server behind a proxy.
#ifndef DOUBLEHOLD_FAULTS_PROXY_PROXY_FIXTURE_H_
#define DOUBLEHOLD_FAULTS_PROXY_PROXY_FIXTURE_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "faults/proxy/proxy.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/byte_client.h"
#include "lib/testing/servers.h"

namespace doublehold {

// Starts a server and a proxy, which runs on a thread of its own.
class ProxyTest : public ::testing::Test {
 protected:
  ProxyTest() : proxy_(std::in_place, io_, Prng(7, "proxy")) {
    port_ = *proxy_->AddLink(kLink, server_.address());
    loop_ = std::thread([this] { io_.run(); });
  }

  ~ProxyTest() override {
    OnLoop([this] { proxy_.reset(); });
    work_.reset();
    loop_.join();
  }

  // Runs `call` on the loop's thread and returns its result.
  template <typename Call>
  auto OnLoop(Call call) -> decltype(call()) {
    // Shared, because the loop still holds the task for a moment after the result is available.
    auto task = std::make_shared<std::packaged_task<decltype(call())()>>(call);
    auto answer = task->get_future();
    boost::asio::post(io_, [task] { (*task)(); });
    return answer.get();
  }

  RuleId Set(LinkRule rule) {
    rule.on_limit_reached = [this] { ++limits_reached_; };
    return OnLoop([&] { return proxy_->SetLink(kLink, rule); });
  }
  RuleReport Clear(RuleId id) {
    return OnLoop([&] { return proxy_->ClearLink(id); });
  }
  // Waits until a rule has acted on exactly `frames` frames.
  bool ActedOn(RuleId id, int64_t frames) {
    return testing::Eventually(
        [&] { return OnLoop([&] { return proxy_->Report(id).frames; }) == frames; });
  }
  size_t connections() {
    return OnLoop([&] { return proxy_->connections(); });
  }

  using ByteClient = testing::ByteClient;
  using Action = LinkRule::Action;
  static constexpr std::string_view kOk = "+OK\r\n";
  static std::string Bulk(std::string_view text) {
    return fmt::format("${}\r\n{}\r\n", text.size(), text);
  }

  testing::ByteClient Client() { return testing::ByteClient::ToPort(port_); }
  testing::ByteClient Direct() { return testing::ByteClient::ToUnix(server_.address().unix_path); }

  static constexpr LinkId kLink{.client = 1, .node = 1};
  testing::TempFolder folder_;
  testing::Server server_{folder_.path() / "redis.sock"};
  std::atomic<int> limits_reached_ = 0;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::optional<Proxy> proxy_;
  uint16_t port_ = 0;
  std::thread loop_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_PROXY_FIXTURE_H_
