#include "compose/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checker/report/claim_letters.h"
#include "compose/plan/plan_builder.h"
#include "faults/fault.h"
#include "faults/plans/form_plan.h"

namespace doublehold {
namespace {

constexpr size_t kMostPairs = 10'000;
constexpr double kLeasesOfAFault = 1.8;
constexpr double kLeasesUntilTheOthersBegin = 0.2;

constexpr char kUnheld = 'w';
constexpr char kUnknownOutcome = '?';
constexpr char kNotReached = '-';
constexpr char kTooShort = '~';
constexpr std::string_view kFine = ".";

Duration Leases(const Plan& plan, double share) {
  return Duration(static_cast<int64_t>(share * static_cast<double>(ToNs(plan.lease))));
}

// Whether the second of two faults had no target.
bool SecondFaultHadNoTarget(const nlohmann::json& verdict) {
  const auto faults = verdict.find("faults");
  return faults != verdict.end() && !faults->empty() && faults->back().at("episodes").empty();
}

// Whether a grant lasted longer than the pauses, although a pause must outlast a grant.
bool HadShortPauses(const nlohmann::json& verdict) {
  const auto spots = verdict.find("blind_spots");
  return spots != verdict.end() && spots->is_object() && spots->value("short_pauses", false);
}

// Whether a claim makes the outcome of a run unknown. An unknown claim with nothing to judge, such
// as `release` if no client released, does so only in two cases: the claim is vital for the lock,
// or no other claim was decided.
bool MakesOutcomeUnknown(const nlohmann::json& claim, bool is_vital,
                         const nlohmann::json& verdict) {
  if (claim.at("outcome") != "unknown") return false;
  const auto is_unknown = [](const nlohmann::json& c) { return c.at("outcome") == "unknown"; };
  const bool had_something = claim.value("opportunities", int64_t{1}) > 0;
  return is_vital || had_something || std::ranges::all_of(verdict.at("claims"), is_unknown);
}

// Returns faults that keep the other clients from their work.
std::vector<FaultPlan> LateOthers(const Plan& plan, Duration late_by) {
  std::vector<FaultPlan> late;
  for (int client = 1; client <= plan.clients; ++client) {
    if (client == kFaultedClient) continue;
    late.push_back({.name = fmt::format("late-{}", client),
                    .kind = "slow",
                    .on = Trigger{.client = client, .step = Step::kStart},
                    .length = late_by});
  }
  return late;
}

// A fault and its place.
struct Point {
  const FaultFormEntry* fault;
  const ProtocolPlace* place;
};

std::string Describe(const Point& point) {
  return fmt::format("{} at {}", point.fault->name, Describe(*point.place));
}

FaultPlan FaultAt(const Point& point, const SweepRequest& request) {
  const auto& [fault, place] = point;
  const Duration lasts = Leases(request.base, kLeasesOfAFault);
  FaultPlan swept = PlanOf(*fault, {.lasts = lasts, .clock_length = lasts});
  swept.name = Describe(point);
  swept.client = kFaultedClient;
  if (place->IsStep()) {
    swept.on = Trigger{.client = kFaultedClient, .step = place->step, .nth = request.section};
    return swept;
  }
  swept.on = StartOfSection(request.section);
  swept.nodes = {place->node};
  swept.command = place->command;
  swept.nth = place->nth;
  swept.count = 1;
  return swept;
}

std::vector<Point> ListPoints(const SweepRequest& request) {
  std::vector<Point> points;
  for (const ProtocolPlace& place : request.found.places) {
    for (const FaultFormEntry* fault : request.faults) {
      const Point point{fault, &place};
      // A kind may refuse a command: `duplicate` refuses MULTI.
      if (place.IsStep() == (fault->site == FaultSite::kClient) &&
          FindFault(fault->kind)->validate(FaultAt(point, request)))
        points.push_back(point);
    }
  }
  return points;
}

Result<SuiteCell> MakeSweepCell(const std::vector<Point>& points, const SweepRequest& request) {
  const bool alone = points.size() == 1;
  SuiteCell cell{
      .row = alone ? Describe(*points.front().place) : Describe(points.front()),
      .column = alone ? std::string(points.front().fault->name) : Describe(points.back()),
      .plan = request.base};
  cell.name = cell.row + "/" + cell.column;
  cell.plan.experiment = cell.name;
  cell.plan.duration += request.found.begins_after;
  // The others begin when the first client has reached its fault.
  const Duration late_by =
      request.found.begins_after + Leases(request.base, kLeasesUntilTheOthersBegin);
  cell.plan.faults = LateOthers(request.base, late_by);
  for (const Point& point : points) cell.plan.faults.push_back(FaultAt(point, request));
  TRY(CheckPlan(cell.plan, cell.name));
  return cell;
}

Result<void> Add(const std::vector<Point>& points, const SweepRequest& request, Suite& suite) {
  SuiteCell cell = TRY(MakeSweepCell(points, request));
  AddCell(suite, std::move(cell));
  return {};
}

// Whether a run can have both faults. They need different places, and no fault can follow a crash
// of the client.
bool CanCombine(const Point& first, const Point& second) {
  return first.place != second.place &&
         !FindFault(first.fault->kind)->traits.Has(FaultTrait::kKills);
}

}  // namespace

Plan PlanToLearn(const Plan& base, int section) {
  Plan plan = base;
  plan.experiment = "learn";
  plan.faults = LateOthers(base, base.duration);
  for (FaultPlan& mark : StepMarks(section)) plan.faults.push_back(std::move(mark));
  return plan;
}

Result<SweepCells> MakeSweepCells(const SweepRequest& request) {
  SweepCells cells{
      .suite = {.name = "sweep-" + request.base.lock, .seed = request.base.seed, .about = {}}};
  const std::vector<Point> points = ListPoints(request);
  for (const Point& point : points) {
    TRY(Add({point}, request, cells.suite));
  }
  cells.singles = points.size();
  if (points.empty())
    return BadInput(
        "--faults: none of these faults can begin at a step or message of this protocol");
  if (request.depth == 1) return cells;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = i + 1; j < points.size(); ++j) {
      if (CanCombine(points[i], points[j])) cells.pairs.emplace_back(i, j);
    }
  }
  if (cells.pairs.size() > kMostPairs) {
    return BadInput(fmt::format(
        "--depth 2: {} pairs of faults at {} places, and {} are the maximum; choose fewer --faults",
        cells.pairs.size(), request.found.places.size(), kMostPairs));
  }
  for (const auto& [i, j] : cells.pairs) {
    TRY(Add({points[i], points[j]}, request, cells.suite));
  }
  return cells;
}

