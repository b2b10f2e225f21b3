#include "checker/explain/double_grant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/explain/lock_nature.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

struct Candidate {
  Cause cause = Cause::kUnexplained;
  std::string because;
  const FaultEpisode* episode = nullptr;
  const Call* call = nullptr;
};

int64_t AcquireInvokedNs(const ViolationContext& record, const Hold& hold) {
  const Call* grant = record.GrantOf(hold.hold);
  return grant == nullptr ? hold.core.from_ns : grant->from_ns;
}

// Which releases may delete a key without an atomic owner check.
enum class OwnerCheck : uint8_t {
  kTrusted,  // only releases whose answer or lock says so
  kDoubted,  // also every other release that reported success
};

// Searches for events that may have freed the lock of `first` before the grant of `lost`.
class GrantSearch {
 public:
  // `lost`: the first grant to another owner during the lease of `first`.
  GrantSearch(const ViolationContext& record, const Hold& first, const Hold& lost)
      : record_(record),
        first_(first),
        lost_(lost),
        when_{AcquireInvokedNs(record, first), lost.core.from_ns} {}

  // Finds a release that the claim `release` proves to have freed the lock of `first`.
  [[nodiscard]] std::optional<Explanation> FindProvedRelease() const {
    const auto found = record_.freed.find(first_.hold);
    if (found == record_.freed.end() || found->second.when.from_ns > when_.to_ns)
      return std::nullopt;
    const Span& when = found->second.when;
    Explanation freed{.cause = Cause::kForeignRelease};
    for (const Call* call : record_.CallsOf(Op::kRelease, first_.key)) {
      if (call->from_ns != when.from_ns || call->to_ns != when.to_ns) continue;
      freed.calls = {call};
      freed.because = fmt::format("the release of {} ({}) freed the lock of {}",
                                  OwnerName(record_.disturbances, call->session), During(when),
                                  OwnerName(record_.disturbances, first_.owner()));
    }
    return freed;
  }

  [[nodiscard]] std::vector<Candidate> FindLikelyCauses() && {
    AddReleases(first_.core.from_ns);
    AddRepeatedCommand();
    for (const FaultEpisode& episode : record_.disturbances.episodes) AddFault(episode);
    if (UsesClientClocks()) AddClientClocks();
    return std::move(candidates_);
  }

  // Finds releases that may have taken effect during the acquire of `first`. Used only if no other
  // cause is likely. Such a release may have made the grant possible, or may have deleted the key
  // right after the acquire set it.
  [[nodiscard]] std::vector<Candidate> FindReleasesDuringAcquire() && {
    AddReleases(when_.from_ns);
    return std::move(candidates_);
  }

  // Finds other owners' releases that a driver reported as successful.
  [[nodiscard]] std::vector<Candidate> FindReportedReleases() && {
    AddReleases(first_.core.from_ns, OwnerCheck::kDoubted);
    return std::move(candidates_);
  }

 private:
  // Adds other owners' releases that may have deleted the key of `first` at `since_ns` or later. A
  // release that checks the owner atomically deletes no other owner's key.
  void AddReleases(int64_t since_ns, OwnerCheck check = OwnerCheck::kTrusted) {
    const bool doubts_check = check == OwnerCheck::kDoubted;
    const bool looks_first = LockHas(record_.history.facts, LockTrait::kLooksFirst);
    for (const Call* call : record_.CallsOf(Op::kRelease, first_.key)) {
      if (call->from_ns > when_.to_ns) break;
      const bool may_be_unchecked =
          call->Ok() && (call->answer[0] == 1 || looks_first || doubts_check);
      const bool perhaps = call->outcome == EventType::kInfo && looks_first;
      if (call->session == first_.owner() || !(may_be_unchecked || perhaps)) continue;
      if (call->DoneNs() < since_ns) continue;
      if (FreedOwnLock(*call)) continue;
      candidates_.push_back(
          {Cause::kForeignRelease,
           fmt::format(
               "{} released the key ({}), {}", OwnerName(record_.disturbances, call->session),
               During({call->from_ns, call->to_ns < kForeverNs ? call->to_ns : when_.to_ns}),
               doubts_check ? "and the driver may have deleted it without checking the owner"
                            : "which does not check the owner atomically"),
           nullptr, call});
    }
  }

