#include "checker/claims/lock/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbed.h"
#include "checker/evidence/names.h"
#include "checker/evidence/second_copies.h"
#include "checker/evidence/traits.h"
#include "checker/measures/waits.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// A session's place in the queue of a key. The place lasts from the refusal that proves it to the
// session's last acquire. Until `certain_until_ns` nothing can have cost the session its place.
struct QueuePlace {
  SessionId session;
  int64_t refused_from_ns = 0;  // when the acquire was invoked whose refusal proves the place
  int64_t queued_ns = 0;
  int64_t asked_ns = 0;
  int64_t certain_until_ns = 0;
  std::optional<Why> doubt{};  // why it is not certain until `asked_ns`
};

struct Grant {
  const Call* call = nullptr;
  int64_t since_ns = 0;  // first acquire of its session since the session's last grant
};

struct Queue {
  std::vector<QueuePlace> places;
  std::vector<Grant> grants;  // only grants that can overtake another session
};

// Extracts the queues from the calls. Requires calls in the order of their answers.
class Queues {
 public:
  explicit Queues(const Evidence& evidence)
      // May assume a first-in, first-out queue, because a lock without one violates this claim.
      : copies_(FindSecondCopies(evidence, CopyQueue::kFifo)), evidence_(evidence) {}

  void AddCall(const Call& call) {
    QueueState& state = states_[call.key][call.session];
    if (call.op == Op::kRelease && call.outcome == EventType::kInfo) {
      state.perhaps_inside_ns = call.from_ns;
      if (call.hold == 0) EndPlace(call.session, call.key, state);
      if (call.hold == 0 && state.unanswered == nullptr) state.unanswered = &call;
    }
    if (call.op == Op::kWait) {  // the acquire of a granted wait has already ended the place
      if (!call.Ok()) EndPlace(call.session, call.key, state);
      return;
    }
    if (call.op != Op::kAcquire) return;
    if (state.since_ns < 0) state.since_ns = call.from_ns;
    if (state.queued_ns >= 0 && call.from_ns >= state.queued_ns && call.waits)
      state.asked_ns = call.from_ns;
    if (call.outcome != EventType::kFail) EndPlace(call.session, call.key, state);
    if (call.outcome == EventType::kInfo) {
      state.has_unknown_acquire = true;
      if (state.unanswered == nullptr) state.unanswered = &call;
    }
    if (call.outcome == EventType::kFail && call.answer[0] > 0 && call.waits &&
        !call.AsksForSeveralKeys() && state.queued_ns < 0) {
      state.refused_from_ns = call.from_ns;
      state.queued_ns = call.to_ns;
      state.asked_ns = call.to_ns;
    }
    if (call.Ok()) NoteGrant(call, state);
  }

  // A place that no call ended lasts until its session's last acquire.
  std::map<uint16_t, Queue> Finish() && {
    for (auto& [key, states] : states_) {
      for (auto& [session, state] : states) EndPlace(session, key, state);
    }
    return std::move(queues_);
  }

 private:
  struct QueueState {
    int64_t since_ns = -1;  // first acquire since the session's last grant; -1: none
    // An acquire of unknown outcome may still enter the queue. It may also be granted the key
    // without a record, which would end the session's place.
    bool has_unknown_acquire = false;
    int64_t refused_from_ns = 0;
    int64_t queued_ns = -1;  // -1: not known to be in the queue
    int64_t asked_ns = 0;
    // The session's next grant may be a re-entry: a release that it invoked at this time may not
    // have been carried out. -1: none.
    int64_t perhaps_inside_ns = -1;
    // The first such acquire, or the first release by which the session gave up and that had no
    // answer: it may remove any later place.
    const Call* unanswered = nullptr;
  };

  void NoteGrant(const Call& grant, QueueState& state) {
    if (!grant.again && grant.answer[2] == 0) {
      const bool re_enters =
          state.perhaps_inside_ns >= 0 ||
          (MayBeReentrant(evidence_.facts()) &&
           evidence_.disturbed().MayReturnKeys({0, grant.from_ns})) ||
          copies_.at(grant.key).Meets(grant.session, {grant.from_ns, grant.from_ns}, &grant);
      if (!re_enters)
        queues_[grant.key].grants.push_back({.call = &grant, .since_ns = state.since_ns});
      NoteOthersAreOut(grant);
    }
    if (!state.has_unknown_acquire) state.since_ns = -1;
  }

  void NoteOthersAreOut(const Call& grant) {
    for (auto& [session, state] : states_[grant.key]) {
      const bool gone = session != grant.session && Before(state.perhaps_inside_ns, grant.from_ns);
      if (gone) state.perhaps_inside_ns = -1;
    }
  }

  void EndPlace(const SessionId& session, uint16_t key, QueueState& state) {
    if (state.queued_ns >= 0 && state.queued_ns < state.asked_ns) {
      queues_[key].places.push_back({.session = session,
                                     .refused_from_ns = state.refused_from_ns,
                                     .queued_ns = state.queued_ns,
                                     .asked_ns = state.asked_ns,
                                     .certain_until_ns = state.asked_ns,
                                     .doubt = Unanswered(state.unanswered)});
    }
    state.queued_ns = -1;
  }

  const Possessions copies_;
  const Evidence& evidence_;
  std::map<uint16_t, std::map<SessionId, QueueState>> states_;  // by key
  std::map<uint16_t, Queue> queues_;
};