bool IsUnknown(const SweepOutcome& outcome) {
  return outcome.letters.find(kUnknownOutcome) != std::string::npos;
}

SweepOutcome ReadSweepOutcome(const nlohmann::json& verdict, int64_t unheld_ns,
                              const SuiteCell& cell, bool pair) {
  SweepOutcome outcome{.unheld_ns = unheld_ns};
  if (!verdict.is_object())
    return {.letters = {kUnknownOutcome}, .sentence = "the run has no verdict"};
  std::string unknown;
  for (const CheckerEntry* entry : InOrderOfLetters()) {
    for (const nlohmann::json& claim : verdict.at("claims")) {
      if (claim.at("claim") != entry->claim) continue;
      if (unknown.empty() && MakesOutcomeUnknown(claim, entry->letter.vital > 0, verdict))
        unknown = fmt::format("{}: {}", entry->claim, claim.value("reason", ""));
      if (claim.at("outcome") != "violated") continue;
      outcome.violated.emplace_back(entry->claim);
      const auto violations = claim.find("violations");
      if (outcome.sentence.empty() && violations != claim.end() && !violations->empty())
        outcome.sentence = violations->front().value("sentence", "");
    }
  }
  outcome.letters = LettersOf(outcome.violated);
  const bool stuck = outcome.letters.find('L') != std::string::npos;
  if (!stuck && unheld_ns > ToNs(cell.plan.lease) / 2) outcome.letters += kUnheld;
  if (outcome.violated.empty() && HadShortPauses(verdict)) outcome.letters += kTooShort;
  if (pair && outcome.violated.empty() && SecondFaultHadNoTarget(verdict)) {
    outcome.letters += kNotReached;
  } else if (outcome.violated.empty() && !unknown.empty()) {
    outcome.letters += kUnknownOutcome;
    outcome.sentence = unknown;
  }
  if (outcome.letters.empty()) outcome.letters = kFine;
  return outcome;
}

std::string FormatLegend(const std::vector<SweepOutcome>& outcomes) {
  std::string letters;
  for (const SweepOutcome& outcome : outcomes) letters += outcome.letters;
  const auto used = [&](char letter) { return letters.find(letter) != std::string::npos; };
  std::string text = LegendOf(letters);
  if (used(kUnheld))
    text += fmt::format(
        "  {}  the lock was unavailable for more than half a lease, then free again\n", kUnheld);
  if (used(kNotReached))
    text += fmt::format("  {}  the first fault kept the client from the second fault's place\n",
                        kNotReached);
  if (used(kTooShort))
    text += fmt::format("  {}  the pause ended before the lease that was granted\n", kTooShort);
  if (used(kUnknownOutcome)) text += fmt::format("  {}  unknown\n", kUnknownOutcome);
  return text + fmt::format("  {}  nothing\n", kFine);
}

}  // namespace doublehold
