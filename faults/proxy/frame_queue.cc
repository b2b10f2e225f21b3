#include "faults/proxy/frame_queue.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr MonoTime kNotYet = MonoTime::max();
constexpr size_t kCompactBytes = 65'536;  // for fewer bytes the move costs more than it saves

// Returns how long `bytes` take at the rule's pace.
Duration TimeAtPace(size_t bytes, const LinkRule& rule) {
  return rule.gap * static_cast<int64_t>(bytes) / rule.bytes;
}

}  // namespace

void FrameQueue::Add(std::string_view bytes, MonoTime now) {
  while (!bytes.empty() && !reset_pending_ && torn_by_ == nullptr) {
    const FramePiece piece = wire_.Next(direction_, bytes);
    if (piece.named) DecideWhenNamed(piece, now);
    if (!decision_.dropped && !reset_pending_) {
      Append(bytes.substr(0, piece.bytes), now, piece.ends);
    }
    if (piece.ends) FrameEnded(now);
    bytes.remove_prefix(piece.bytes);
  }
}

// Decides about the current frame once its name is known. If a rule names a key, waits until the
// frame's key is known too.
void FrameQueue::DecideWhenNamed(const FramePiece& piece, MonoTime now) {
  if (!decided_ && (piece.keyed || !rules_.by_key(direction_))) {
    decided_ = true;
    if (!piece.silent) Decide(Name(), piece.raw);
    Resolve(now);
  }
  if (decided_ && piece.keyed && !counted_) Count(piece);
}

void FrameQueue::Pass(std::string_view bytes) {
  CHECK(idle());
  while (!bytes.empty()) {
    decided_ = true;
    const FramePiece piece = wire_.Next(direction_, bytes);
    if (piece.keyed && !counted_) Count(piece);
    if (piece.ends) FrameEnded({});
    bytes.remove_prefix(piece.bytes);
  }
}

void FrameQueue::AddPassed(std::string_view bytes, MonoTime now) {
  buffer_.append(bytes);
  parts_.push_back({.bytes = bytes.size(), .rule = nullptr, .arrived = now, .due = now});
}

// Returns the name of the current frame. Naming a reply also counts it.
FrameName FrameQueue::Name() {
  if (direction_ == Direction::kReply) counted_ = true;
  return wire_.Name(direction_);
}

// Decides what happens to the current frame: the first rule that matches decides.
void FrameQueue::Decide(const FrameName& frame, bool raw) {
  if (frame.surplus) {
    decision_.dropped = true;
    return;
  }
  std::shared_ptr<ActiveRule> rule = rules_.Match(direction_, frame);
  if (rule == nullptr) return;
  rule->Take();
  switch (rule->spec().action) {
    case LinkRule::Action::kDelay:
      decision_.delay = rule->DrawDelay();
      break;
    case LinkRule::Action::kHold:
      decision_.held = true;
      break;
    case LinkRule::Action::kDrop:
      decision_.dropped = true;
      decision_.resets = raw && rule->spec().limit > 0;
      if (raw && !decision_.resets) torn_by_ = rule;
      break;
    case LinkRule::Action::kReset:
      decision_.dropped = decision_.resets = true;
      break;
    case LinkRule::Action::kDuplicate:
      decision_.twice = true;
      break;
    case LinkRule::Action::kPace:
      decision_.paced = true;
      break;
    case LinkRule::Action::kWatch:
      CHECK(false);  // kWatch rules never match a frame
  }
  decision_.rule = std::move(rule);
}

// Counts the current frame among requests and replies. A dropped request is not counted, because it
// gets no reply.
void FrameQueue::Count(const FramePiece& piece) {
  counted_ = true;
  if (direction_ == Direction::kReply) {
    [[maybe_unused]] const FrameName taken = Name();
  } else if (!piece.silent && !decision_.dropped) {
    wire_.Sent(/*surplus=*/false);
  }
}

// Applies the decision to the part of the frame that has already arrived.
void FrameQueue::Resolve(MonoTime now) {
  if (!parts_.empty() && !parts_.back().decided) {
    Part& part = parts_.back();
    if (decision_.dropped) {
      buffer_.resize(buffer_.size() - part.bytes);
      parts_.pop_back();
    } else {
      part.decided = true;
      part.rule = decision_.rule;
      Schedule(part);
      if (decision_.twice) Copy(std::string_view(buffer_).substr(buffer_.size() - part.bytes));
    }
  }
  if (decision_.resets) ResetAt(now, decision_.rule);
}

void FrameQueue::ResetAt(MonoTime now, std::shared_ptr<ActiveRule> rule) {
  reset_pending_ = true;
  parts_.push_back({.rule = std::move(rule), .arrived = now, .due = now, .reset = true});
}

