// A modelled server of a lock service other than Redis: its replies to requests, the messages that
// it sends without a request, and what ends by its clock.
#ifndef DOUBLEHOLD_LIB_SIM_SERVICE_SERVICE_MODEL_H_
#define DOUBLEHOLD_LIB_SIM_SERVICE_SERVICE_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/time.h"
#include "lib/clients/redis.h"
#include "lib/sim/state/state_digest.h"

namespace doublehold::sim {

// A message to the listeners of a channel.
struct ServiceNews {
  std::string channel;
  bool closes = false;  // the server closes the listeners' connections instead
};

// The reply to an earlier call.
struct LateReply {
  uint64_t call = 0;
  CallResult reply{};
};

// How a request arrived at its server.
struct ServiceCall {
  MonoTime now{};
  WallTime wall{};      // the server's wall clock, which a fault can move
  int connection = 0;   // over which it came; unique in the world
  uint64_t number = 0;  // names the request in a LateReply
};

// Without I/O, clocks or randomness. Not thread-safe. The server's clock runs at the rate of
// MonoTime, as that of a real server does, whatever happens to its wall clock.
class ServiceModel {
 public:
  virtual ~ServiceModel() = default;

  // Executes a request, whose first word is its name. Returns nothing if the server replies later,
  // by a LateReply with the call's number, or never.
  [[nodiscard]] virtual std::optional<CallResult> Execute(Argv request,
                                                          const ServiceCall& call) = 0;
  // The connection has ended. All its requests were executed or lost before.
  virtual void CloseConnection(int /*connection*/) {}
  // When the next session or lease ends; MonoTime::max() if there is none.
  [[nodiscard]] virtual MonoTime NextExpiry() const = 0;
  // Ends the sessions or leases that have expired at `now`.
  virtual void Expire(MonoTime now) = 0;
  // Restarts the server with its data; it is back at `back`. Each session or lease then lasts for
  // its whole time again, as in the real servers.
  virtual void Restart(MonoTime back) = 0;
  // Returns the messages since the last call, in order.
  [[nodiscard]] std::vector<ServiceNews> TakeNews() { return std::exchange(news_, {}); }
  [[nodiscard]] std::vector<LateReply> TakeLateReplies() {
    return std::exchange(late_replies_, {});
  }
  // Adds all that decides later replies.
  void MixState(StateDigest& digest) const {
    digest.Mix(news_.size());
    digest.Mix(late_replies_.size());
    MixData(digest);
  }

 protected:
  std::vector<ServiceNews> news_{};
  std::vector<LateReply> late_replies_{};

 private:
  virtual void MixData(StateDigest& digest) const = 0;
};

using MakeService = std::unique_ptr<ServiceModel> (*)();

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_SERVICE_SERVICE_MODEL_H_
