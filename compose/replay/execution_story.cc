#include "compose/replay/execution_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/names.h"
#include "checker/evidence/traits.h"
#include "compose/replay/effect_times.h"

namespace doublehold {
namespace {

using StepKind = ExecutionStep::Kind;

constexpr int64_t kSoonNs = 1'000'000;  // times this close together are one step

std::string Ms(int64_t at_ns) { return fmt::format("{:.3f} ms", static_cast<double>(at_ns) / 1e6); }

class StoryWriter {
 public:
  StoryWriter(const History& history, const RunVerdict& verdict, const std::vector<Frame>& frames)
      : history_(history),
        verdict_(verdict),
        evidence_(history),
        effects_(frames),
        takes_one_(WriteModeOf(history.facts) == WriteMode::kDecrement) {}

  std::vector<ExecutionStep> Write() && {
    for (const Event& event : history_.events) Take(event);
    for (auto& [who, refused] : refused_) Flush(refused);
    for (const auto& [what, asked] : open_) {
      if (asked->op == Op::kWait) continue;
      Add(*asked, StepKind::kDone,
          Who(*asked) + DescribeRequest(*asked) + ", and no answer ever comes");
      CarriedOut(*asked, effects_.Find(*asked, kForeverNs));
    }
    for (const Hold& hold : evidence_.holds().all) LeaseOver(hold);
    for (const ClaimVerdict& claim : verdict_.claims) Found(claim);
    std::ranges::stable_sort(steps_, {}, &ExecutionStep::at_ns);
    return std::move(steps_);
  }

 private:
  using Asker = std::tuple<int32_t, TaskKind, uint8_t>;
  struct Refused {
    const Event* first = nullptr;
    int64_t first_ns = 0, last_ns = 0;  // when the server refused
    int count = 0;
    bool by_dead_server = false;  // whether a server was dead at the first of these attempts
  };

  // Adds a step that tells of `event`, which is an element of the history.
  void Add(const Event& event, StepKind kind, std::string text) {
    const auto events = static_cast<size_t>(&event - history_.events.data()) + 1;
    steps_.push_back({event.at_ns, kind, std::move(text), events, {}, /*tells_last=*/true});
  }
  // Adds a step that has no event of its own.
  void AddAt(int64_t at_ns, StepKind kind, std::string text, std::string claim = {}) {
    const auto after = std::ranges::upper_bound(history_.events, at_ns, {}, &Event::at_ns);
    const auto events = static_cast<size_t>(after - history_.events.begin());
    steps_.push_back({at_ns, kind, std::move(text), events, std::move(claim)});
  }
  std::string Who(const Event& event) const {
    return event.client > 0 ? OwnerName(evidence_.disturbances(), SessionOf(event))
                            : ProcessName(event.client);
  }
  std::string Key(const Event& event) const { return KeyName(history_.facts, event.key); }

  void Take(const Event& event) {
    if (event.op == Op::kFault) return Fault(event);
    if (event.op == Op::kFinal)
      return Add(
          event, StepKind::kDone,
          fmt::format("at the end the stock is {}, of {} orders", event.value[0], event.value[1]));
    if (event.op == Op::kExpiry) {
      if (event.value[0] == -1)
        Add(event, StepKind::kDone, Key(event) + " is still there, and never expires");
      return;
    }
    const Asker who{event.client, event.task, event.thread};
    const std::pair what{who, event.op};
    if (event.type == EventType::kInvoke) {
      open_[what] = &event;
      return;
    }
    const auto found = open_.find(what);
    const Event& asked = found == open_.end() ? event : *found->second;
    if (found != open_.end()) open_.erase(found);
    Answered(asked, event);
  }

