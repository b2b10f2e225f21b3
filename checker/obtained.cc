#include "checker/obtained.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/blame.h"
#include "checker/calls.h"
#include "checker/decide.h"
#include "checker/free_keys.h"
#include "checker/scene.h"
#include "checker/story.h"

namespace doublehold {
namespace {

constexpr std::string_view kFairLock = "redisson-fair";

bool EverMatters(const FaultFact& fault) { return MovesAClock(fault) || LosesData(fault); }

bool Any(const FaultFact& /*fault*/) { return true; }

// Nobody extends a lease unseen, and each has an end.
bool LeasesEnd(const RunFacts& facts) {
  if (!facts.library) return true;
  const auto& can = facts.library->can;
  const auto has = [&can](const char* word) { return std::ranges::find(can, word) != can.end(); };
  return has("lease") && !has("watchdog");
}

// What a fault made come late, or twice, may be in the way for long: with a lease without end, or in a queue. Which libraries keep one
// is not recorded.
bool MayLinger(const RunFacts& facts) {
  const bool may_queue = facts.nodes <= 1 && (facts.library || facts.lock == kFairLock);
  return may_queue || !LeasesEnd(facts);
}

// What takes longer on several nodes may have waited for some of them in vain, because the machine was slow: how long a node may take
// is not recorded, but no shorter time-out is of use.
constexpr int64_t kPromptNs = 3'000'000;

bool MayHaveMissedAnswers(const RunFacts& facts, const Call& refused) {
  return facts.nodes > 1 && refused.to_ns - refused.from_ns > kPromptNs;
}

// The servers of locks that a fault is on, when it is on nothing else.
std::set<int> OnlyNodes(const RunFacts& facts, const FaultEpisode& episode) {
  const FaultFact& fault = facts.faults[static_cast<size_t>(episode.fault)];
  std::set<int> nodes(fault.nodes.begin(), fault.nodes.end());
  if (episode.node >= 0) nodes.insert(episode.node);
  const bool others = std::ranges::any_of(nodes, [&](int n) { return n < 1 || n > facts.nodes; });
  return others || episode.client >= 0 ? std::set<int>{} : nodes;
}

// When what disturbs whoever asks for a lock was over.
class Disturbances {
 public:
  explicit Disturbances(const Scene& scene) : scene_(scene), facts_(scene.facts) {}

  // Of those that touched a stretch, the last end; the beginning of it where there was none. Nothing: that is never over.
  [[nodiscard]] std::optional<int64_t> OverSince(const Span& when, int32_t client) const {
    if (WasActive(scene_, {0, when.to_ns}, MayLinger(facts_) ? Any : EverMatters))
      return std::nullopt;
    int64_t since_ns = when.from_ns;
    std::set<int> hit;
    int64_t of_nodes_ns = since_ns;
    for (const FaultEpisode* episode : scene_.EpisodesWithin(when)) {
      const std::set<int> nodes = OnlyNodes(facts_, *episode);
      hit.insert(nodes.begin(), nodes.end());
      int64_t& over_ns = nodes.empty() ? since_ns : of_nodes_ns;
      over_ns = std::max(over_ns, episode->to_ns);
    }
    const bool a_majority_is_left = facts_.nodes - static_cast<int>(hit.size()) > facts_.nodes / 2;
    if (!a_majority_is_left) since_ns = std::max(since_ns, of_nodes_ns);
    for (const Stall* stall : scene_.StallsWithin(when)) {
      // Of several nodes another may have a part while it is stalled.
      const bool in_the_way = HoldsUp(*stall, client) || (facts_.nodes > 1 && stall->client > 0);
      const bool is_long = stall->when.to_ns - stall->when.from_ns > ToNs(facts_.grace) / 2;
      if (in_the_way && is_long) since_ns = std::max(since_ns, stall->when.to_ns);
    }
    return since_ns;
  }

 private:
  const Scene& scene_;
  const RunFacts& facts_;
};

// Of a session and key.
struct Asking {
  const Call* last = nullptr;
  int64_t since_ns = 0;  // it asked in vain, again and again, to the last
  bool waits = false;    // it was not granted the key since it asked first
  int64_t told_of_ns =
      -1;  // the beginning of the stretch in which it was last refused for too long
};

class Checking {
 public:
  Checking(const Evidence& evidence, const Limits& limits)
      : evidence_(evidence),
        scene_(evidence.scene()),
        facts_(evidence.facts()),
        patience_ns_(ToNs(facts_.lease + facts_.grace)),
        disturbances_(scene_),
        stories_(limits) {}

