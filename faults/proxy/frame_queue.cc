#include "faults/proxy/frame_queue.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr MonoTime kNotYet = MonoTime::max();
constexpr size_t kCompactBytes = 65'536;  // less than this is not worth moving bytes for

}  // namespace

FrameQueue::FrameQueue(Direction direction, const LinkRules& rules, ReplyNames& names, Prng& prng)
    : direction_(direction),
      rules_(rules),
      names_(names),
      prng_(prng),
      framer_(direction == Direction::kRequest ? RespFramer::Side::kCommands
                                               : RespFramer::Side::kReplies) {}

void FrameQueue::Add(std::string_view bytes, MonoTime now) {
  while (!bytes.empty() && !reset_pending_) {
    if (names_.streams()) framer_.GiveUp();
    const RespFramer::Piece piece = framer_.Next(bytes);
    if (framer_.named()) {
      if (!decided_) {
        Decide();
        Resolve(now);
      }
      if (!counted_) Count();
    }
    if (!decision_.dropped && !reset_pending_) {
      Append(bytes.substr(0, piece.bytes), now, piece.ends);
    }
    if (piece.ends) FrameEnded();
    bytes.remove_prefix(piece.bytes);
  }
}

void FrameQueue::Pass(std::string_view bytes) {
  CHECK(idle());
  while (!bytes.empty()) {
    decided_ = true;
    if (names_.streams()) framer_.GiveUp();
    const RespFramer::Piece piece = framer_.Next(bytes);
    if (framer_.named() && !counted_) Count();
    if (piece.ends) FrameEnded();
    bytes.remove_prefix(piece.bytes);
  }
}

void FrameQueue::AddPassed(std::string_view bytes, MonoTime now) {
  buffer_.append(bytes);
  parts_.push_back({.bytes = bytes.size(), .rule = nullptr, .arrived = now, .due = now});
}

// What becomes of the current frame, by the first rule that matches its name.
void FrameQueue::Decide() {
  decided_ = true;
  std::string_view name;
  if (names_.streams() && framer_.lost()) {
    name = kReplication;
  } else if (direction_ == Direction::kReply) {
    counted_ = true;
    if (!framer_.lost()) name = names_.Take(framer_);
  } else {
    if (!framer_.lost() && !IsCommand()) return;  // an empty line is no frame to anybody
    name = framer_.word();
  }
  std::shared_ptr<ActiveRule> rule = rules_.Match(direction_, name);
  if (rule == nullptr) return;
  rule->Take();
  const LinkRule& spec = rule->spec();
  switch (spec.action) {
    case LinkRule::Action::kDelay:
      decision_.delay = std::max(Duration{}, spec.delay + prng_.Between(-spec.jitter, spec.jitter));
      break;
    case LinkRule::Action::kHold:
      decision_.held = true;
      break;
    case LinkRule::Action::kDrop:
    case LinkRule::Action::kReset:
      decision_.dropped = true;
      break;
  }
  decision_.rule = std::move(rule);
}

bool FrameQueue::IsCommand() const { return !framer_.lost() && framer_.elements() > 0; }

// Takes the frame's place among commands and replies. A command that is dropped gets no reply.
void FrameQueue::Count() {
  counted_ = true;
  if (direction_ == Direction::kReply) {
    if (!framer_.lost()) names_.Take(framer_);
  } else if (IsCommand() && !decision_.dropped) {
    names_.Sent(framer_.word(), framer_.elements());
  }
}

// Applies the decision to what of the frame waited for it.
void FrameQueue::Resolve(MonoTime now) {
  if (!parts_.empty() && !parts_.back().decided) {
    Part& part = parts_.back();
    if (decision_.dropped) {
      buffer_.resize(buffer_.size() - part.bytes);
      parts_.pop_back();
    } else {
      part.decided = true;
      part.rule = decision_.rule;
      part.due = DueOf(part.arrived);
    }
  }
  if (decision_.dropped && decision_.rule->spec().action == LinkRule::Action::kReset) {
    reset_pending_ = true;
    parts_.push_back({.rule = decision_.rule, .arrived = now, .due = now, .reset = true});
  }
}

void FrameQueue::FrameEnded() {
  if (decision_.dropped && !reset_pending_) decision_.rule->Gone();
  decision_ = {};
  decided_ = false;
  counted_ = false;
}

void FrameQueue::Append(std::string_view bytes, MonoTime now, bool ends) {
  if (first_ >= kCompactBytes && first_ * 2 >= buffer_.size()) {
    buffer_.erase(0, first_);
    first_ = 0;
  }
  buffer_.append(bytes);
  if (!parts_.empty() && !parts_.back().reset && parts_.back().decided == decided_ &&
      parts_.back().rule == nullptr && decision_.rule == nullptr) {
    parts_.back().bytes += bytes.size();
    return;
  }
  Part part;
  part.bytes = bytes.size();
  part.rule = decision_.rule;
  part.arrived = now;
  part.due = decided_ ? DueOf(now) : kNotYet;
  part.decided = decided_;
  part.ends = ends && decision_.rule != nullptr;
  parts_.push_back(std::move(part));
}

MonoTime FrameQueue::DueOf(MonoTime arrived) const {
  return decision_.held ? kNotYet : arrived + decision_.delay;
}

void FrameQueue::EndOfStream(MonoTime now) {
  if (!parts_.empty() && !parts_.back().decided) {
    parts_.back().decided = true;
    parts_.back().due = now;
  }
  if (decision_.rule == nullptr || reset_pending_) return;
  if (!parts_.empty() && parts_.back().rule == decision_.rule && !parts_.back().ends) {
    parts_.back().ends = true;
  } else {
    decision_.rule->Gone();
  }
  decision_ = {};
}

std::string_view FrameQueue::Due(MonoTime now) const {
  size_t bytes = 0;
  for (const Part& part : parts_) {
    if (!part.decided || part.reset || part.due > now) break;
    bytes += part.bytes;
  }
  return {buffer_.data() + first_, bytes};
}

void FrameQueue::Sent(size_t bytes, MonoTime now) {
  first_ += bytes;
  if (first_ == buffer_.size()) {
    buffer_.clear();
    first_ = 0;
  }
  while (bytes > 0) {
    Part& part = parts_.front();
    const size_t taken = std::min(bytes, part.bytes);
    part.bytes -= taken;
    bytes -= taken;
    if (part.bytes > 0) return;
    if (part.rule != nullptr) {
      part.rule->Measured(now - part.arrived);
      if (part.ends) part.rule->Gone();
    }
    parts_.pop_front();
  }
}

bool FrameQueue::ResetDue(MonoTime now) const {
  return !parts_.empty() && parts_.front().reset && parts_.front().due <= now;
}

std::optional<MonoTime> FrameQueue::NextDue() const {
  if (parts_.empty() || parts_.front().due == kNotYet) return std::nullopt;
  return parts_.front().due;
}

void FrameQueue::Release(const ActiveRule& rule, MonoTime now) {
  for (Part& part : parts_) {
    if (part.rule.get() == &rule) part.due = std::min(part.due, now);
  }
  if (decision_.rule.get() == &rule) {
    decision_.held = false;
    decision_.delay = Duration{};
  }
}

void FrameQueue::Discard() {
  for (const Part& part : parts_) {
    if (part.rule != nullptr && (part.ends || part.reset)) part.rule->Gone();
  }
  if (decision_.rule != nullptr && !reset_pending_) decision_.rule->Gone();
  decision_ = {};
  parts_.clear();
  buffer_.clear();
  first_ = 0;
}

}  // namespace doublehold
