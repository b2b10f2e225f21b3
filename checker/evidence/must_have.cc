#include "checker/evidence/must_have.h"

#include <algorithm>
#include <map>
#include <utility>

#include "checker/evidence/disturbed.h"
#include "checker/evidence/evidence.h"

namespace doublehold {
namespace {

// The entries of one session on one key that nothing can have freed.
class SessionEntries {
 public:
  void Grant(uint64_t hold, int64_t valid_until_ns) {
    const auto extended = early_ok_ns_.find(hold);
    ends_ns_[hold] = extended == early_ok_ns_.end() ? valid_until_ns : extended->second;
    const auto early = early_ns_.find(hold);
    if (early != early_ns_.end()) InvokeExtension(hold, early->second);
  }

  void InvokeExtension(uint64_t hold, int64_t until_ns) {
    // A release under way may come after the extension and its lease, and free any entry.
    if (open_releases_ > 0) {
      for (auto& [any, end_ns] : ends_ns_) end_ns = std::min(end_ns, until_ns);
    }
    const auto entry = ends_ns_.find(hold);
    if (entry == ends_ns_.end()) {
      early_ns_[hold] = until_ns;
      return;
    }
    if (open_releases_ == 0) before_ns_[hold] = entry->second;
    entry->second = std::min(entry->second, until_ns);
  }

  void Extend(uint64_t hold, int64_t valid_until_ns) {
    const auto entry = ends_ns_.find(hold);
    if (entry == ends_ns_.end() && early_ns_.erase(hold) > 0) early_ok_ns_[hold] = valid_until_ns;
    if (entry != ends_ns_.end() && before_ns_.erase(hold) > 0) entry->second = valid_until_ns;
  }

  // A failed extension changes nothing.
  void FailExtension(uint64_t hold) {
    early_ns_.erase(hold);
    const auto before = before_ns_.find(hold);
    if (before != before_ns_.end()) Extend(hold, before->second);
  }

  // A release may free any entry, so the longest lease is gone. It may also free an entry after its
  // extension, so extensions under way count no more.
  void InvokeRelease(uint64_t hold) {
    ++open_releases_;
    if (ends_ns_.empty()) return;
    const auto longest = ends_ns_.find(Longest()->first);
    const auto own = ends_ns_.find(hold);
    if (own != ends_ns_.end()) longest->second = own->second;
    ends_ns_.erase(own != ends_ns_.end() ? own : longest);
    before_ns_.clear();
  }

  void Release() { --open_releases_; }

  void InvokeUnanswered() { has_unanswered_ = true; }
  void Clear() { ends_ns_.clear(); }

  [[nodiscard]] int64_t UntilNs() const {
    return has_unanswered_ || ends_ns_.empty() ? -1 : Longest()->second;
  }

 private:
  using EndsNs = std::map<uint64_t, int64_t>;  // the end of the lease, by hold

  [[nodiscard]] EndsNs::const_iterator Longest() const {
    return std::ranges::max_element(ends_ns_, {}, &EndsNs::value_type::second);
  }