  ClaimVerdict Verdict() && {
    ClaimVerdict verdict{.unit = "asks for a free key"};
    if (evidence_.holds().broken) return Undecided(std::move(verdict), *evidence_.holds().broken);
    if (!evidence_.calls().complete) {
      return Undecided(std::move(verdict),
                       "records were lost: who had the key meanwhile is not known");
    }
    FindStuck();
    const auto spells = FreeSpells(evidence_);
    for (const auto& [key, of_key] : spells) JudgeKey(key, of_key);
    verdict.count = count_;
    verdict.opportunities = granted_ + count_;
    if (auto margin = std::move(left_).Take()) verdict.margins.push_back(std::move(*margin));
    if (count_ == 0 && !doubt_.empty()) return Undecided(std::move(verdict), doubt_);
    if (verdict.opportunities == 0)
      return Undecided(std::move(verdict), "nobody asked for a key that was certainly free");
    const std::string of = Counted(verdict.opportunities, "client") + " that asked for a free key";
    return Decided(std::move(verdict), std::move(stories_),
                   fmt::format("{} of {} did not get it within lease and grace", count_, of),
                   fmt::format("each of {} got it", of));
  }

 private:
  struct Moment {
    int64_t at_ns = 0;
    bool answer = false;  // after what was asked for at the same instant: that may be before it
    const Call* call = nullptr;
  };

  // A driver whose call was not answered refuses what it does not ask.
  void FindStuck() {
    if (!facts_.library) return;
    std::vector<const Call*> by_answer;
    for (const Call& call : evidence_.calls().all) {
      if (call.op == Op::kAcquire || call.op == Op::kRelease) by_answer.push_back(&call);
    }
    std::ranges::stable_sort(by_answer, {}, &Call::to_ns);
    std::map<SessionId, bool> stuck;
    for (const Call* call : by_answer) {
      bool& its = stuck[call->session];
      if (call->outcome == EventType::kInfo) its = true;
      if (call->Ok() || (call->outcome == EventType::kFail && Hinted(*call))) its = false;
      if (its) stuck_.insert(call);
    }
  }

  void JudgeKey(uint16_t key, const std::vector<FreeSpell>& spells) {
    std::vector<Moment> moments;
    for (const Call& call : evidence_.calls().all) {
      if (call.op != Op::kAcquire || call.key != key) continue;
      moments.push_back({call.from_ns, false, &call});
      if (call.to_ns < kForeverNs) moments.push_back({call.to_ns, true, &call});
    }
    std::ranges::stable_sort(moments, {},
                             [](const Moment& m) { return std::pair(m.at_ns, m.answer); });
    asking_.clear();
    asked_since_ns_.clear();
    for (const Moment& moment : moments) {
      if (!moment.answer) {
        Invoked(*moment.call);
        continue;
      }
      const auto after =
          std::ranges::lower_bound(spells, moment.call->from_ns, {},
                                   [](const FreeSpell& spell) { return spell.when.from_ns; });
      Answered(*moment.call, after == spells.begin() ? nullptr : &*std::prev(after));
    }
  }

  void Invoked(const Call& call) {
    Asking& asking = asking_[call.session];
    const Call* last = asking.last;
    const bool goes_on = last != nullptr && last->outcome == EventType::kFail &&
                         !MayHaveMissedAnswers(facts_, *last) &&
                         call.from_ns - last->to_ns <= ToNs(facts_.lease);
    if (!goes_on) asking.since_ns = call.from_ns;
    asked_since_ns_[&call] = asking.since_ns;
    asking.last = &call;
    asking.waits = true;
  }

  // `spell`: the last that had begun when it was called; null: none.
  void Answered(const Call& call, const FreeSpell* spell) {
    Asking& asking = asking_[call.session];
    const int64_t asked_since_ns = asked_since_ns_[&call];
    if (call.outcome == EventType::kFail && spell != nullptr &&
        Before(call.to_ns, spell->when.to_ns)) {
      Refused(call, *spell, asked_since_ns, asking.told_of_ns);
    }
    if (!call.Ok()) return;
    // It may have asked again at the same instant.
    if (asking.last == &call) asking.waits = false;
    if (spell != nullptr && spell->when.to_ns == call.from_ns)
      Granted(call, *spell, asked_since_ns);
  }

