#include "checker/evidence/unknown_outcomes.h"

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

Op FailedOp(const Event& error) {
  constexpr std::array kOps{Op::kAcquire, Op::kRelease, Op::kExtend};
  return kOps[static_cast<size_t>(std::clamp<int64_t>(error.value[1], 0, kOps.size() - 1))];
}

}  // namespace

std::string_view Describe(UnknownWhy why) {
  constexpr std::array<std::string_view, 3> kTexts{
      "was not answered", "was answered with an error",
      "had no grant to release, because its acquire was answered with an error"};
  return kTexts[static_cast<size_t>(why)];
}

void ErrorAnswers::Add(const Event& event) {
  if (event.op == Op::kDriverError)
    latest_[SessionOf(event)] = {.op = FailedOp(event), .sent_ns = event.at_ns - event.value[0]};
}

UnknownWhy ErrorAnswers::WhyUnknown(const Event& answer, int64_t from_ns) {
  const auto latest = latest_.find(SessionOf(answer));
  if (latest == latest_.end()) return UnknownWhy::kNoAnswer;
  if (latest->second.op == answer.op && latest->second.sent_ns >= from_ns) {
    if (answer.op == Op::kAcquire && answer.hold != 0) without_grant_.insert(answer.hold);
    return UnknownWhy::kError;
  }
  const bool not_sent = answer.op == Op::kRelease && without_grant_.contains(answer.hold);
  return not_sent ? UnknownWhy::kNotSent : UnknownWhy::kNoAnswer;
}

}  // namespace doublehold
