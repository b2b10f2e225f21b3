// ZooKeeper's protocol: frames with a length, whose replies name their requests by number (xid).
//
//   length | CONNECT                           the first frame of each direction
//   length | xid | opcode | path ...           later requests
//   length | xid | zxid | error ...            later replies; xid -1: NOTIFICATION, of a watch
//
// The key of a request is its path; of a MULTI, the path of its first operation. A request is never
// duplicated, because a session may use each xid once. Four-letter words ("ruok") have no name.
#ifndef DOUBLEHOLD_FAULTS_PROXY_ZOOKEEPER_ZOOKEEPER_WIRE_H_
#define DOUBLEHOLD_FAULTS_PROXY_ZOOKEEPER_ZOOKEEPER_WIRE_H_

#include <cstdint>
#include <string_view>

#include "faults/proxy/wire/message_framer.h"
#include "faults/proxy/wire/outstanding.h"
#include "faults/proxy/wire/wire.h"

namespace doublehold {

class ZooKeeperRequests final : public MessageFramer {
 public:
  [[nodiscard]] std::string_view name() const { return lost() ? std::string_view{} : name_; }
  [[nodiscard]] KeyMark key() const { return lost() ? KeyMark{} : key_; }
  [[nodiscard]] int32_t xid() const { return xid_; }

 private:
  [[nodiscard]] size_t HeaderBytes() const override;
  int64_t Begin(std::string_view header) override;
  void Body(std::string_view text) override;
  bool End() override { return true; }
  void PathByte(char c);

  bool connected_ = false;  // the first frame has begun
  std::string_view name_;
  KeyMark key_;
  int32_t xid_ = 0;
  int64_t until_path_ = 0;  // bytes before the path's text; the last four are its length
  uint64_t path_left_ = 0;
};

class ZooKeeperReplies final : public MessageFramer {
 public:
  [[nodiscard]] int32_t xid() const { return xid_; }

 private:
  [[nodiscard]] size_t HeaderBytes() const override;
  int64_t Begin(std::string_view header) override;
  void Body(std::string_view) override {}
  bool End() override { return true; }

  bool connected_ = false;
  int32_t xid_ = 0;
};

class ZooKeeperWire final : public Wire {
 public:
  FramePiece Next(Direction direction, std::string_view bytes) override;
  FrameName Name(Direction direction) override;
  void Sent(bool surplus) override;
  [[nodiscard]] size_t surplus() const override { return outstanding_.surplus(); }
  [[nodiscard]] bool full() const override { return outstanding_.full(); }

 private:
  ZooKeeperRequests requests_;
  ZooKeeperReplies replies_;
  OutstandingRequests outstanding_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_ZOOKEEPER_ZOOKEEPER_WIRE_H_
