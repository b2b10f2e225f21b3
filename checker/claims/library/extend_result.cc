#include "checker/claims/library/extend_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "checker/evidence/claim_checker.h"
#include "checker/evidence/must_have.h"
#include "checker/evidence/names.h"
#include "checker/evidence/second_copies.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

class ExtendResultChecker : ClaimChecker {
 public:
  ExtendResultChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "extensions") {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("others may have been let in"))
      return std::move(found_).Undecided(*why);
    std::unordered_map<uint64_t, int64_t> asked_ns;  // of each hold's last extension
    for (const Event& event : evidence_.history().events) {
      if (event.op != Op::kExtend) continue;
      if (event.type == EventType::kInvoke) asked_ns[event.hold] = event.at_ns;
      const Hold* own = holds_.Find(event.hold);
      const auto asked = asked_ns.find(event.hold);
      if (own == nullptr || asked == asked_ns.end()) continue;
      const Span during{asked->second, event.at_ns};
      if (event.type == EventType::kOk) JudgeSuccess(*own, during);
      if (event.type == EventType::kFail) JudgeLoss(*own, during);
    }
    return std::move(found_).Conclude(
        {.nothing_judged = "no extension was answered while anybody certainly had its lock",
         .judged = Counted(found_.judged(), "extension"),
         .violated = "misreported whether its lock was lost",
         .valid = "each of {} reported truly whether its lock was lost"});
  }

 private:
  void JudgeSuccess(const Hold& own, const Span& during) {
    // If both must have it, the service granted it twice (the claim `lease-exclusion`).
    if (evidence_.must_have().UnlessItActs(own.key, own.owner(), during)) return found_.Judged();
    const bool alone = !evidence_.possessions().at(own.key).MeetsOther(own.owner(), during);
    const Hold* other = alone ? nullptr : FindOtherHold(own, during);
    // The extension may have been carried out before the grant, or after the release.
    const bool throughout = other != nullptr && Before(other->core.from_ns, during.from_ns) &&
                            Before(during.to_ns, other->core.to_ns);
    if (!throughout) return found_.PassedOver();
    const auto what = [&] {
      return fmt::format(
          "asked for an extension at {}, and it succeeded at {}, although {} had been granted the "
          "key at {}",
          At(during.from_ns), At(during.to_ns), OwnerName(disturbances_, other->owner()),
          At(other->core.from_ns));
    };
    const MustHave& must_have = evidence_.must_have();
    if (!must_have.Throughout(own.key, other->owner(), during)) {
      return Doubt(own, what(),
                   must_have.WhyNot(own.key, other->owner(), {other->asked_ns, during.to_ns})
                       .value_or(Why{.what = Why::What::kLease, .hold = other}));
    }
    if (const auto copy =
            MayBeFreedByCopy(evidence_, other->owner(), own.key, {other->asked_ns, during.to_ns}))
      return Doubt(own, what(), *copy);
    found_.Judged();
    found_.Violated(during.to_ns, [&] { return Describe(own, other, during, what()); });
  }

  void JudgeLoss(const Hold& own, const Span& during) {
    if (!evidence_.must_have().Throughout(own.key, own.owner(), during)) {
      const Hold* other = FindOtherHold(own, during);
      const bool is_true =
          other != nullptr && evidence_.must_have().Throughout(own.key, other->owner(), during);
      return is_true ? found_.Judged() : found_.PassedOver();
    }
    // The extension may have come after the release of its own entry, or after its lease, while
    // the session had another entry.
    if (!Before(during.to_ns, own.core.to_ns) || !own.LiveAt(during.to_ns))
      return found_.PassedOver();
    if (FindOtherHold(own, {own.core.from_ns, during.to_ns}) != nullptr)
      return found_.PassedOver();  // the service granted the key twice, so the loss may be true
    const std::string what = fmt::format(
        "asked for an extension at {}, and the answer at {} was that its lock was lost, although "
        "its lease still ran",
        At(during.from_ns), At(during.to_ns));
    const Possession* asked = evidence_.possessions().at(own.key).FindOther(
        own.owner(), {own.core.from_ns, during.to_ns});
    if (own.shared) return Doubt(own, what, {.what = Why::What::kShared});
    if (asked != nullptr) return Doubt(own, what, {Why::What::kGranted, asked->acquire});
    if (const auto delayed =
            evidence_.disturbed().MayDelayMessages(own.client, {own.asked_ns, during.to_ns}))
      return Doubt(own, what, *delayed);
    found_.Judged();
    found_.Violated(during.to_ns, [&] {
      return Describe(own, nullptr, during, what + " and no other client had been granted the key");
    });
  }

  // Returns the hold of another owner that excludes `own` and covers `when` or overlaps it; null if
  // there is none.
  [[nodiscard]] const Hold* FindOtherHold(const Hold& own, const Span& when) const {
    const Hold* found = nullptr;
    for (const Hold& other : holds_.all) {
      if (other.core.from_ns > when.to_ns) break;
      if (other.key != own.key || other.owner() == own.owner() || (other.shared && own.shared))
        continue;
      if (other.core.to_ns >= when.from_ns) found = &other;
    }
    return found;
  }

  void Doubt(const Hold& own, const std::string& what, const Why& why) {
    found_.Doubt(fmt::format("{} {}; that answer may be right: {}",
                             OwnerName(disturbances_, own.owner()), what,
                             WhyClause(disturbances_, why)));
  }

  [[nodiscard]] Violation Describe(const Hold& own, const Hold* other, const Span& during,
                                   const std::string& what) const {
    return DescribeWrongOperation(disturbances_, {.by = own.owner(),
                                                  .under = &own,
                                                  .harmed = other,
                                                  .key = own.key,
                                                  .when = during,
                                                  .what = what,
                                                  .of_service = true});
  }
};

}  // namespace

ClaimVerdict CheckExtendResult(const Evidence& evidence, const Limits& limits) {
  return ExtendResultChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
