#include "faults/proxy/wire/outstanding.h"

#include <algorithm>

namespace doublehold {

void FrameWord::Add(std::string_view text) {
  for (const char c : text) {
    if (bytes_ < kMaxBytes) {
      text_[bytes_] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    bytes_ = std::min(bytes_ + 1, kMaxBytes + 1);
  }
}

void OutstandingRequests::Add(const OutstandingRequest& request) {
  if (forgotten_) return;
  if (request.surplus) ++surplus_;
  requests_.push_back(request);
}

FrameName OutstandingRequests::Take() { return TakeAt(requests_.begin()); }

FrameName OutstandingRequests::Take(int32_t id) {
  return TakeAt(std::ranges::find(requests_, id, &OutstandingRequest::id));
}

FrameName OutstandingRequests::TakeAt(std::deque<OutstandingRequest>::iterator at) {
  if (at == requests_.end()) return {};
  taken_ = *at;
  requests_.erase(at);
  if (taken_.surplus) --surplus_;
  return {.name = taken_.name.view(), .key = taken_.key, .surplus = taken_.surplus};
}

void OutstandingRequests::Forget() {
  forgotten_ = true;
  requests_.clear();
  surplus_ = 0;
}

}  // namespace doublehold