  EndsNs ends_ns_;
  EndsNs before_ns_;  // before the last extension
  // Of extensions that are recorded before their grant: under way, and answered.
  EndsNs early_ns_, early_ok_ns_;
  int open_releases_ = 0;
  bool has_unanswered_ = false;
};

// What changes who must have the lock.
struct Moment {
  enum class What : uint8_t {
    kGrant,
    kRelease,
    kReleased,
    kUnanswered,
    kFree,
    kExtend,
    kExtended,
    kFailed
  };
  int64_t at_ns = 0;
  What what = What::kGrant;
  uint16_t key = 0;
  SessionId session;
  uint64_t hold = 0;
  // kGrant, kExtended: the end of the lease. kExtend: its end if the lease counts from now on.
  int64_t until_ns = 0;
  Span when{};  // of a grant
  const Call* call = nullptr;
};

Moment OfExtension(const Event& event) {
  const bool invoked = event.type == EventType::kInvoke;
  const auto what = invoked                          ? Moment::What::kExtend
                    : event.type == EventType::kFail ? Moment::What::kFailed
                                                     : Moment::What::kExtended;
  return {.at_ns = event.at_ns,
          .what = what,
          .key = event.key,
          .session = SessionOf(event),
          .hold = event.hold,
          .until_ns = invoked ? Later(event.at_ns, event.value[0]) : event.value[0]};
}

void Apply(const Moment& moment, SessionEntries& own) {
  switch (moment.what) {
    case Moment::What::kGrant:
      return own.Grant(moment.hold, moment.until_ns);
    case Moment::What::kRelease:
      return own.InvokeRelease(moment.hold);
    case Moment::What::kReleased:
      return own.Release();
    case Moment::What::kUnanswered:
      return own.InvokeUnanswered();
    case Moment::What::kExtend:
      return own.InvokeExtension(moment.hold, moment.until_ns);
    case Moment::What::kExtended:
      return own.Extend(moment.hold, moment.until_ns);
    case Moment::What::kFailed:
      return own.FailExtension(moment.hold);
    case Moment::What::kFree:
      return own.Clear();
  }
}

// Lists the moments at which sessions act: first those of their calls, then those of extensions.
std::vector<Moment> ListMoments(const Evidence& evidence) {
  using enum Moment::What;
  std::vector<Moment> moments;
  for (const Call& call : evidence.calls().all) {
    Moment moment{.key = call.key, .session = call.session, .hold = call.hold, .call = &call};
    if (call.op == Op::kAcquire && call.Ok()) {
      moment.at_ns = call.to_ns;
      moment.until_ns = call.answer[0];
      moment.when = {call.from_ns, call.to_ns};
      moments.push_back(moment);
    } else if (call.op == Op::kRelease ||
               (call.op == Op::kAcquire && call.outcome == EventType::kInfo)) {
      moment.at_ns = call.from_ns;
      moment.what = call.outcome == EventType::kInfo ? kUnanswered : kRelease;
      moments.push_back(moment);
      if (moment.what == kRelease)
        moments.push_back({call.to_ns, kReleased, call.key, call.session});
    }
  }
  for (const Event& event : evidence.history().events) {
    if (event.op == Op::kExtend && event.type != EventType::kInfo)
      moments.push_back(OfExtension(event));
  }
  return moments;
}

}  // namespace

MustHave::MustHave(const Evidence& evidence) : disturbed_(evidence.disturbed()) {
  bool checks_owner = false, is_unchecked = false;
  for (const Call& call : evidence.calls().all) {
    if (call.op == Op::kRelease && call.Ok())
      (call.answer[0] == 1 ? is_unchecked : checks_owner) = true;
  }
  // Either all releases of a lock check the owner, or none does.
  const bool unanswered_are_harmless = checks_owner && !is_unchecked;
  std::map<uint16_t, std::vector<Possession>> releases;
  for (const Call& call : evidence.calls().all) {
    std::vector<Possession>& of_key = releases[call.key];
    if (call.op != Op::kRelease) continue;
    const bool unchecked = call.Ok() && call.answer[0] == 1;
    if (unchecked || (call.outcome == EventType::kInfo && !unanswered_are_harmless))
      of_key.push_back({&call, {call.from_ns, call.DoneNs()}});
  }
  for (auto& [key, of_key] : releases) releases_.emplace(key, KeyTimeline(std::move(of_key)));
  AddSteps(evidence);
}

void MustHave::AddSteps(const Evidence& evidence) {
  using enum Moment::What;
  std::vector<Moment> moments = ListMoments(evidence);
  for (const auto& [key, releases] : releases_) {
    for (const Possession& release : releases.all())
      moments.push_back({release.may.from_ns, kFree, key, release.acquire->session});
    for (const FaultEpisode& episode : evidence.disturbances().episodes) {
      if (MayFaultFree(key, {episode.from_ns, episode.from_ns}))
        moments.push_back({episode.from_ns, kFree, key, {}});
    }
  }
  // An extension of the same instant may have come before a release.
  std::ranges::stable_sort(moments, {}, [](const Moment& moment) {
    const bool extends =
        moment.what == kExtend || moment.what == kExtended || moment.what == kFailed;
    return std::pair(moment.at_ns, !extends);
  });
  std::map<uint16_t, std::map<SessionId, SessionEntries>> entries;
  for (const Moment& moment : moments) {
    std::map<SessionId, SessionEntries>& of_key = entries[moment.key];
    if (moment.what == kFree) {
      for (auto& [session, others] : of_key) {
        if (session == moment.session) continue;
        others.Clear();
        steps_[{moment.key, session}].push_back({moment.at_ns, others.UntilNs()});
      }
      continue;
    }
    const KeyAndSession who{moment.key, moment.session};
    SessionEntries& own = of_key[moment.session];
    if (moment.what == kGrant && IsFreedBesides(who, moment.when)) continue;
    // A re-entry may be granted without asking a server.
    if (moment.what == kGrant && moment.call->again && own.UntilNs() < moment.when.from_ns)
      continue;
    Apply(moment, own);
    if (moment.what == kUnanswered) unanswered_.try_emplace(who, moment.call);
    if (moment.what == kReleased) continue;
    const Call* release = moment.what == kRelease ? moment.call : nullptr;
    steps_[who].push_back({moment.at_ns, own.UntilNs(), release, moment.what == kExtend});
  }
}

std::optional<Why> MustHave::IsFreedBesides(const KeyAndSession& who, const Span& when) const {
  const auto& [key, session] = who;
  if (const Possession* release = releases_.at(key).FindOther(session, when)) {
    using enum Why::What;
    return Why{.what = release->acquire->Ok() ? kUnchecked : kUnanswered, .call = release->acquire};
  }
  return MayFaultFree(key, when);
}

std::optional<Why> MustHave::WhyNot(uint16_t key, const SessionId& session,
                                    const Span& when) const {
  const auto own = unanswered_.find({key, session});
  if (own != unanswered_.end() && own->second->from_ns <= when.to_ns)
    return Why{.what = Why::What::kUnanswered, .call = own->second};
  return IsFreedBesides({key, session}, when);
}

// Whether the key may be gone, or a lease may end at another time than its client computed.
std::optional<Why> MustHave::MayFaultFree(uint16_t key, const Span& when) const {
  return FirstOf(disturbed_.MayLoseKey(key, when), disturbed_.MayMoveClocks(when));
}

bool MustHave::UnlessItActs(uint16_t key, const SessionId& session, const Span& when) const {
  const auto found = steps_.find({key, session});
  if (found == steps_.end() || IsFreedBesides({key, session}, when)) return false;
  const std::vector<Step>& steps = found->second;
  const auto next = std::ranges::lower_bound(steps, when.from_ns, {}, &Step::at_ns);
  return next != steps.begin() && std::prev(next)->until_ns > when.to_ns;
}

std::vector<Span> MustHave::Spans(uint16_t key, const SessionId& session, const Span& when) const {
  std::vector<Span> spans;
  const auto found = steps_.find({key, session});
  if (found == steps_.end()) return spans;
  const std::vector<Step>& steps = found->second;
  bool goes_on = false;  // since the last span; a step of no length may have ended it
  for (auto step = steps.begin(); step != steps.end() && step->at_ns < when.to_ns; ++step) {
    const int64_t next_ns = std::next(step) == steps.end() ? kForeverNs : std::next(step)->at_ns;
    goes_on = goes_on && std::prev(step)->until_ns > step->at_ns;
    const Span has{std::max(step->at_ns, when.from_ns),
                   std::min({step->until_ns, next_ns, when.to_ns})};
    if (has.to_ns <= has.from_ns) continue;
    if (goes_on)
      spans.back().to_ns = has.to_ns;
    else
      spans.push_back(has);
    goes_on = true;
  }
  return spans;
}

bool MustHave::UntilReleased(const Call& release) const {
  const KeyAndSession who{release.key, release.session};
  const auto found = steps_.find(who);
  if (found == steps_.end() || IsFreedBesides(who, {release.from_ns, release.to_ns})) return false;
  const std::vector<Step>& steps = found->second;
  // The grant may have been answered at the instant of the release.
  const auto first = std::ranges::lower_bound(steps, release.from_ns, {}, &Step::at_ns);
  const auto its =
      std::find_if(first, steps.end(), [&](const Step& step) { return step.release == &release; });
  if (its == steps.end() || its == steps.begin()) return false;
  // An extension may set a shorter lease before the release arrives.
  const auto after = std::ranges::upper_bound(steps, release.to_ns, {}, &Step::at_ns);
  return std::prev(its)->until_ns > release.to_ns &&
         std::none_of(its, after, [](const Step& step) { return step.extends; });
}

bool MustHave::Throughout(uint16_t key, const SessionId& session, const Span& when) const {
  const auto found = steps_.find({key, session});
  if (found == steps_.end() || IsFreedBesides({key, session}, when)) return false;
  const std::vector<Step>& steps = found->second;
  auto step = std::ranges::lower_bound(steps, when.from_ns, {}, &Step::at_ns);
  if (step == steps.begin()) return false;
  int64_t until_ns = std::prev(step)->until_ns;
  if (until_ns <= when.from_ns) return false;
  for (; step != steps.end() && step->at_ns <= when.to_ns; ++step) {
    if (until_ns <= step->at_ns) return false;
    until_ns = step->until_ns;
  }
  return until_ns > when.to_ns;
}

}  // namespace doublehold
