// Which executions a search runs, and in which order: rounds of parts, each part executions that
// one worker runs one after the other. Parts of a round are run side by side; what they gave is
// taken in in their order.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_STRATEGY_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_STRATEGY_H_

#include <memory>
#include <optional>
#include <vector>

#include "compose/explore/explore.h"
#include "compose/explore/judge_cache.h"

namespace doublehold {

// One execution that was run.
struct Done {
  sim::Deviations deviations;
  std::vector<sim::GivenChoices::Question>
      open{};             // after the last of these, where the strategy asks for them
  bool is_within = true;  // the bounds; else it counts for nothing
  bool cut_off = false;
  bool is_again = false;             // left out: another comes to the same (Execution::again_from)
  bool is_equal = true;              // to itself, run again
  int how_unusual = 0;               // its most unusual fault: its number
  uint64_t digest = 0;               // of its history
  std::vector<Outcome3> outcomes{};  // of each claim
  MarkSet marks{};
};

// The means to run executions, of one thread.
class Worker {
 public:
  // Both outlive it.
  Worker(const Scenario& scenario, const Bounds& bounds);

  // Runs what `choices` decide, and judges it but where it is left out; fills in all of `done` but
  // its deviations and what is open.
  void Run(sim::ChoiceSource& choices, Done& done);
  // The plain one with deviations: CHECKs that they fit.
  void Run(Done& done);
  // Runs it again and compares, where the bounds say so. `done` has its deviations.
  void RunAgain(Done& done);
  // What is told of a claim that the last one violates, or leaves unknown.
  [[nodiscard]] std::string Sentence(size_t claim) const;

 private:
  [[nodiscard]] bool IsWithin(const std::vector<FaultForm>& struck) const;

  const Scenario& scenario_;
  const Bounds& bounds_;
  sim::Workbench bench_, other_bench_;
  ClaimJudge judge_;
  Execution execution_, again_;  // the last; kept for what they have allocated
};

// Of all events, and of the faults.
uint64_t DigestOf(const History& history);

class Strategy {
 public:
  virtual ~Strategy() = default;
  // The parts of the next round; 0: there is nothing left to run.
  virtual size_t NextRound() = 0;
  // Changes nothing but the worker: several at a time.
  virtual std::vector<Done> RunPart(size_t part, Worker& worker) const = 0;
  // In the order of parts.
  virtual void Take(const Done& done) = 0;
  [[nodiscard]] virtual int64_t KeptBytes() const { return 0; }
};

// Whether a further deviation of that kind is within the bounds.
bool MayDeviate(const Bounds& bounds, const sim::Deviations& deviations, sim::ChoiceKind kind);

// Each in a file of its own. The scenario and the bounds outlive them; `plain` are the questions of
// the execution in which nothing goes wrong.
using Questions = std::vector<sim::GivenChoices::Question>;
std::unique_ptr<Strategy> MakeExhaustive(const Bounds& bounds);
std::unique_ptr<Strategy> MakeRandomWalks(const Bounds& bounds, const Questions& plain);
std::unique_ptr<Strategy> MakePct(const Bounds& bounds, const Questions& plain);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_STRATEGY_H_