  void Answered(const Event& asked, const Event& answer) {
    std::optional<int64_t> effect_ns;
    if (answer.op != Op::kWait) effect_ns = effects_.Find(asked, answer.at_ns);  // no single call
    const int64_t at_ns = std::min(effect_ns.value_or(answer.at_ns), answer.at_ns);
    Refused& refused = refused_[{answer.client, answer.task, answer.thread}];
    if (answer.op == Op::kAcquire && answer.type == EventType::kFail) {
      // A refusal comes after the grant to another, which is told when that client learnt of it.
      const int64_t told_ns = answer.at_ns - at_ns > kSoonNs ? at_ns : answer.at_ns;
      if (refused.count++ == 0) {
        refused.first = &answer;
        refused.first_ns = told_ns;
        refused.by_dead_server = server_is_dead_;
      }
      refused.last_ns = told_ns;
      return;
    }
    const std::string text = DescribeCallAnswer(answer);
    if (text.empty()) return;
    Flush(refused);
    const bool unanswered = answer.type == EventType::kInfo;
    // The client acts on a grant, and on the loss of its lease, when it learns of them.
    const bool when_learnt = unanswered || answer.op == Op::kAcquire ||
                             (answer.op == Op::kExtend && answer.type == EventType::kFail);
    const int64_t told_ns = when_learnt ? answer.at_ns : at_ns;
    const bool late = (told_ns - asked.at_ns > kSoonNs && answer.client > 0) ||
                      (unanswered && effect_ns.has_value());
    if (late) Add(asked, StepKind::kDone, Who(asked) + DescribeRequest(asked));
    if (late && when_learnt) CarriedOut(asked, effect_ns);
    AddCall(told_ns, answer, Who(answer) + text);
    if (answer.at_ns - told_ns > kSoonNs)
      Add(answer, StepKind::kDone,
          fmt::format("{} gets the answer to its {}", Who(answer), Name(answer.op)));
  }

  // Adds the step of a call with this answer, which is told at `at_ns`.
  void AddCall(int64_t at_ns, const Event& answer, std::string text) {
    if (answer.at_ns - at_ns > kSoonNs) return AddAt(at_ns, StepKind::kDone, std::move(text));
    Add(answer, StepKind::kDone, std::move(text));
    steps_.back().at_ns = at_ns;
  }

  // Tells when a server carried out a call whose client did not know of it.
  void CarriedOut(const Event& asked, std::optional<int64_t> effect_ns) {
    if (effect_ns)
      AddAt(*effect_ns, StepKind::kDone,
            fmt::format("{}'s {} is carried out", Who(asked), Name(asked.op)));
  }

  void Flush(Refused& refused) {
    if (refused.count == 0) return;
    const bool once = refused.count == 1;
    const std::string times =
        once ? "" : fmt::format(" {} times until {}", refused.count, Ms(refused.last_ns));
    // A client cannot reach a dead server, so the text must not say that the server refused.
    const std::string how = refused.by_dead_server ? ", and cannot obtain it: a server is dead"
                            : once                 ? ", and is refused"
                                                   : ", and is refused each time";
    AddCall(refused.first_ns, *refused.first,
            Who(*refused.first) + DescribeRequest(*refused.first) + times + how);
    refused.count = 0;
  }

  // Describes the request of a call. The text follows the client's name.
  std::string DescribeRequest(const Event& asked) const {
    switch (asked.op) {
      case Op::kAcquire:
        return " asks for " + Key(asked);
      case Op::kExtend:
        return " asks to extend its lease of " + Key(asked);
      case Op::kRelease:
        return " asks to release " + Key(asked);
      case Op::kRead:
        return " asks for the stock";
      case Op::kWrite:
        return takes_one_ ? fmt::format(" asks to take one, having read {}", asked.value[0])
                          : fmt::format(" asks to write {}, having read {}", asked.value[1],
                                        asked.value[0]);
      case Op::kOrder:
        return " asks to confirm the order";
      case Op::kWait:
        return " begins to wait for " + Key(asked);
      case Op::kProbe:
        return " tries to acquire " + Key(asked);
      default:
        return fmt::format(" begins: {}", Name(asked.op));
    }
  }

  // Describes the outcome of a call. Returns an empty text if the outcome is no step of the story.
  std::string DescribeCallAnswer(const Event& answer) const {
    if (answer.op == Op::kWait)
      return answer.type == EventType::kFail ? " gives up waiting for " + Key(answer) : "";
    if (answer.type == EventType::kInfo)
      return fmt::format("'s {} is not answered", Name(answer.op));
    const bool ok = answer.type == EventType::kOk;
    switch (answer.op) {
      case Op::kAcquire:
        return Granted(answer);
      case Op::kExtend:
        return ok ? fmt::format("'s lease of {} is extended until {}", Key(answer),
                                Ms(answer.value[0]))
                  : " is notified that its lease is lost";
      case Op::kRelease:
        return Released(answer);
      case Op::kRead:
        return ok ? fmt::format(" reads stock {}", answer.value[0])
                  : " is refused to read the stock";
      case Op::kWrite:
        if (!ok && takes_one_) return " is refused to take one";
        if (!ok) return fmt::format(" is refused to write {}", answer.value[1]);
        return fmt::format(" {} {}, having read {}", takes_one_ ? "takes the stock to" : "writes",
                           answer.value[1], answer.value[0]);
      case Op::kOrder:
        return ok ? " confirms the order" : " sells nothing";
      case Op::kProbe:
        return fmt::format(" {} {}, after {}", ok ? "can acquire" : "cannot acquire", Key(answer),
                           Ms(answer.value[0]));
      case Op::kSave:
        return fmt::format(" {} task {}", ok ? "saves" : "finds saved", answer.value[0]);
      case Op::kLook:
        return fmt::format(" sees versions {} and {}", answer.value[0], answer.value[1]);
      default:
        return fmt::format(" {}: {}", Name(answer.op), Name(answer.type));
    }
  }