void FrameQueue::FrameEnded(MonoTime now) {
  ++frames_;
  if (decision_.twice) SendCopy(now);
  if (decision_.dropped && decision_.rule != nullptr && !reset_pending_) decision_.rule->Gone();
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
  if (decision_.twice) Copy(bytes);
  if (!parts_.empty() && !parts_.back().reset && parts_.back().decided == decided_ &&
      parts_.back().rule == nullptr && decision_.rule == nullptr) {
    parts_.back().bytes += bytes.size();
    return;
  }
  Part part;
  part.bytes = bytes.size();
  part.rule = decision_.rule;
  part.arrived = now;
  part.due = kNotYet;
  part.decided = decided_;
  part.ends = ends && decision_.rule != nullptr && !decision_.twice;
  if (decided_) Schedule(part);
  parts_.push_back(std::move(part));
}

void FrameQueue::Copy(std::string_view bytes) {
  if (copy_.size() + bytes.size() <= kMaxPendingBytes) {
    copy_.append(bytes);
    return;
  }
  decision_.rule->GiveUp();
  decision_ = {};
  copy_.clear();
}

void FrameQueue::SendCopy(MonoTime now) {
  wire_.Sent(/*surplus=*/true);
  buffer_.append(copy_);
  Part part;
  part.bytes = copy_.size();
  part.rule = decision_.rule;
  part.arrived = now;
  part.due = now;
  part.ends = true;
  parts_.push_back(std::move(part));
  copy_.clear();
}

// Sets the time at which a part of a decided frame must be sent.
void FrameQueue::Schedule(Part& part) {
  part.due = decision_.held ? kNotYet : part.arrived + decision_.delay;
  if (!decision_.paced) return;
  part.paced = true;
  part.due = std::max(part.arrived, paced_until_);
  paced_until_ = part.due + TimeAtPace(part.bytes, decision_.rule->spec());
}

void FrameQueue::EndOfStream(MonoTime now) {
  if (!parts_.empty() && !parts_.back().decided) {
    parts_.back().decided = true;
    parts_.back().due = now;
  }
  if (decision_.rule == nullptr || reset_pending_) return;
  if (decision_.twice) {
    decision_.rule->GiveUp();
    copy_.clear();
  } else if (!parts_.empty() && parts_.back().rule == decision_.rule && !parts_.back().ends) {
    parts_.back().ends = true;
  } else {
    decision_.rule->Gone();
  }
  decision_ = {};
}

std::string_view FrameQueue::Due(MonoTime now) const {
  size_t bytes = 0;
  for (const Part& part : parts_) {
    const size_t due = BytesDue(part, now);
    bytes += due;
    if (due < part.bytes || part.reset) break;
  }
  return {buffer_.data() + first_, bytes};
}

size_t FrameQueue::BytesDue(const Part& part, MonoTime now) {
  if (!part.decided || part.reset || part.due > now) return 0;
  if (!part.paced) return part.bytes;
  const LinkRule& spec = part.rule->spec();
  const Duration passed = now - part.due;
  if (passed >= TimeAtPace(part.sent + part.bytes, spec)) return part.bytes;
  const auto due = static_cast<size_t>(passed / spec.gap * spec.bytes);
  return due > part.sent ? std::min(due - part.sent, part.bytes) : 0;
}

MonoTime FrameQueue::NextDueInPart(const Part& part) {
  if (!part.paced) return part.due;
  const LinkRule& spec = part.rule->spec();
  const int64_t next = static_cast<int64_t>(part.sent) / spec.bytes + 1;
  return part.due + std::min(TimeAtPace(part.sent + part.bytes, spec), spec.gap * next);
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
    part.sent += taken;
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
  return NextDueInPart(parts_.front());
}

void FrameQueue::Release(const ActiveRule& rule, MonoTime now) {
  for (Part& part : parts_) {
    if (part.rule.get() != &rule) continue;
    part.due = std::min(part.due, now);
    part.paced = false;
  }
  if (decision_.rule.get() == &rule) {
    decision_.held = false;
    decision_.paced = false;
    decision_.delay = Duration{};
  }
  if (rule.spec().action == LinkRule::Action::kPace) paced_until_ = MonoTime{};
  if (torn_by_.get() != &rule) return;
  torn_by_ = nullptr;
  ResetAt(now, nullptr);
}

void FrameQueue::Discard() {
  for (const Part& part : parts_) {
    if (part.rule != nullptr && (part.ends || part.reset)) part.rule->Gone();
  }
  if (decision_.twice) {
    decision_.rule->GiveUp();
  } else if (decision_.rule != nullptr && !reset_pending_) {
    decision_.rule->Gone();
  }
  decision_ = {};
  copy_.clear();
  parts_.clear();
  buffer_.clear();
  first_ = 0;
}

}  // namespace doublehold