  // Whether a release freed the lock of its own hold: the lease was valid, and nothing can have
  // removed the key before. Such a release did not free `first`, which was granted the key later.
  [[nodiscard]] bool FreedOwnLock(const Call& release) const {
    const Hold* own = record_.holds.Find(release.hold);
    if (own == nullptr || own->owner() != release.session || record_.history.facts.nodes > 1)
      return false;
    const Span held{own->asked_ns, release.DoneNs()};
    if (own->valid_until_ns < held.to_ns || record_.freed.contains(own->hold)) return false;
    const auto loses = [](const FaultFact& fault) {
      return LosesKeys(fault) || MovesAClock(fault);
    };
    if (FindActive(record_.disturbances, held, loses) != nullptr) return false;
    if (ExplainRepeat(record_, own->owner(), own->key, held.to_ns)) return false;
    const auto by_another = [&](const Call* call) {
      const bool looked = call->outcome == EventType::kFail || (call->Ok() && call->answer[0] == 0);
      return call->session != own->owner() && !looked && call->from_ns <= held.to_ns &&
             call->DoneNs() >= held.from_ns;
    };
    if (std::ranges::any_of(record_.CallsOf(Op::kRelease, own->key), by_another)) return false;
    return std::ranges::none_of(record_.holds.all, [&](const Hold& hold) {
      return hold.key == own->key && hold.owner() != own->owner() && Overlap(hold.core, own->core);
    });
  }

  // Adds a call of the first holder that ran twice. A repeated nested exit also undoes the outer
  // entry, so the key is free too early.
  void AddRepeatedCommand() {
    const auto twice = ExplainRepeat(record_, first_.owner(), first_.key, when_.to_ns);
    if (!twice) return;
    candidates_.push_back({Cause::kResent, twice->because, twice->episodes.front(), nullptr});
  }

  [[nodiscard]] bool UsesClientClocks() const {
    return LockHas(record_.history.facts, LockTrait::kClientClocks);
  }

  // A lock that belongs to a session ends with its server, whatever data the server keeps.
  [[nodiscard]] bool KeepsLock(const FaultFact& fault) const {
    return fault.keeps_data && !LockHas(record_.history.facts, LockTrait::kSession);
  }

  void AddFault(const FaultEpisode& episode) {
    const FaultFact& fault = record_.FaultOf(episode);
    if (!ActsOnLockServers(episode, fault)) return;
    if (MovesAClock(fault)) return AddServerClock(episode, fault);
    if (IsOfAnotherLock(record_.history.facts, fault, first_.key)) return;
    if (episode.from_ns > when_.to_ns || episode.to_ns < when_.from_ns || !LosesKeys(fault) ||
        KeepsLock(fault)) {
      return;
    }
    Add(LosesData(fault)
            ? (Does(fault, FaultTrait::kTakesOver) ? Cause::kFailover : Cause::kNodeRestarted)
            : Cause::kKeyRemoved,
        episode);
  }

  // A key expires early when its server's clock moves ahead by at least the rest of the lease: at
  // the start of a forward jump, and at the end of a backward one, if the key may have been set
  // during it (else the clock is as it was then). The history does not record how far a clock
  // drifts or oscillates, so every such fault counts.
  void AddServerClock(const FaultEpisode& episode, const FaultFact& fault) {
    if (UsesClientClocks()) return;
    const auto within = [this](int64_t at_ns) {
      return when_.from_ns <= at_ns && at_ns <= when_.to_ns;
    };
    if (!Does(fault, FaultTrait::kJumps)) {
      if (episode.from_ns <= when_.to_ns && episode.to_ns >= when_.from_ns)
        Add(Cause::kServerClock, episode);
      return;
    }
    const int64_t by_ns = MovedNs(episode);
    const bool ahead =
        (by_ns > 0 && within(episode.from_ns)) ||
        (by_ns < 0 && within(RightAgainNs(episode)) && episode.from_ns <= first_.core.from_ns);
    if (ahead && std::abs(by_ns) >= RemainingLeaseNs()) Add(Cause::kServerClock, episode);
  }

  // When the clock is right again. A server that takes over has its own.
  [[nodiscard]] int64_t RightAgainNs(const FaultEpisode& moved) const {
    for (const FaultEpisode& episode : record_.disturbances.episodes) {
      if (episode.from_ns >= moved.from_ns &&
          Does(record_.FaultOf(episode), FaultTrait::kTakesOver))
        return std::min(moved.to_ns, episode.from_ns);
    }
    return moved.to_ns;
  }

