// Redis' protocol. After PSYNC or SYNC, each chunk in either direction is a frame named PSYNC.
#ifndef DOUBLEHOLD_FAULTS_PROXY_REDIS_REDIS_WIRE_H_
#define DOUBLEHOLD_FAULTS_PROXY_REDIS_REDIS_WIRE_H_

#include "faults/proxy/redis/reply_names.h"
#include "faults/proxy/wire/wire.h"
#include "lib/redis/wire/resp_framer.h"

namespace doublehold {

// Does not allocate while few commands are outstanding.
class RedisWire final : public Wire {
 public:
  FramePiece Next(Direction direction, std::string_view bytes) override;
  FrameName Name(Direction direction) override;
  void Sent(bool surplus) override;
  [[nodiscard]] size_t surplus() const override { return names_.surplus(); }
  [[nodiscard]] bool full() const override { return names_.full(); }
  [[nodiscard]] size_t outstanding() const { return names_.outstanding(); }

 private:
  RespFramer commands_{RespFramer::Side::kCommands};
  RespFramer replies_{RespFramer::Side::kReplies};
  ReplyNames names_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_REDIS_REDIS_WIRE_H_
