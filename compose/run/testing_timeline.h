// For tests: a timeline with a cluster that only logs its calls. Time does not pass unless a test
// advances it.
#ifndef DOUBLEHOLD_COMPOSE_RUN_TESTING_TIMELINE_H_
#define DOUBLEHOLD_COMPOSE_RUN_TESTING_TIMELINE_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compose/run/timeline.h"

namespace doublehold::testing {

using Lines = std::vector<std::string>;

class TimelineCluster final : public Cluster {
 public:
  MonoTime Now() override { return now; }
  std::optional<int> FindLeader() override { return leader; }
  RuleId SetLink(LinkId /*link*/, LinkRule rule) override {
    rules[++last_rule] = std::move(rule);
    return last_rule;
  }
  RuleReport ClearLink(RuleId rule) override {
    rules.erase(rule);
    return {.frames = frames, .longest_delay = frames > 0 ? Duration(5ms) : Duration{}};
  }
  void Pause(ProcessRef process) override {
    log.push_back(fmt::format("pause {}", process.number));
  }
  void Resume(ProcessRef process) override {
    log.push_back(fmt::format("resume {}", process.number));
  }
  bool IsAlive(ProcessRef process) override { return !dead.contains(process); }
  void Kill(ProcessRef process) override {
    log.push_back(fmt::format("kill {}", process.number));
    dead.insert(process);
  }
  void Restart(int node, NodeRestart how) override {
    log.push_back(fmt::format("restart {}", node));
    on_back = std::move(how.on_back);
  }
  void Operate(int /*node*/, std::vector<std::string> /*command*/,
               std::function<void(CallResult)> answer) override {
    answer(Reply{});
  }
  SkewId Skew(ProcessRef /*process*/, const ClockSkew& /*skew*/) override { return 1; }
  std::optional<Duration> ObservedSkew(SkewId /*skew*/) override { return observed; }
  void Unskew(SkewId /*skew*/) override {}
  void CutReplication(int /*node*/) override {}
  int64_t MendReplication(int /*node*/) override { return 1; }
  void Promote(int node, Promotion /*how*/, std::function<void(bool)> done) override {
    log.push_back(fmt::format("promote {}", node));
    done(true);
  }
  void Detain(int client) override { log.push_back(fmt::format("detain {}", client)); }
  void LetGo(int client) override { log.push_back(fmt::format("let go {}", client)); }

  // The initial time is that of steady_clock, which the timers of the event loop use.
  MonoTime now{std::chrono::steady_clock::now().time_since_epoch()};
  Lines log;
  std::optional<int> leader;
  std::set<ProcessRef> dead;
  std::map<RuleId, LinkRule> rules;
  RuleId last_rule = 0;
  std::function<void()> on_back;
  int64_t frames = 1;  // the number of frames that a rule acted on
  std::optional<Duration> observed = 1s;
};

inline FaultPlan Pause(const std::string& name, std::optional<Trigger> on,
                       std::optional<Trigger> until) {
  FaultPlan fault{.name = name, .kind = "pause"};
  fault.on = on;
  fault.until = until;
  return fault;
}
inline Trigger At(int client, Step step, int nth = 1) {
  return {.client = client, .step = step, .nth = nth};
}

class TimelineTest : public ::testing::Test {
 protected:
  void Begin(std::vector<FaultPlan> faults) {
    plan_.clients = 3;
    plan_.duration = std::chrono::hours(100'000);
    plan_.topology = "independent";
    plan_.nodes = 5;
    plan_.faults = std::move(faults);
    timeline_ = std::make_unique<Timeline>(
        io_, cluster_, plan_,
        Timeline::Hooks{.record =
                            [this](const Event& event) {
                              events_.push_back(event);
                              recorded_.push_back(fmt::format(
                                  "{} {} client {} node {}",
                                  plan_.faults.at(static_cast<size_t>(event.value[0])).name,
                                  Name(event.type), event.value[2], event.value[3]));
                            },
                        .arm = [this](int client, uint32_t steps) { armed_[client] = steps; }});
    timeline_->Begin();
    Settle();
  }
  void Reach(int client, Step step) {
    timeline_->OnStep(client, step);
    Settle();
  }
  // Runs the posted handlers of the event loop, and timers whose time has come.
  void Settle() {
    io_.restart();
    io_.poll();
  }
  void End() {
    timeline_->End();
    Settle();
  }
  // Returns how often the fault has begun.
  [[nodiscard]] int CountStarts(const std::string& name) const {
    int count = 0;
    for (const std::string& line : recorded_) count += line.starts_with(name + " invoke") ? 1 : 0;
    return count;
  }
  [[nodiscard]] bool IsArmed(int client, Step step) const {
    return (armed_.at(client) >> static_cast<unsigned>(step) & 1U) != 0;
  }

  boost::asio::io_context io_;
  TimelineCluster cluster_;
  Plan plan_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<Event> events_;
  Lines recorded_;  // `events_` as text
  std::map<int, uint32_t> armed_;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_COMPOSE_RUN_TESTING_TIMELINE_H_