  std::string Granted(const Event& answer) const {
    std::string text = " is granted " + Key(answer);
    if (answer.value[1] != 0) text += fmt::format(" with token {}", answer.value[1]);
    const int64_t until_ns = answer.value[0];
    if (until_ns >= kForeverNs) return text + ", for ever";
    return text + fmt::format("; its lease {} {}",
                              until_ns > answer.at_ns ? "runs until" : "was over at", Ms(until_ns));
  }

  std::string Released(const Event& answer) const {
    const bool ok = answer.type == EventType::kOk;
    if (answer.value[0] == 0)
      return ok ? " releases " + Key(answer)
                : "'s release of " + Key(answer) + " is refused: not its owner";
    const bool looked = LockHas(history_.facts, LockTrait::kLooksFirst);
    return fmt::format(" deletes {}{}{}", Key(answer),
                       looked ? ", whose owner it checked before" : " without checking its owner",
                       ok ? "" : ", but the key is gone");
  }

  void Fault(const Event& event) {
    const FaultFact& fault = history_.facts.faults[static_cast<size_t>(event.value[0])];
    if (event.type == EventType::kInvoke) {
      server_is_dead_ = server_is_dead_ || (TraitsOf(fault).Has(FaultTrait::kKills) &&
                                            !fault.nodes.empty() && history_.facts.nodes == 1);
      return Add(event, StepKind::kFault, fault.what);
    }
    if (event.value[1] > 0) Add(event, StepKind::kFault, "end of the fault: " + fault.what);
  }

  void LeaseOver(const Hold& hold) {
    const int64_t end_ns = hold.core.to_ns;
    if (hold.LiveAt(end_ns)) return;
    const int64_t over_ns = hold.LeaseEndBefore(end_ns);
    if (over_ns <= hold.core.from_ns || over_ns >= end_ns) return;
    AddAt(over_ns, StepKind::kDone,
          fmt::format("{}'s lease of {} ends, and it still holds the lock",
                      OwnerName(evidence_.disturbances(), hold.owner()),
                      KeyName(history_.facts, hold.key)));
  }

  void Found(const ClaimVerdict& claim) {
    for (const Violation& violation : claim.violations) {
      std::string text = claim.claim + " is violated";
      const bool held_twice = claim.claim == "exclusion" || claim.claim == "lease-exclusion";
      if (!held_twice)
        text += ": " + violation.sentence;
      else if (violation.first && violation.second)
        text += fmt::format(": client {}, which holds since {}, and client {}, since {}",
                            violation.first->client, Ms(violation.first->from_ns),
                            violation.second->client, Ms(violation.second->from_ns));
      // A violation without a time is shown at the end.
      const bool is_known = violation.from_ns > 0 || violation.to_ns > 0;
      const int64_t end_ns = history_.events.empty() ? 0 : history_.events.back().at_ns;
      AddAt(is_known ? violation.from_ns : end_ns, StepKind::kFound, std::move(text), claim.claim);
    }
  }

  const History& history_;
  const RunVerdict& verdict_;
  const Evidence evidence_;
  const EffectTimes effects_;
  const bool takes_one_;  // a write is a decrement, not a SET
  std::vector<ExecutionStep> steps_;
  std::map<std::pair<Asker, Op>, const Event*> open_;
  std::map<Asker, Refused> refused_;
  bool server_is_dead_ = false;  // whether the only node was killed
};

}  // namespace

std::vector<ExecutionStep> DescribeSteps(const History& history, const RunVerdict& verdict,
                                         const std::vector<Frame>& frames) {
  return StoryWriter(history, verdict, frames).Write();
}

std::string ToText(const std::vector<ExecutionStep>& steps) {
  constexpr std::string_view kSigns = " !*";
  std::string text;
  for (size_t i = 0; i < steps.size(); ++i)
    text += fmt::format("{:>4} {:>13}  {} {}\n", i + 1, Ms(steps[i].at_ns),
                        kSigns[static_cast<size_t>(steps[i].kind)], steps[i].text);
  return text;
}

}  // namespace doublehold
