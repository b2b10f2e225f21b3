#include "compose/replay/no_return.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "checker/rates/pool.h"
#include "checker/rates/trials.h"
#include "compose/explore/judge_cache.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/sim/choices/random_walk.h"

namespace doublehold {
namespace {

using sim::ChoiceKind;

// The part of an execution that its continuations keep.
struct Prefix {
  size_t events = 0;
  uint32_t choices = 0;   // number of questions that were answered
  sim::WalkTerms rest{};  // what may happen afterwards
};

// Gives the answers of the execution to the first questions, and those of `rest` to the others.
class ContinuedChoices final : public sim::ChoiceSource {
 public:
  // If `rest` is null, answers 0 after the prefix. The arguments must outlive this object.
  ContinuedChoices(const sim::Deviations& given, uint32_t length, sim::ChoiceSource* rest)
      : given_(given), length_(length), rest_(rest) {}

  uint32_t Choose(ChoiceKind kind, uint32_t count) override {
    const uint32_t at = asked_++;
    if (at < length_)
      return next_ < given_.size() && given_[next_].at == at ? given_[next_++].choice : 0;
    ++asked_after_[static_cast<size_t>(kind)];
    return rest_ == nullptr ? 0 : rest_->Choose(kind, count);
  }
  // Number of questions of this kind after the prefix.
  [[nodiscard]] uint32_t AskedAfter(ChoiceKind kind) const {
    return asked_after_[static_cast<size_t>(kind)];
  }

 private:
  const sim::Deviations& given_;
  const uint32_t length_;
  sim::ChoiceSource* const rest_;
  size_t next_ = 0;
  uint32_t asked_ = 0;
  std::array<uint32_t, 2> asked_after_{};
};

// Runs continuations of one execution in one thread.
class Continuer {
 public:
  Continuer(Scenario scenario, const sim::Deviations& choices, const std::string& claim)
      : scenario_(std::move(scenario)), choices_(choices), judge_({claim}) {
    scenario_.terms.frames = nullptr;
    execution_.history.facts = FactsOf(scenario_.plan);
  }

  TrialCount Run(const Prefix& prefix, int64_t count) {
    sim::WalkTerms terms = prefix.rest;
    // The places of faults are drawn from the questions of the continuation without deviations.
    ContinuedChoices plain(choices_, prefix.choices, nullptr);
    scenario_.terms.redraw.reset();
    Simulate(scenario_, plain, bench_, execution_);
    terms.fault_questions = plain.AskedAfter(ChoiceKind::kFault);
    terms.order_questions = plain.AskedAfter(ChoiceKind::kOrder);
    sim::RandomWalk walk(terms);
    TrialCount trials{.of = count};
    for (int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<uint64_t>(i);
      walk.Begin(number);
      scenario_.terms.redraw = {.after_events = prefix.events,
                                .seed = Prng(terms.seed, "continuation", number).Next()};
      ContinuedChoices continued(choices_, prefix.choices, &walk);
      Simulate(scenario_, continued, bench_, execution_);
      const Outcome outcome = judge_.Judge(execution_.history).outcomes.front();
      if (outcome == Outcome::kViolated) ++trials.violated;
      if (outcome == Outcome::kUnknown) ++trials.undecided;
    }
    return trials;
  }

 private:
  Scenario scenario_;
  const sim::Deviations& choices_;
  sim::Workbench bench_;
  ClaimJudge judge_;
  Execution execution_;
};

Result<std::string> ChooseClaim(const RunVerdict& verdict, const std::string& wanted) {
  std::vector<std::string> violated;
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.outcome == Outcome::kViolated) violated.push_back(claim.claim);
  }
  if (violated.empty())
    return BadInput(
        "--curve: this execution violates no claim, so there is no point of no return; name an "
        "execution that explore printed for a violated claim");
  if (wanted.empty()) return violated.front();
  if (std::ranges::find(violated, wanted) == violated.end())
    return BadInput("--claim: " + UnknownWord("violated claim", wanted, violated));
  return wanted;
}

// Returns a point for the start and for each step, without trials. Steps that tell of a violation
// are left out.
std::vector<NoReturnPoint> ListPoints(const std::vector<ExecutionStep>& steps) {
  std::vector<NoReturnPoint> points(1);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].claim.empty()) points.push_back({.step = i + 1});
  }
  return points;
}

