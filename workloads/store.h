// The store of a workload, as one task uses it: a connection, and a time-out for each call.
#ifndef DOUBLEHOLD_WORKLOADS_STORE_H_
#define DOUBLEHOLD_WORKLOADS_STORE_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>

#include "lib/base/env.h"
#include "lib/base/options.h"

namespace doublehold {

OptionSpec StoreTimeoutOption();  // `store-timeout`

// How an operation that was not answered stands in a history.
inline EventType TypeOf(const CallFailure& failure) {
  return failure.definite ? EventType::kFail : EventType::kInfo;
}
inline EventType TypeOf(const CallResult& result) {
  return result ? EventType::kOk : TypeOf(result.error());
}

// Empty when the reply is no whole number.
std::optional<int64_t> AsInteger(const Reply& reply);

// Not thread-safe; env outlives it.
class Store {
 public:
  Store(Env& env, Duration timeout)
      : env_(env), timeout_(timeout), connection_(env.Connect(kStoreId)) {}

  [[nodiscard]] CallResult Call(std::initializer_list<std::string_view> words) {
    return connection_->Call(Argv(words.begin(), words.size()), env_.Mono() + timeout_);
  }
  [[nodiscard]] CallResult Eval(const Script& script, std::initializer_list<std::string_view> keys,
                                std::initializer_list<std::string_view> args) {
    return connection_->Eval(script, Argv(keys.begin(), keys.size()),
                             Argv(args.begin(), args.size()), env_.Mono() + timeout_);
  }
  // GET; empty when it was not answered, or not with a whole number.
  [[nodiscard]] std::optional<int64_t> Get(std::string_view key);

  // From here to Unpin a call fails rather than connect anew.
  void Pin() { connection_->Pin(); }
  void Unpin() { connection_->Unpin(); }
  // Drops the connection, and with it whatever the server keeps for it.
  void Drop() { connection_ = env_.Connect(kStoreId); }

 private:
  Env& env_;
  Duration timeout_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_STORE_H_