  // Adds the faults that moved the new holder's clock ahead of the first holder's clock by at least
  // the rest of the lease. The first holder's clock wrote the expiry of the key. A clock fault
  // other than a jump always counts, since its extent is not recorded.
  void AddClientClocks() {
    std::vector<const FaultEpisode*> moved;
    int64_t ahead_ns = 0;
    bool unknown = false;
    for (const FaultEpisode& episode : record_.disturbances.episodes) {
      const FaultFact& fault = record_.FaultOf(episode);
      if (!MovesAClock(fault) || episode.client <= 0) continue;
      const bool later = episode.client == lost_.client && episode.from_ns <= when_.to_ns &&
                         episode.to_ns >= AcquireInvokedNs(record_, lost_);
      const bool earlier = episode.client == first_.client &&
                           episode.from_ns <= first_.core.from_ns && episode.to_ns >= when_.from_ns;
      if (!later && !earlier) continue;
      moved.push_back(&episode);
      unknown = unknown || !Does(fault, FaultTrait::kJumps);
      if (later) ahead_ns += MovedNs(episode);
      if (earlier) ahead_ns -= MovedNs(episode);
    }
    if (moved.empty() || (!unknown && ahead_ns < RemainingLeaseNs())) return;
    candidates_.push_back(
        {Cause::kClientClock, FaultsClause(record_.disturbances, moved), moved.front(), nullptr});
  }

  // The rest of the first holder's lease when the key was granted to another owner.
  [[nodiscard]] int64_t RemainingLeaseNs() const { return first_.valid_until_ns - when_.to_ns; }
  static int64_t MovedNs(const FaultEpisode& episode) {
    return episode.measured_ns != 0 ? episode.measured_ns : episode.asked_ns;
  }

  void Add(Cause cause, const FaultEpisode& episode) {
    candidates_.push_back({cause, FaultClause(record_.disturbances, episode), &episode, nullptr});
  }

  const ViolationContext& record_;
  const Hold& first_;
  const Hold& lost_;
  Span when_;  // from the invocation of the acquire of `first` to the grant of `lost`
  std::vector<Candidate> candidates_;
};

// Whether a fault with this cause explains a lost key only if it acted on the master. A restart or
// a moved clock of a replica frees no key.
bool DependsOnTheMaster(const ViolationContext& record, Cause cause) {
  return record.history.facts.nodes > 1 &&
         (cause == Cause::kNodeRestarted || cause == Cause::kServerClock);
}

Explanation ExplainByMajorities(const ViolationContext& record, const Hold& first, const Hold& lost,
                                Explanation all, const std::set<Cause>& causes) {
  std::set<int> hit;
  for (const FaultEpisode* episode : all.episodes) {
    const std::vector<int>& nodes = record.FaultOf(*episode).nodes;
    hit.insert(nodes.begin(), nodes.end());
    if (nodes.empty()) hit.insert(episode->node);
  }
  if (hit.empty() || hit.contains(-1)) return all;
  const auto majority = static_cast<size_t>(record.history.facts.nodes / 2 + 1);
  if (hit.size() >= majority) {
    if (causes.size() == 1) all.cause = *causes.begin();
    if (causes.size() > 1) all.perhaps.assign(causes.begin(), causes.end());
    return all;
  }
  const std::string had = OwnerName(record.disturbances, first.owner());
  all.cause = Cause::kQuorumOverlap;
  all.because += fmt::format(
      "; so the majorities of {} and of {} had no other node in common than {}, and {} had not "
      "been granted all {}",
      had, OwnerName(record.disturbances, lost.owner()), fmt::join(hit, ", "), had,
      record.history.facts.nodes);
  return all;
}

Explanation ChooseExplanation(const ViolationContext& record, const Hold& first, const Hold& lost,
                              const std::vector<Candidate>& candidates) {
  Explanation all;
  std::set<Cause> causes;
  std::set<std::string> reasons;
  for (const Candidate& candidate : candidates) {
    causes.insert(candidate.cause);
    if (!reasons.insert(candidate.because).second) continue;
    all.because += (all.because.empty() ? "" : ", and ") + candidate.because;
    if (candidate.episode != nullptr) all.episodes.push_back(candidate.episode);
    if (candidate.call != nullptr) all.calls.push_back(candidate.call);
  }
  if (causes.empty()) return ExplainByNature(record, first, lost);
  if (LockHas(record.history.facts, LockTrait::kMajority))
    return ExplainByMajorities(record, first, lost, std::move(all), causes);
  if (causes.size() > 1) {
    all.because = "each of these explains it: " + all.because;
    all.perhaps.assign(causes.begin(), causes.end());
  } else if (DependsOnTheMaster(record, *causes.begin())) {
    all.because += ", and which server had the key, or took it over, is not recorded";
  } else {
    all.cause = *causes.begin();
  }
  return all;
}