// Returns the index of the last point before the violation is visible.
size_t FindLastBefore(const std::vector<NoReturnPoint>& points,
                      const std::vector<ExecutionStep>& steps, const std::string& claim) {
  const auto found = std::ranges::find(steps, claim, &ExecutionStep::claim);
  const auto number = static_cast<size_t>(found - steps.begin());
  const auto after = std::ranges::upper_bound(points, number, {}, &NoReturnPoint::step);
  return static_cast<size_t>(after - points.begin()) - 1;
}

// Counts the refused attempts among the events since the last point. The story merges successive
// refusals into one step, at the first of them. So a later one is not the step that tells the last
// event.
int CountRefused(std::span<const Event> events, bool tells_last) {
  if (!events.empty() && tells_last) events = events.first(events.size() - 1);
  return static_cast<int>(std::ranges::count_if(events, [](const Event& event) {
    return event.op == Op::kAcquire && event.type == EventType::kFail;
  }));
}

// Returns what a continuation from each point keeps. Counts what happened between the points.
std::vector<Prefix> FindPrefixes(const Scenario& scenario, const sim::Deviations& choices,
                                 const std::vector<ExecutionStep>& steps,
                                 std::vector<NoReturnPoint>& points) {
  std::vector<sim::AskedChoice> asked;
  Scenario noted = scenario;
  noted.terms.asked = &asked;
  sim::GivenChoices given(choices);
  const std::vector<Event> all = Simulate(noted, given).history.events;
  std::vector<Prefix> prefixes;
  Prefix prefix;
  for (NoReturnPoint& point : points) {
    if (point.step > 0) {
      const ExecutionStep& step = steps[point.step - 1];
      // Steps at one instant are not in the order of their events.
      const size_t events = std::max(prefix.events, step.events);
      point.refused = CountRefused(std::span(all).subspan(prefix.events, events - prefix.events),
                                   step.tells_last);
      prefix.events = events;
    }
    const auto after =
        std::ranges::lower_bound(asked, prefix.events, {}, &sim::AskedChoice::events_before);
    const uint32_t kept_before = std::exchange(prefix.choices, after - asked.begin());
    prefix.rest = {.seed = scenario.plan.seed, .faults = 0, .delays = 0};
    // A fault or a deferral of the prefix is used up.
    for (const sim::Deviation& choice : choices) {
      const bool is_fault = asked[choice.at].kind == ChoiceKind::kFault;
      if (choice.at >= prefix.choices) {
        ++(is_fault ? prefix.rest.faults : prefix.rest.delays);
      } else if (choice.at >= kept_before && !is_fault) {
        ++point.deferred;
      }
    }
    prefixes.push_back(prefix);
  }
  return prefixes;
}

// Returns the interval of the share, without regard to unknown continuations.
Interval IntervalOf(const NoReturnPoint& point) {
  return ClopperPearsonOf(point.violated.violated, point.violated.of);
}

// Rounds so that only a count of none is 0 %, and only a count of all is 100 %.
std::string ShareText(const NoReturnPoint& point) {
  if (point.violated.violated == 0) return "0 %";
  if (point.violated.violated == point.violated.of) return "100 %";
  return fmt::format("{:.1f} %", std::clamp(100 * point.Share(), 0.1, 99.9));
}

std::string StepText(const NoReturnPoint& point, const std::vector<ExecutionStep>& steps) {
  if (point.step == 0) return "the start";
  return steps[point.step - 1].text +
         (point.deferred == 0 ? "" : "; before it, an event was deferred") +
         (point.refused == 0 ? "" : "; before it, further attempts were refused");
}

}  // namespace

double NoReturnPoint::Share() const {
  return static_cast<double>(violated.violated) /
         static_cast<double>(std::max<int64_t>(violated.of, 1));
}

size_t NoReturnCurve::LargestJump() const {
  size_t at = 0;
  double largest = 0;
  for (size_t i = 1; i < points.size(); ++i) {
    const double jump = points[i].Share() - points[i - 1].Share();
    const bool is_clear = IntervalOf(points[i]).low > IntervalOf(points[i - 1]).high;
    if (is_clear && jump > largest) std::tie(at, largest) = std::pair(i, jump);
  }
  return at;
}

