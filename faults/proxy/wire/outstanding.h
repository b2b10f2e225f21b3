// The requests of a connection that wait for a reply.
#ifndef DOUBLEHOLD_FAULTS_PROXY_WIRE_OUTSTANDING_H_
#define DOUBLEHOLD_FAULTS_PROXY_WIRE_OUTSTANDING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "faults/proxy/wire/wire.h"
#include "lib/base/key_mark.h"

namespace doublehold {

// A name that arrives in parts, in upper case. A name longer than kMaxBytes is empty, because no
// rule names it.
class FrameWord {
 public:
  static constexpr size_t kMaxBytes = 64;

  FrameWord() = default;
  explicit FrameWord(std::string_view text) { Add(text); }
  void Add(std::string_view text);
  void Clear() { bytes_ = 0; }
  [[nodiscard]] bool empty() const { return bytes_ == 0; }
  [[nodiscard]] std::string_view view() const {
    return {text_.data(), bytes_ > kMaxBytes ? 0 : bytes_};
  }

 private:
  size_t bytes_ = 0;
  std::array<char, kMaxBytes> text_{};
};

struct OutstandingRequest {
  FrameWord name;
  KeyMark key;
  int32_t id = 0;  // the number by which its reply names the request, if the protocol has one
  bool surplus = false;
};

// Not thread-safe.
class OutstandingRequests {
 public:
  // Limit of outstanding replies. When it is reached, the proxy stops reading from the client.
  static constexpr size_t kMax = 65'536;

  void Add(const OutstandingRequest& request);
  // The oldest request, or null.
  [[nodiscard]] const OutstandingRequest* first() const {
    return requests_.empty() ? nullptr : &requests_.front();
  }
  // Removes the oldest request, and returns the name of its reply: empty if no request waits. The
  // name is valid until the next call.
  FrameName Take();
  // The same for the oldest request with this id.
  FrameName Take(int32_t id);
  // No later reply has a name.
  void Forget();

  [[nodiscard]] size_t surplus() const { return surplus_; }
  [[nodiscard]] bool full() const { return requests_.size() >= kMax; }

 private:
  FrameName TakeAt(std::deque<OutstandingRequest>::iterator at);

  std::deque<OutstandingRequest> requests_;
  OutstandingRequest taken_;
  size_t surplus_ = 0;
  bool forgotten_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_WIRE_OUTSTANDING_H_