// Finds the first grant to another owner at which both leases were valid. This grant may be at the
// instant at which `first` was granted. Returns null if there is no such grant.
const Hold* FindFirstOverlappingGrant(const ViolationContext& record, const Hold& first) {
  const auto begin = std::ranges::lower_bound(record.holds.all, first.core.from_ns, {},
                                              [](const Hold& hold) { return hold.core.from_ns; });
  const int64_t end_ns = first.promised.empty() ? first.core.to_ns : first.promised.back().to_ns;
  for (auto hold = begin; hold != record.holds.all.end(); ++hold) {
    if (hold->core.from_ns >= end_ns) break;
    const bool excluded =
        hold->key == first.key && hold->owner() != first.owner() && !(hold->shared && first.shared);
    const int64_t at_ns = hold->core.from_ns;
    if (excluded && first.PromisedAt(at_ns) && hold->PromisedAt(at_ns)) return &*hold;
  }
  return nullptr;
}

}  // namespace

Explanation ExplainDoubleGrant(const ViolationContext& record, const Hold& first) {
  const Hold* lost = FindFirstOverlappingGrant(record, first);
  if (lost == nullptr) return {.because = "the other's grant is not in the record"};
  std::vector<std::pair<const Hold*, const Hold*>> orders{{&first, lost}};
  if (AcquireInvokedNs(record, *lost) <= first.core.from_ns) orders.emplace_back(lost, &first);
  for (const auto& [had, next] : orders) {
    if (const auto freed = GrantSearch(record, *had, *next).FindProvedRelease()) return *freed;
  }
  std::vector<Candidate> candidates;
  const auto add = [&candidates](std::vector<Candidate> more) {
    std::ranges::move(more, std::back_inserter(candidates));
  };
  for (const auto& [had, next] : orders) add(GrantSearch(record, *had, *next).FindLikelyCauses());
  if (candidates.empty()) {
    for (const auto& [had, next] : orders)
      add(GrantSearch(record, *had, *next).FindReleasesDuringAcquire());
  }
  const bool may_doubt_driver = candidates.empty() && record.history.facts.library.has_value();
  if (may_doubt_driver) {
    for (const auto& [had, next] : orders)
      add(GrantSearch(record, *had, *next).FindReportedReleases());
  }
  Explanation why = ChooseExplanation(record, first, *lost, candidates);
  if (may_doubt_driver && why.cause != Cause::kUnexplained)
    why.perhaps = {std::exchange(why.cause, Cause::kUnexplained)};
  return why;
}

std::optional<Explanation> ExplainRepeat(const ViolationContext& record, const SessionId& session,
                                         uint16_t key, int64_t until_ns,
                                         const std::function<bool(const Call&)>& counts) {
  if (record.history.facts.nodes > 1) return std::nullopt;
  std::vector<const FaultEpisode*> episodes;
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    const bool may_repeat =
        TraitsOf(record.FaultOf(episode)).HasAny({FaultTrait::kDrops, FaultTrait::kRepeats});
    if (may_repeat && episode.client == session.client && episode.node != 0 &&
        episode.from_ns <= until_ns)
      episodes.push_back(&episode);
  }
  if (episodes.empty()) return std::nullopt;
  for (const Op op : {Op::kAcquire, Op::kRelease}) {
    for (const Call* call : record.CallsOf(op, key)) {
      if (call->from_ns > until_ns) break;
      if (call->session != session || !call->Ok() || (counts && !counts(*call))) continue;
      const auto met = [&](const FaultEpisode* episode) {
        const bool drops = Does(record.FaultOf(*episode), FaultTrait::kDrops);
        return call->from_ns <= episode->to_ns &&
               (drops ? episode->to_ns : episode->from_ns) <= call->to_ns;
      };
      const auto found = std::ranges::find_if(episodes, met);
      if (found == episodes.end()) continue;
      return Explanation{.cause = Cause::kResent,
                         .because = fmt::format("{}, and the {} of {} was answered all the same",
                                                FaultClause(record.disturbances, **found), Name(op),
                                                During({call->from_ns, call->to_ns})),
                         .episodes = {*found}};
    }
  }
  return std::nullopt;
}

}  // namespace doublehold