Result<NoReturnCurve> ComputeNoReturn(const Scenario& scenario, const sim::Deviations& choices,
                                      const std::vector<ExecutionStep>& steps,
                                      const RunVerdict& verdict, const NoReturnTerms& terms) {
  NoReturnCurve curve{.claim = TRY(ChooseClaim(verdict, terms.claim)), .points = ListPoints(steps)};
  const std::vector<Prefix> prefixes = FindPrefixes(scenario, choices, steps, curve.points);
  const size_t last_before = FindLastBefore(curve.points, steps, curve.claim);
  // Threads take points in order, so all points up to the first `end` are computed.
  std::atomic<size_t> next = 0, end = prefixes.size();
  const auto work = [&] {
    Continuer continuer(scenario, choices, curve.claim);
    for (size_t i = next++; i < end; i = next++) {
      NoReturnPoint& point = curve.points[i];
      point.violated = continuer.Run(prefixes[i], terms.each);
      if (i < last_before || point.violated.violated < terms.each) continue;
      for (size_t old = end; i + 1 < old && !end.compare_exchange_weak(old, i + 1);) {
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned int i = 1; i < terms.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  curve.points.resize(end);
  return curve;
}

std::string DescribeJump(const NoReturnCurve& curve, const std::vector<ExecutionStep>& steps) {
  const size_t at = curve.LargestJump();
  if (at == 0)
    return fmt::format(
        "No step raises the share that violates {} by more than chance: it is {} at the start, and "
        "{} at step {}.",
        curve.claim, ShareText(curve.points.front()), ShareText(curve.points.back()),
        curve.points.back().step);
  const NoReturnPoint& point = curve.points[at];
  return fmt::format("The share that violates {} jumps most at step {}, from {} to {}: {}.",
                     curve.claim, point.step, ShareText(curve.points[at - 1]), ShareText(point),
                     StepText(point, steps));
}

nlohmann::json ToJson(const NoReturnCurve& curve, const std::vector<ExecutionStep>& steps) {
  nlohmann::json points = nlohmann::json::array();
  for (const NoReturnPoint& point : curve.points) {
    const Interval exact = ClopperPearsonOf(point.violated);
    points.push_back({{"step", point.step},
                      {"text", StepText(point, steps)},
                      {"violated", point.violated.violated},
                      {"undecided", point.violated.undecided},
                      {"share", point.Share()},
                      {"clopper_pearson_95", {exact.low, exact.high}}});
  }
  const size_t jump = curve.LargestJump();
  return {{"claim", curve.claim},
          {"continuations", curve.points.front().violated.of},
          {"points", std::move(points)},
          {"jump", jump == 0 ? nlohmann::json() : nlohmann::json(curve.points[jump].step)},
          {"sentence", DescribeJump(curve, steps)}};
}

std::string ToText(const NoReturnCurve& curve, const std::vector<ExecutionStep>& steps) {
  constexpr size_t kBar = 20;
  std::string text = fmt::format(
      "curve of no return: the share of {} random continuations from each step that violates {}\n\n"
      "{:>4} {:>13}  {:>7}  {:<13}  {:<{}}\n",
      curve.points.front().violated.of, curve.claim, "step", "time", "share", "95 %", "", kBar);
  const size_t jump = curve.LargestJump();
  for (size_t i = 0; i < curve.points.size(); ++i) {
    const NoReturnPoint& point = curve.points[i];
    const ExecutionStep step = point.step == 0 ? ExecutionStep{} : steps[point.step - 1];
    const bool is_fault = step.kind == ExecutionStep::Kind::kFault;
    text += fmt::format("{:>4} {:>10.3f} ms  {:>7}  {:<13}  {:<{}} {}{} {}\n", point.step,
                        static_cast<double>(step.at_ns) / 1e6, ShareText(point),
                        PercentText(ClopperPearsonOf(point.violated)),
                        std::string(static_cast<size_t>(std::lround(point.Share() * kBar)), '#'),
                        kBar, jump > 0 && i == jump ? '>' : ' ', is_fault ? '!' : ' ',
                        StepText(point, steps));
  }
  return text + "\n" + DescribeJump(curve, steps) + "\n";
}

}  // namespace doublehold
