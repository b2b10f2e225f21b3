// One task's access to the workload's store: a connection with a timeout for each call.
#ifndef DOUBLEHOLD_WORKLOADS_STORE_H_
#define DOUBLEHOLD_WORKLOADS_STORE_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>

#include "lib/base/env.h"
#include "lib/base/options.h"
#include "lib/clients/clients.h"
#include "lib/clients/redis.h"

namespace doublehold {

OptionSpec StoreTimeoutOption();  // the option `store-timeout`

// Returns the event type of an operation that failed.
inline EventType TypeOf(const CallFailure& failure) {
  return failure.definite ? EventType::kFail : EventType::kInfo;
}
inline EventType TypeOf(const CallResult& result) {
  return result ? EventType::kOk : TypeOf(result.error());
}

// Returns nothing if the reply is not an integer.
std::optional<int64_t> AsInteger(const Reply& reply);

// Not thread-safe; `env` must outlive it.
class Store {
 public:
  Store(Env& env, Duration timeout)
      : env_(env), timeout_(timeout), connection_(env.clients().redis().Connect(kStoreId)) {}

  [[nodiscard]] CallResult Call(std::initializer_list<std::string_view> words) {
    return connection_->Call(Argv(words.begin(), words.size()), env_.Mono() + timeout_);
  }
  [[nodiscard]] CallResult Eval(const Script& script, std::initializer_list<std::string_view> keys,
                                std::initializer_list<std::string_view> args) {
    return connection_->Eval(script, Argv(keys.begin(), keys.size()),
                             Argv(args.begin(), args.size()), env_.Mono() + timeout_);
  }
  // Sends GET. Returns nothing if there was no reply, or the value is not an integer.
  [[nodiscard]] std::optional<int64_t> Get(std::string_view key);

  // Until Unpin, a call on a broken connection fails instead of reconnecting.
  void Pin() { connection_->Pin(); }
  void Unpin() { connection_->Unpin(); }
  // Drops the connection, and with it the server's state of this connection.
  void Drop() { connection_ = env_.clients().redis().Connect(kStoreId); }

 private:
  Env& env_;
  Duration timeout_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_STORE_H_
