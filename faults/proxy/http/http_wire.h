// HTTP/1.1, as etcd's JSON gateway speaks it. The name of a request is its path in upper case
// ("/V3/KV/TXN"). Frames have no key. Replies come in the order of the requests.
//
// A reply is one frame. A streamed reply is a frame for its head and one for each chunk, all with
// the name of the request. Streamed are chunked replies of watches, and chunked replies to chunked
// requests. Frames of HTTP/2, and frames after CONNECT or an upgrade, have no names.
#ifndef DOUBLEHOLD_FAULTS_PROXY_HTTP_HTTP_WIRE_H_
#define DOUBLEHOLD_FAULTS_PROXY_HTTP_HTTP_WIRE_H_

#include <string_view>

#include "faults/proxy/http/http_framer.h"
#include "faults/proxy/wire/outstanding.h"
#include "faults/proxy/wire/wire.h"

namespace doublehold {

class HttpWire final : public Wire {
 public:
  FramePiece Next(Direction direction, std::string_view bytes) override;
  FrameName Name(Direction direction) override;
  void Sent(bool surplus) override;
  [[nodiscard]] size_t surplus() const override { return outstanding_.surplus(); }
  [[nodiscard]] bool full() const override { return outstanding_.full(); }

 private:
  using Form = HttpFramer::Form;

  HttpFramer requests_{HttpFramer::Side::kRequests};
  HttpFramer replies_{HttpFramer::Side::kReplies};
  OutstandingRequests outstanding_;
  FrameName reply_;  // of the current reply, valid until the next is taken
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_HTTP_HTTP_WIRE_H_
