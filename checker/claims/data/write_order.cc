#include "checker/claims/data/write_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace doublehold {

void WriteOrder::Confirm(const Event& write, const std::optional<Event>& read) {
  const std::optional<Pending> pending = TakePending(SessionOf(write));
  // The write is already in the order, because a later read returned its value.
  if (pending && pending->took_effect) return MarkConfirmed(write);
  const bool is_its = read && read->value[0] == write.value[0];
  NoteRead(write.value[0], is_its ? read->at_ns : write.at_ns);
  const int64_t from_ns = pending ? pending->invoked.at_ns : write.at_ns;
  Append({.write = write,
          .read = is_its ? read : std::nullopt,
          .when = {from_ns, write.at_ns},
          .over = {}});
}

int64_t WriteOrder::InvokedNs(const Event& answer) const {
  const auto found = std::ranges::find_if(pending_, [&answer](const Pending& one) {
    return one.invoked.hold == answer.hold && SessionOf(one.invoked) == SessionOf(answer);
  });
  return found == pending_.end() ? answer.at_ns : found->invoked.at_ns;
}

std::optional<WriteOrder::Pending> WriteOrder::TakePending(const SessionId& session) {
  for (auto it = pending_.rbegin(); it != pending_.rend(); ++it) {
    if (SessionOf(it->invoked) != session) continue;
    const Pending pending = *it;
    pending_.erase(std::next(it).base());
    return pending;
  }
  return std::nullopt;
}

void WriteOrder::NoteRead(int64_t read, int64_t at_ns) {
  if (read == now_.stock) return TookEffectBy(at_ns);
  if (!AppendPendingWrite(read, at_ns)) MoveLast(read);
}

// Handles a read at `at_ns` that returned the value of the last write. This write took effect by
// `at_ns`, so it is not moved behind writes that began later. If another write in `recent_` left
// the same value, the read may have returned the value of that write, and proves nothing.
void WriteOrder::TookEffectBy(int64_t at_ns) {
  const auto left_the_same = [this](const Written& one) {
    return one.write.value[1] == now_.stock;
  };
  if (std::ranges::count_if(recent_, left_the_same) != 1) return;
  Span& when = recent_.back().when;
  when.to_ns = std::max(when.from_ns, std::min(when.to_ns, at_ns));
}

// Appends a pending write that explains the value read at `at_ns`, and returns true. This write
// took effect by `at_ns`, over the current stock. Returns false if there is no such write.
bool WriteOrder::AppendPendingWrite(int64_t read, int64_t at_ns) {
  for (Pending& pending : pending_) {
    if (pending.took_effect || pending.invoked.value[1] != read) continue;
    pending.took_effect = true;
    Event write = pending.invoked;
    write.at_ns = std::max(write.at_ns, at_ns);
    Append({.write = write,
            .read = std::nullopt,
            .when = {pending.invoked.at_ns, write.at_ns},
            .over = {},
            .sold = false});
    return true;
  }
  return false;
}

// Marks as confirmed a write that was appended before its answer.
void WriteOrder::MarkConfirmed(const Event& write) {
  const auto is_it = [&write](const Event& one) {
    return one.hold == write.hold && SessionOf(one) == SessionOf(write) &&
           one.value[1] == write.value[1];
  };
  for (Written& written : recent_) written.sold = written.sold || is_it(written.write);
  for (Overwrite& overwrite : overwrites_)
    overwrite.sold = overwrite.sold || is_it(overwrite.write);
}

// Moves a write to the end of the order: the last write that left the value `read` and is
// concurrent with every write after it. Does nothing if there is no such write.
void WriteOrder::MoveLast(int64_t read) {
  int64_t latest_ns = INT64_MIN;  // the latest start among the writes after `place`
  for (size_t place = recent_.size(); place-- > 0;) {
    const Span& when = recent_[place].when;
    if (recent_[place].write.value[1] != read || when.to_ns < latest_ns) {
      latest_ns = std::max(latest_ns, when.from_ns);
      continue;
    }
    std::vector<Written> again(recent_.begin() + static_cast<std::ptrdiff_t>(place), recent_.end());
    for (size_t i = again.size(); i-- > 0;) Undo(again[i]);
    now_ = again.front().over;
    recent_.resize(place);
    std::ranges::rotate(again, again.begin() + 1);
    for (Written& written : again) Append(std::move(written));
    return;
  }
}

void WriteOrder::Append(Written written) {
  written.over = now_;
  written.overwrite.reset();
  if (written.write.value[0] != now_.stock) {
    written.overwrite = overwrites_.size();
    NoteOverwrite(written);
  }
  now_ = {written.write.value[1], written.write, written.when};
  recent_.push_back(std::move(written));
  if (recent_.size() > kMostMoved) recent_.pop_front();
}

void WriteOrder::NoteOverwrite(const Written& written) {
  Overwrite overwrite{.write = written.write,
                      .read = written.read,
                      .over = now_.last,
                      .over_when = now_.last_when,
                      .stock = now_.stock,
                      .from_ns = written.when.from_ns,
                      .sold = written.sold};
  overwrite.lost = written.write.value[1] - (now_.stock - 1);
  while (overwrite.lost < 0 && !costly_.empty()) {
    const size_t latest = *costly_.rbegin();
    Overwrite& earlier = overwrites_[latest];
    const int64_t back = std::min(earlier.lost, -overwrite.lost);
    earlier.lost -= back;
    overwrite.lost += back;
    overwrite.brought_back.emplace_back(latest, back);
    if (earlier.lost == 0) costly_.erase(latest);
  }
  if (overwrite.lost > 0) costly_.insert(overwrites_.size());
  overwrites_.push_back(std::move(overwrite));
}

// Marks the overwrite by this write as undone, and keeps it in the list. Its lost orders no longer
// count, and later writes cannot bring them back.
void WriteOrder::Undo(const Written& written) {
  if (!written.overwrite) return;
  Overwrite& overwrite = overwrites_[*written.overwrite];
  for (const auto& [place, orders] : overwrite.brought_back) {
    if (overwrites_[place].undone) continue;
    overwrites_[place].lost += orders;
    costly_.insert(place);
  }
  costly_.erase(*written.overwrite);
  overwrite.undone = true;
}

}  // namespace doublehold
