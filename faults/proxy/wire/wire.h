// The protocol of one connection, as the proxy sees it: frames, their names, and which reply
// answers which request.
#ifndef DOUBLEHOLD_FAULTS_PROXY_WIRE_WIRE_H_
#define DOUBLEHOLD_FAULTS_PROXY_WIRE_WIRE_H_

#include <cstddef>
#include <string_view>

#include "faults/link.h"
#include "lib/base/key_mark.h"

namespace doublehold {

// The properties of a frame that rules match.
struct FrameName {
  std::string_view name;  // upper case; empty: unknown
  KeyMark key;
  bool surplus = false;     // the reply to the second copy of a duplicated request
  bool repeatable = false;  // a request that may be duplicated now
};

// The next bytes of a frame, and what is known about the frame so far.
struct FramePiece {
  size_t bytes = 0;     // at least 1
  bool ends = false;    // the frame ends with these bytes
  bool named = false;   // Wire::Name may be called; always true at the end of a frame
  bool keyed = false;   // the key is known too, or known to be absent; never true before `named`
  bool silent = false;  // an empty line: no request, so no rule acts on it
  // Bytes that are not of the protocol. Their messages are unknown, so losing some of them would
  // tear a message or the state that both sides share.
  bool raw = false;
};

// Splits both directions of a connection into frames. Each connection has its own object. Not
// thread-safe. Keeps no bytes of frames beyond their names.
//
// Bytes that are not of the protocol are never an error: from then on each chunk of their direction
// is a frame without a name.
class Wire {
 public:
  virtual ~Wire() = default;

  // Returns how many of `bytes`, which must not be empty, belong to the current frame.
  virtual FramePiece Next(Direction direction, std::string_view bytes) = 0;

  // The name of the frame of the last piece, valid until the next call. Call it exactly once for a
  // reply, because it removes the request that the reply answers.
  virtual FrameName Name(Direction direction) = 0;
  // Records that the request of the last piece is sent to the node. `surplus` means that it is the
  // second copy, whose reply the client does not expect.
  virtual void Sent(bool surplus) = 0;

  // The number of outstanding surplus replies.
  [[nodiscard]] virtual size_t surplus() const = 0;
  // Whether so many replies are outstanding that the proxy must stop reading requests.
  [[nodiscard]] virtual bool full() const = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_WIRE_WIRE_H_
