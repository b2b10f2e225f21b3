#include "checker/evidence/library_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "checker/evidence/disturbances.h"

namespace doublehold {
namespace {

constexpr std::array kAnsweredOps{Op::kAcquire, Op::kRelease, Op::kExtend};

// The calls of one session of a driver.
struct SessionState {
  // For each kind of call, the time of the invocation that is not answered yet. An acquire of
  // several keys is one call, though the history has it once for each key.
  std::array<std::optional<int64_t>, kAnsweredOps.size()> sent_ns{};
  // For each kind of call, whether the driver answered the current one with an error.
  std::array<bool, kAnsweredOps.size()> failed{};
  // An earlier call is unanswered. The session then sends nothing, and refuses further acquires.
  bool hangs = false;
};

class ErrorCount {
 public:
  explicit ErrorCount(const Evidence& evidence) : evidence_(evidence) {}

  void Add(const Event& event) {
    SessionState& session = sessions_[SessionOf(event)];
    if (event.op == Op::kLateReply && event.type == EventType::kOk) session.hangs = false;
    if (event.op == Op::kDriverError) return AddError(event, session);
    const auto kind =
        static_cast<size_t>(std::ranges::find(kAnsweredOps, event.op) - kAnsweredOps.begin());
    if (kind == kAnsweredOps.size()) return;
    if (event.type != EventType::kInvoke) return AddAnswer(event, kind, session);
    if (!session.sent_ns[kind]) session.sent_ns[kind] = event.at_ns;
  }

  LibraryErrors Finish() && {
    for (const auto& [id, session] : sessions_) {
      for (size_t kind = 0; kind < kAnsweredOps.size(); ++kind) {
        if (!session.sent_ns[kind]) continue;
        ++all_[kind].sent;
        ++all_[kind].undisturbed;
      }
    }
    return all_;
  }

 private:
  void AddError(const Event& event, SessionState& session) {
    const auto kind = static_cast<size_t>(std::clamp<int64_t>(event.value[1], 0, 2));
    CallErrors& of_kind = all_[kind];
    ++of_kind.errors;
    const Span call{event.at_ns - event.value[0], event.at_ns};
    if (!IsDisturbed(event, call)) ++of_kind.undisturbed_errors;
    session.failed[kind] = true;
  }

  void AddAnswer(const Event& event, size_t kind, SessionState& session) {
    const std::optional<int64_t> sent_ns = std::exchange(session.sent_ns[kind], std::nullopt);
    if (!sent_ns) return;
    const bool failed = std::exchange(session.failed[kind], false);
    const bool has_hint = event.type == EventType::kFail && event.value[0] > 0;
    const bool was_sent = !session.hangs || failed || has_hint || event.type == EventType::kOk;
    if (event.op != Op::kExtend)  // a watchdog extends beside its session
      session.hangs = !was_sent || (event.type == EventType::kInfo && !failed);
    if (!was_sent) return;
    ++all_[kind].sent;
    if (!IsDisturbed(event, {*sent_ns, event.at_ns})) ++all_[kind].undisturbed;
  }

  [[nodiscard]] bool IsDisturbed(const Event& event, const Span& call) const {
    const RunFacts& facts = evidence_.facts();
    const int64_t aftermath_ns = ToNs(facts.lease) + ToNs(facts.grace);
    return std::ranges::any_of(
        evidence_.disturbances().EpisodesWithin({call.from_ns - aftermath_ns, call.to_ns}),
        [&](const FaultEpisode* episode) {
          return MayDelayCall(facts, *episode, event.client, event.key);
        });
  }

  const Evidence& evidence_;
  LibraryErrors all_{{{.calls = "acquires"}, {.calls = "releases"}, {.calls = "extensions"}}};
  std::map<SessionId, SessionState> sessions_;
};

}  // namespace

LibraryErrors CountLibraryErrors(const Evidence& evidence) {
  ErrorCount count(evidence);
  if (evidence.facts().library) {
    for (const Event& event : evidence.history().events) {
      if (event.client > kReferee) count.Add(event);
    }
  }
  return std::move(count).Finish();
}

std::string WhyTooManyErrors(const LibraryErrors& errors) {
  constexpr int64_t kMostPercent = 10;
  const CallErrors& acquires = errors.front();
  if (100 * acquires.undisturbed_errors <= kMostPercent * acquires.undisturbed) return "";
  return DescribeErrors(acquires) + fmt::format(" (limit for these: {} %)", kMostPercent);
}

std::string DescribeErrors(const CallErrors& errors) {
  const std::string counts = fmt::format("the library answered {} of {} {} with an error",
                                         errors.errors, errors.sent, errors.calls);
  if (errors.undisturbed == errors.sent) return counts + "; no fault disturbed them";
  return counts + fmt::format("; of the {} that no fault disturbed, {}", errors.undisturbed,
                              errors.undisturbed_errors);
}

}  // namespace doublehold