void ShortenToCertain(const Disturbed& disturbed, QueuePlace& place) {
  if (!place.doubt)
    place.doubt =
        disturbed.MayCostPlace(place.session.client, {place.refused_from_ns, place.asked_ns});
  if (place.doubt)
    place.certain_until_ns = std::clamp(place.doubt->FromNs(), place.queued_ns, place.asked_ns);
}

// Finds the place that lasts longest among those taken before a given time.
class LongestPlace {
 public:
  using End = int64_t QueuePlace::*;
  LongestPlace(const std::vector<QueuePlace>& places, End end) : places_(places), end_(end) {}

  // Returns the place that ends last among those taken before `at_ns`; null if there is none.
  // Requires ascending `at_ns`.
  const QueuePlace* TakenBefore(int64_t at_ns) {
    for (; next_ < places_.size() && Before(places_[next_].queued_ns, at_ns); ++next_) {
      if (longest_ == nullptr || places_[next_].*end_ > longest_->*end_) longest_ = &places_[next_];
    }
    return longest_;
  }
  // Whether a place taken before `at_ns` lasts beyond `until_ns`.
  bool Lasts(int64_t at_ns, int64_t until_ns) {
    const QueuePlace* place = TakenBefore(at_ns);
    return place != nullptr && Before(until_ns, place->*end_);
  }

 private:
  const std::vector<QueuePlace>& places_;  // sorted by queued_ns
  End end_;
  const QueuePlace* longest_ = nullptr;
  size_t next_ = 0;
};

class OrderChecker : ClaimChecker {
 public:
  OrderChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "grants") {}

  ClaimVerdict Verdict() && {
    if (holds_.broken) return std::move(found_).Undecided(*holds_.broken);
    std::vector<const Call*> by_answer;
    for (const Call& call : calls_.all) by_answer.push_back(&call);
    // At equal times the last acquire of a wait sorts before the end of the wait.
    std::ranges::stable_sort(by_answer, {}, [](const Call* call) {
      return std::pair(call->to_ns, call->op == Op::kWait);
    });
    Queues queues(evidence_);
    for (const Call* call : by_answer) queues.AddCall(*call);
    for (auto& [key, queue] : std::move(queues).Finish()) JudgeQueue(queue);
    if (doubtful_ > 0) {
      found_.Doubt(fmt::format("{} overtook a client that may have lost its place: {}{}",
                               Counted(doubtful_, "grant"), doubt_, longest_wait_));
    }
    return std::move(found_).Conclude(
        {.nothing_judged =
             "nobody was granted a key while another was known to wait for it" + longest_wait_,
         .judged = Counted(found_.judged(), "grant") + " for which others waited",
         .violated = "overtook one that had queued before" + longest_wait_,
         .valid = "none of {} overtook one that had queued before" + longest_wait_});
  }

 private:
  void JudgeQueue(Queue& queue) {
    for (QueuePlace& place : queue.places) ShortenToCertain(evidence_.disturbed(), place);
    std::ranges::stable_sort(queue.places, {}, &QueuePlace::queued_ns);
    LongestPlace any_place(queue.places, &QueuePlace::asked_ns);
    for (const Grant& grant : queue.grants) {  // in the order of their answers
      if (any_place.Lasts(grant.call->to_ns, grant.call->to_ns)) found_.Judged();
    }
    std::ranges::stable_sort(queue.grants, {}, &Grant::since_ns);
    LongestPlace certain_places(queue.places, &QueuePlace::certain_until_ns);
    LongestPlace possible_places(queue.places, &QueuePlace::asked_ns);
    std::vector<std::pair<const Grant*, const QueuePlace*>> overtaking;
    for (const Grant& grant : queue.grants) {
      if (certain_places.Lasts(grant.since_ns, grant.call->to_ns)) {
        overtaking.emplace_back(&grant, certain_places.TakenBefore(grant.since_ns));
      } else if (possible_places.Lasts(grant.since_ns, grant.call->to_ns)) {
        if (doubtful_++ == 0) doubt_ = DescribeDoubt(*possible_places.TakenBefore(grant.since_ns));
      }
    }
    std::ranges::stable_sort(overtaking, {}, [](const auto& o) { return o.first->call->to_ns; });
    for (const auto& each : overtaking)
      found_.Violated(each.second->asked_ns,
                      [&] { return DescribeOvertaking(*each.first, *each.second); });
  }

  [[nodiscard]] std::string DescribeDoubt(const QueuePlace& place) const {
    return fmt::format("{} had queued by {}; {}", OwnerName(disturbances_, place.session),
                       At(place.queued_ns), WhyClause(disturbances_, *place.doubt));
  }

  [[nodiscard]] Violation DescribeOvertaking(const Grant& grant, const QueuePlace& place) const {
    const Call& call = *grant.call;
    return DescribeWrongOperation(
        disturbances_,
        {.by = call.session,
         .harmed = holds_.Find(call.hold),
         .key = call.key,
         .when = {call.to_ns, place.asked_ns},
         .what = fmt::format(
             "was granted the key at {}, although it first asked at {}, after {} had "
             "queued ({}); {} was still waiting at {}{}",
             At(call.to_ns), At(grant.since_ns), OwnerName(disturbances_, place.session),
             At(place.queued_ns), OwnerName(disturbances_, place.session), At(place.asked_ns),
             longest_wait_),
         .of_service = true});
  }

  const std::string longest_wait_ = LongestWaitClause(evidence_.history(), disturbances_);
  int64_t doubtful_ = 0;
  std::string doubt_;  // of the first doubtful grant
};

}  // namespace

ClaimVerdict CheckOrder(const Evidence& evidence, const Limits& limits) {
  return OrderChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
