// A strategy decides which executions a search runs, and in which order. A strategy gives rounds,
// which consist of parts. One worker runs the executions of a part one after the other. The parts
// of a round run in parallel. Their results are counted in the order of the parts, while later
// parts run.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_STRATEGY_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_STRATEGY_H_

#include <memory>
#include <optional>
#include <vector>

#include "compose/explore/explore.h"
#include "compose/explore/judge_cache.h"

namespace doublehold {

using Questions = std::vector<sim::GivenChoices::Question>;

// The result of one execution.
struct Done {
  sim::Deviations deviations;
  Questions open{};  // the questions after the last deviation, if the strategy needs them
  std::vector<sim::GivenChoices::State> states{};  // the state at each open question, if wanted
  // How many of its faults and delays count against each bound. Executions that differ in it have
  // different continuations within the bounds.
  sim::StateDigest used{};
  int64_t stands_for = 1;  // the number of executions that are judged like this one
  bool is_run = true;      // false: it was run before, and stands for further executions
  bool is_within = true;   // whether it is within the bounds; else it is not counted
  bool cut_off = false;
  bool has_read_clock = false;      // Execution::has_read_clock
  bool is_equal = true;             // whether a second run had the same history
  int how_unusual = 0;              // highest number (FaultForm) of a fault in it
  uint64_t digest = 0;              // digest of the history; 0: not judged
  std::vector<Outcome> outcomes{};  // one outcome for each claim
  MarkSet marks{};
};

// Runs executions in one thread.
class Worker {
 public:
  // `scenario` and `bounds` must outlive the worker.
  Worker(const Scenario& scenario, const Bounds& bounds);

  // Runs an execution with the decisions of `choices`, and judges it unless it is skipped. Sets all
  // fields of `done` except `deviations` and `open`.
  void Run(sim::ChoiceSource& choices, Done& done);
  // Runs the execution with the deviations of `done`. CHECKs that the deviations fit. With
  // `keeps_states`, also sets Done::states.
  void Run(Done& done, bool keeps_states = false);
  // If Bounds::run_twice is set, runs the execution of `done` again and compares the histories.
  void RunAgain(Done& done);
  // Describes the violation of a claim in the last execution, or says why the claim is unknown.
  [[nodiscard]] std::string Sentence(size_t claim) const;

 private:
  [[nodiscard]] bool IsWithin(const std::vector<FaultForm>& begun_faults) const;

  const Scenario& scenario_;
  const Bounds& bounds_;
  sim::Workbench bench_, other_bench_;
  ClaimJudge judge_;
  Execution execution_, again_;  // the last executions, kept to reuse their memory
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Begins the next round and returns its number of parts. Returns 0 at the end of the search.
  virtual size_t NextRound() = 0;
  // Runs one part. Called by several threads at once, so it may change only `worker`, and may not
  // read what Take changes.
  virtual std::vector<Done> RunPart(size_t part, Worker& worker) const = 0;
  // Takes the result of an execution. Called in the order of the parts.
  virtual void Take(const Done& done) = 0;
  [[nodiscard]] virtual int64_t KeptBytes() const { return 0; }
};

// Returns the deviations that the bounds allow after the deviations `made`, at the questions
// `open`.
sim::Deviations NextDeviations(const Bounds& bounds, const sim::Deviations& made,
                               const Questions& open);

// Each of these functions is in a file of its own. `bounds` must outlive the strategy. `plain` has
// the questions of the execution without deviations.
std::unique_ptr<Strategy> MakeExhaustive(const Bounds& bounds);
std::unique_ptr<Strategy> MakeRandomWalks(const Bounds& bounds, const Questions& plain);
std::unique_ptr<Strategy> MakePct(const Bounds& bounds, const Questions& plain);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_STRATEGY_H_
