// Test fixture: a fake cluster that only logs its calls.
#ifndef DOUBLEHOLD_FAULTS_TESTING_CLUSTER_H_
#define DOUBLEHOLD_FAULTS_TESTING_CLUSTER_H_

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "faults/fault.h"

namespace doublehold::testing {

using Log = std::vector<std::string>;

inline std::string Write(ProcessRef process) {
  return fmt::format("{} {}", process.kind == ProcessRef::Kind::kClient ? "client" : "node",
                     process.number);
}

inline std::string Write(const LinkRule& rule) {
  const char* actions[] = {"delay", "hold", "drop", "reset", "duplicate", "pace"};
  std::string text = rule.direction == Direction::kRequest ? "request " : "reply ";
  text += actions[static_cast<size_t>(rule.action)];
  if (!rule.command.empty()) text += " " + rule.command;
  if (!rule.key.empty()) text += " key " + rule.key;
  if (rule.nth > 1) text += fmt::format(" from {}", rule.nth);
  if (rule.chance < 1) text += fmt::format(" chance {}", rule.chance);
  if (rule.bytes > 0)
    text += fmt::format(" {} bytes every {}", rule.bytes, FormatDuration(rule.gap));
  if (rule.delay > Duration{}) text += " " + FormatDuration(rule.delay);
  if (rule.jitter > Duration{}) text += "+-" + FormatDuration(rule.jitter);
  if (rule.spread == LinkRule::Spread::kNormal) text += " normal";
  if (rule.spread == LinkRule::Spread::kPareto) text += " pareto";
  if (rule.limit > 0) text += fmt::format(" x{}", rule.limit);
  return text;
}

class FakeCluster : public Cluster {
 public:
  MonoTime Now() override { return now; }
  RuleId SetLink(LinkId link, LinkRule rule) override {
    const int from = link.peer == 0 ? link.client : link.peer;
    log.push_back(
        fmt::format("{}{}-{} {}", link.peer == 0 ? "" : "server ", from, link.node, Write(rule)));
    rules[++last] = std::move(rule);
    return last;
  }
  RuleReport ClearLink(RuleId rule) override {
    log.push_back(fmt::format("clear {}", rule));
    EXPECT_EQ(rules.erase(rule), 1u);
    return {.frames = 1, .longest_delay = Duration(rule)};
  }
  void Pause(ProcessRef process) override { log.push_back("pause " + Write(process)); }
  std::optional<int> FindLeader() override { return std::nullopt; }
  void Resume(ProcessRef process) override { log.push_back("resume " + Write(process)); }
  bool IsAlive(ProcessRef process) override { return !dead.contains(process); }
  void Kill(ProcessRef process) override { log.push_back("kill " + Write(process)); }
  void Restart(int node, NodeRestart how) override {
    log.push_back(fmt::format("restart {} after {} {} {}", node, FormatDuration(how.down),
                              static_cast<int>(how.remains), FormatDuration(how.cut)));
    on_back.push_back(std::move(how.on_back));
  }
  void Operate(int node, std::vector<std::string> command,
               std::function<void(CallResult)> answer) override {
    for (std::string& word : command) word = word.substr(0, 40);
    log.push_back(fmt::format("{}: {}", node, fmt::join(command, " ")));
    answers.push_back(std::move(answer));
  }
  SkewId Skew(ProcessRef process, const ClockSkew& skew) override {
    std::string line = fmt::format("skew {}", Write(process));
    if (skew.offset != Duration{}) line += fmt::format(" by {}ms", ToMs(skew.offset));
    if (skew.rate != 1.0) line += fmt::format(" rate {}", skew.rate);
    if (skew.swing != Duration{}) {
      line += fmt::format(" swing {}ms every {}", ToMs(skew.swing), FormatDuration(skew.period));
    }
    log.push_back(std::move(line));
    skews[++last_skew] = process;
    return last_skew;
  }
  std::optional<Duration> ObservedSkew(SkewId skew) override {
    const auto found = observed.find(skews.at(skew));
    return found == observed.end() ? std::nullopt : std::optional(found->second);
  }
  void Unskew(SkewId skew) override {
    log.push_back("unskew " + Write(skews.at(skew)));
    skews.erase(skew);
  }
  void CutReplication(int node) override { log.push_back(fmt::format("cut {}", node)); }
  int64_t MendReplication(int node) override {
    log.push_back(fmt::format("mend {}", node));
    return lost_chunks;
  }
  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    const char* ways[] = {"by hand", "planned", "awaited"};
    log.push_back(fmt::format("promote {} {}", node, ways[static_cast<size_t>(how)]));
    promoted = std::move(done);
  }
  void Detain(int client) override { log.push_back(fmt::format("detain {}", client)); }
  void LetGo(int client) override { log.push_back(fmt::format("let go {}", client)); }

  // Calls the rule's on_limit_reached, as the proxy does after the rule's last frame.
  void ReachLimit(RuleId rule) { std::exchange(rules.at(rule).on_limit_reached, nullptr)(); }

  MonoTime now{};
  Log log;
  RuleId last = 0;
  std::map<RuleId, LinkRule> rules;
  std::map<ProcessRef, Duration> observed;
  std::set<ProcessRef> dead;
  int64_t lost_chunks = 1;
  std::function<void(bool)> promoted;
  std::vector<std::function<void()>> on_back;
  std::vector<std::function<void(CallResult)>> answers;  // of Operate, in order
  std::map<SkewId, ProcessRef> skews;
  SkewId last_skew = 0;
};

class FaultTest : public ::testing::Test {
 protected:
  // Starts a fault in a run of 2 clients and 2 nodes. Resolves `client` as the supervisor does.
  Healer Start(const FaultPlan& plan) {
    const FaultEntry* entry = FindFault(plan.kind);
    EXPECT_TRUE(entry->validate(plan)) << entry->validate(plan).error().message;
    return entry->start(cluster_,
                        {.plan = plan,
                         .client = plan.client.value_or(plan.on ? 1 : 0),
                         .clients = 2,
                         .nodes = 2,
                         .on_limit_reached = [this] { ++limits_reached_; }},
                        prng_);
  }
  Log TakeLog() { return std::exchange(cluster_.log, {}); }

  FakeCluster cluster_;
  Prng prng_{1, "faults"};
  int limits_reached_ = 0;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_FAULTS_TESTING_CLUSTER_H_