  void Granted(const Call& call, const FreeSpell& spell, int64_t asked_since_ns) {
    const int64_t since_ns = std::max(spell.when.from_ns, asked_since_ns);
    if (disturbances_.OverSince({since_ns, call.to_ns}, call.session.client) != since_ns) return;
    ++granted_;
    const int64_t left_ns = patience_ns_ - (call.to_ns - since_ns);
    if (!left_.IsNear(left_ns)) return left_.Add(left_ns);
    left_.Add(left_ns, call.to_ns,
              fmt::format("{} asked for the free key from {} on, and was granted it at {}, with {} "
                          "of lease and grace left",
                          OwnerName(scene_, call.session), At(since_ns), At(call.to_ns),
                          ShortTime(left_ns)));
  }

  void Refused(const Call& call, const FreeSpell& spell, int64_t asked_since_ns,
               int64_t& told_of_ns) {
    int64_t since_ns = spell.when.from_ns;
    if (!SaysThatItIsTaken(call)) since_ns = std::max(since_ns, asked_since_ns);
    if (call.from_ns - since_ns <= patience_ns_ || told_of_ns == spell.when.from_ns) return;
    const auto over =
        disturbances_.OverSince({spell.when.from_ns, call.to_ns}, call.session.client);
    if (!over) return;
    since_ns = std::max(since_ns, *over);
    const Span when{since_ns, call.from_ns};
    if (when.from_ns >= when.to_ns) return;
    const int64_t stood_ns = StoodStillNs(scene_, call.session.client, Side::kSession, when);
    if (call.from_ns - since_ns - stood_ns <= patience_ns_) return;
    if (const std::string why = WhyPerhapsRightly(call); !why.empty()) {
      if (doubt_.empty())
        doubt_ =
            fmt::format("{} {}; {}", OwnerName(scene_, call.session), Tell(call, spell, ""), why);
      return;
    }
    told_of_ns = spell.when.from_ns;
    ++count_;
    if (!stories_.Wanted()) return stories_.SawAt(call.to_ns);
    const std::string asked = asked_since_ns < call.from_ns
                                  ? fmt::format(" and asked in vain since {}", At(asked_since_ns))
                                  : "";
    Violation violation = TellDeed(scene_, {.by = call.session,
                                            .key = call.key,
                                            .when = {call.from_ns, call.to_ns},
                                            .what = Tell(call, spell, asked),
                                            .of_service = true});
    if (spell.last != nullptr) violation.first = spell.last->Ref();
    // What a fault left behind stays.
    NameEarlierFault(scene_, violation, Any);
    stories_.Add(std::move(violation));
  }

  static bool Hinted(const Call& refused) { return refused.answer[0] > 0; }

  [[nodiscard]] bool SaysThatItIsTaken(const Call& refused) const {
    return facts_.nodes <= 1 && (!facts_.library || Hinted(refused));
  }

  // Empty: it was not.
  [[nodiscard]] std::string WhyPerhapsRightly(const Call& refused) const {
    const auto waiting =
        std::ranges::count_if(asking_, [](const auto& asking) { return asking.second.waits; });
    if (facts_.nodes <= 1 && waiting > 1)
      return "only if another stood before it in a queue is that right";
    if (MayHaveMissedAnswers(facts_, refused))
      return "it took so long that some of the nodes may have answered too late";
    if (stuck_.contains(&refused))
      return "its driver may have asked for nothing, a call before not being answered";
    return "";
  }

  [[nodiscard]] std::string Tell(const Call& refused, const FreeSpell& spell,
                                 const std::string& asked) const {
    const std::string free =
        spell.last != nullptr
            ? fmt::format("which nobody had since {}, when {} was the last to have it",
                          At(spell.when.from_ns), OwnerName(scene_, spell.last->owner()))
            : fmt::format("which nobody had since {}", At(spell.when.from_ns));
    return fmt::format("asked for the key at {},{}{} {}, and was refused it at {}",
                       At(refused.from_ns), asked, asked.empty() ? "" : ",", free,
                       At(refused.to_ns));
  }

  const Evidence& evidence_;
  const Scene& scene_;
  const RunFacts& facts_;
  const int64_t patience_ns_;
  Disturbances disturbances_;
  Stories stories_;
  MarginFinder left_{{.what = "least time left of lease and grace when a free key was granted",
                      .missed = "longest that a free key was asked for beyond lease and grace"}};
  std::set<const Call*> stuck_;  // refused, perhaps without a question
  std::map<SessionId, Asking> asking_;
  std::map<const Call*, int64_t> asked_since_ns_;
  int64_t granted_ = 0;
  int64_t count_ = 0;
  std::string doubt_;
};

}  // namespace

ClaimVerdict CheckObtained(const Evidence& evidence, const Limits& limits) {
  return Checking(evidence, limits).Verdict();
}

}  // namespace doublehold
