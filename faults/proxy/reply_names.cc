#include "faults/proxy/reply_names.h"

#include <algorithm>
#include <cstring>

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 6> kSubscriptionWords{
    "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"};

// The word as a constant, or empty when it is none of these.
std::string_view SubscriptionWord(std::string_view word) {
  const auto* found = std::find(kSubscriptionWords.begin(), kSubscriptionWords.end(), word);
  return found == kSubscriptionWords.end() ? std::string_view{} : *found;
}

bool IsMessage(std::string_view word) {
  return word == "MESSAGE" || word == "PMESSAGE" || word == "SMESSAGE";
}

}  // namespace

void ReplyNames::Sent(std::string_view command, int64_t words) {
  if (command == kReplication || command == "SYNC") streams_ = true;
  Slot slot;
  slot.bytes = static_cast<uint8_t>(std::min(command.size(), slot.name.size()));
  std::memcpy(slot.name.data(), command.data(), slot.bytes);
  if (!SubscriptionWord(command).empty()) {
    publishes_ = true;
    slot.replies = words - 1;
  }
  slots_.push_back(slot);
}

std::string_view ReplyNames::Take(const RespFramer& reply) {
  const bool pushed = reply.type() == '>';
  if (pushed || (publishes_ && reply.type() == '*')) {
    if (IsMessage(reply.word())) return "MESSAGE";
    const std::string_view word = SubscriptionWord(reply.word());
    if (!word.empty()) return Confirm(word);
    if (pushed) return "MESSAGE";
  }
  while (outstanding() > 0 && slots_[first_].replies == 0) Pop();
  if (outstanding() == 0) return {};
  taken_ = slots_[first_];
  Pop();  // also a SUBSCRIBE of several channels that is answered by one error
  return taken_.view();
}

// One subscription was made or ended. The slot stays for as many more as its command asked for.
std::string_view ReplyNames::Confirm(std::string_view word) {
  while (outstanding() > 0 && slots_[first_].replies == 0 && slots_[first_].view() != word) Pop();
  if (outstanding() == 0 || slots_[first_].view() != word) return word;
  Slot& slot = slots_[first_];
  if (slot.replies > 0 && --slot.replies == 0) Pop();
  return word;
}

void ReplyNames::Pop() {
  ++first_;
  if (first_ == slots_.size()) {
    slots_.clear();
    first_ = 0;
  } else if (first_ >= 1024 && first_ * 2 >= slots_.size()) {
    slots_.erase(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace doublehold
