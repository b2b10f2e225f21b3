#include "checker/explain/refine_sentence.h"

#include <fmt/format.h>

#include <string>

#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// A release that freed another owner's lock, and the hold that the release ended.
struct ForeignRelease {
  const Hold* hold = nullptr;
  Span when;
  bool led_to_others = false;  // the owner of that lock then freed a further owner's lock
};

bool WasLate(const ForeignRelease& release) {
  const Hold& hold = *release.hold;
  return hold.ExpiredBefore(release.when.from_ns);
}

// Finds the first release of a chain of foreign releases. The hold of the result is null if the
// history does not show the first release.
ForeignRelease FindFirstRelease(const ViolationContext& record, uint64_t hold, Span when) {
  ForeignRelease release{.hold = record.holds.Find(hold), .when = when};
  while (release.hold != nullptr && !WasLate(release)) {
    const auto lost = record.freed.find(release.hold->hold);
    if (lost == record.freed.end() || lost->second.when.from_ns >= release.when.from_ns) return {};
    release = {record.holds.Find(lost->second.by), lost->second.when, true};
  }
  return release;
}

struct RefinedText {
  std::string text;
  int32_t fault = -1;
};

std::optional<RefinedText> DescribeFirstRelease(const ViolationContext& record,
                                                const Explanation& why,
                                                const Violation& violation) {
  if (why.calls.size() > 1) return std::nullopt;  // it is unknown which call freed the lock
  ForeignRelease origin;
  if (!why.calls.empty()) {
    const Call& call = *why.calls.front();
    origin = FindFirstRelease(record, call.hold, {call.from_ns, call.to_ns});
  } else if (violation.first) {
    origin = FindFirstRelease(record, violation.first->hold, {violation.from_ns, violation.to_ns});
  }
  if (origin.hold == nullptr) return std::nullopt;
  const int64_t at_ns = origin.when.from_ns;
  const StaleStory story = TellStale(record.disturbances, *origin.hold, 0, at_ns, at_ns);
  if (story.explained_by_stall) return std::nullopt;
  return RefinedText{
      fmt::format("{}; it released the key at {}, and freed another's lock{}{}", story.text,
                  At(at_ns), origin.led_to_others ? ", and that one the next's" : "", story.suffix),
      story.fault};
}

std::optional<RefinedText> DescribeCause(const ViolationContext& record, const Explanation& why,
                                         const Violation& violation) {
  if (why.cause == Cause::kUnexplained || why.cause == Cause::kNoLock) return std::nullopt;
  if (why.cause == Cause::kForeignRelease) return DescribeFirstRelease(record, why, violation);
  if (why.episodes.empty()) return std::nullopt;
  return RefinedText{FaultsClause(record.disturbances, why.episodes), why.episodes.front()->fault};
}

}  // namespace

void NameFaultsBehind(const ViolationContext& record, const Explanation& why,
                      Violation& violation) {
  if (!violation.before_faults || violation.explained_by_stall) return;
  const std::optional<RefinedText> refined = DescribeCause(record, why, violation);
  if (!refined) return;
  violation.sentence = *violation.before_faults + refined->text;
  violation.fault = refined->fault;
}

}  // namespace doublehold
