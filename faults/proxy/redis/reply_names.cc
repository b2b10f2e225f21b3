#include "faults/proxy/redis/reply_names.h"

#include <algorithm>
#include <cstring>

namespace doublehold {
namespace {

constexpr KeyMark kClientReply = KeyMark::Of("REPLY");

constexpr std::array<std::string_view, 6> kSubscriptionWords{
    "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"};

// Returns the constant that equals `word` if `word` is a subscription command, else an empty text.
std::string_view SubscriptionWord(std::string_view word) {
  const auto* found = std::find(kSubscriptionWords.begin(), kSubscriptionWords.end(), word);
  return found == kSubscriptionWords.end() ? std::string_view{} : *found;
}

bool IsMessage(std::string_view word) {
  return word == "MESSAGE" || word == "PMESSAGE" || word == "SMESSAGE";
}

// Commands that cannot be sent twice. Most of them change how the connection replies, or end the
// connection. MULTI does not nest.
constexpr std::array<std::string_view, 9> kOnce{"CLIENT", "MONITOR", "MULTI",    "PSYNC", "QUIT",
                                                "RESET",  "SYNC",    "REPLCONF", "HELLO"};

bool EndsTransaction(std::string_view command) {
  return command == "EXEC" || command == "DISCARD" || command == "RESET";
}

}  // namespace

bool IsRepeatable(std::string_view command) {
  return SubscriptionWord(command).empty() &&
         std::find(kOnce.begin(), kOnce.end(), command) == kOnce.end();
}

bool ReplyNames::Repeatable(std::string_view command) const {
  return followed_ && !command.empty() && IsRepeatable(command) &&
         (!in_transaction_ || EndsTransaction(command));
}

void ReplyNames::Sent(std::string_view command, int64_t words, KeyMark key, bool surplus) {
  if (!followed_) return;
  if (command == "MULTI") in_transaction_ = true;
  if (EndsTransaction(command)) in_transaction_ = false;
  if (command == "CLIENT" && key == kClientReply) {
    followed_ = false;
    return;  // CLIENT REPLY OFF and SKIP have no reply, and the reply to ON gets no name
  }
  if (command == kReplication || command == "SYNC") streams_ = true;
  if (command == "MONITOR" || streams_) followed_ = false;
  Slot slot;
  slot.key = key;
  slot.surplus = surplus;
  if (surplus) ++surplus_;
  slot.bytes = static_cast<uint8_t>(std::min(command.size(), slot.name.size()));
  std::memcpy(slot.name.data(), command.data(), slot.bytes);
  if (!SubscriptionWord(command).empty()) {
    publishes_ = true;
    slot.replies = words - 1;
  }
  slots_.push_back(slot);
}

FrameName ReplyNames::Take(const RespFramer& reply) {
  const bool pushed = reply.type() == '>';
  if (pushed || (publishes_ && reply.type() == '*')) {
    if (IsMessage(reply.word())) return {.name = "MESSAGE"};
    const std::string_view word = SubscriptionWord(reply.word());
    if (!word.empty()) return {.name = Confirm(word)};
    if (pushed) return {.name = "MESSAGE"};
  }
  while (outstanding() > 0 && slots_[first_].replies == 0) Pop();
  if (outstanding() == 0) return {};
  taken_ = slots_[first_];
  Pop();  // removes the slot of a SUBSCRIBE of several channels too: an error is its only reply
  return {.name = taken_.view(), .key = taken_.key, .surplus = taken_.surplus};
}

void ReplyNames::Forget() {
  followed_ = false;
  surplus_ = 0;
  slots_.clear();
  first_ = 0;
}

// Counts one confirmation of a subscription. The slot stays until all confirmations of its command
// have arrived.
std::string_view ReplyNames::Confirm(std::string_view word) {
  while (outstanding() > 0 && slots_[first_].replies == 0 && slots_[first_].view() != word) Pop();
  if (outstanding() == 0 || slots_[first_].view() != word) return word;
  Slot& slot = slots_[first_];
  if (slot.replies > 0 && --slot.replies == 0) Pop();
  return word;
}

void ReplyNames::Pop() {
  if (slots_[first_].surplus) --surplus_;
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
