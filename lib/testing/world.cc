#include "lib/testing/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace doublehold::testing {
namespace {

class FakeConnection final : public Connection {
 public:
  FakeConnection(World& world, NodeId node) : world_(world), node_(node) {}

  void Start(Argv command, Deadline /*deadline*/) override {
    words_.assign(command.begin(), command.end());
  }
  void StartScript(const Script& script, Argv keys, Argv args, Deadline /*deadline*/) override {
    words_ = {"EVAL", script.text, std::to_string(keys.size())};
    words_.insert(words_.end(), keys.begin(), keys.end());
    words_.insert(words_.end(), args.begin(), args.end());
  }
  CallResult Finish() override {
    CHECK(world_.answer);
    return world_.answer(node_, words_);
  }

 private:
  World& world_;
  NodeId node_;
  std::vector<std::string> words_;
};

}  // namespace

void World::AdvanceTo(MonoTime time) {
  while (!planned.empty() && planned.begin()->first <= time) {
    const auto next = planned.extract(planned.begin());
    now = std::max(now, next.key());
    next.mapped()();
  }
  now = std::max(now, time);
}

void World::RunTask(Duration until) {
  CHECK(spawned.size() == 1);
  task_end = kStartOfWorld + until;
  std::exchange(spawned, {}).front()();
  task_end = MonoTime::max();
}

bool FakeEnv::SleepUntil(MonoTime time) {
  world_.AdvanceTo(std::min(time, world_.task_end));
  return world_.now < world_.task_end;
}

std::unique_ptr<SqlSession> FakeEnv::OpenSession(NodeId /*node*/) {
  CHECK(world_.open_sql_session);
  return world_.open_sql_session();
}

std::unique_ptr<ZooKeeperSession> FakeEnv::Open(Duration timeout) {
  CHECK(world_.open_session);
  return world_.open_session(timeout);
}

std::unique_ptr<EtcdConnection> FakeEnv::Dial() {
  return world_.dial_etcd ? world_.dial_etcd() : nullptr;
}

std::unique_ptr<Connection> FakeEnv::Connect(NodeId node) {
  return std::make_unique<FakeConnection>(world_, node);
}

std::unique_ptr<Subscription> FakeEnv::Subscribe(NodeId /*node*/, std::string /*channel*/) {
  return nullptr;  // a test that needs a subscription makes its own
}

std::unique_ptr<Task> FakeEnv::Spawn(TaskKind /*kind*/, std::function<void(Env&)> body) {
  world_.spawned.emplace_back([&world = world_, run = std::move(body)] {
    FakeEnv env(world);
    run(env);
  });
  return std::make_unique<Task>();
}

void FakeEnv::Reach(Step step) {
  world_.steps.push_back(step);
  if (world_.on_step) world_.on_step(step);
}

void FakeEnv::Record(Event event) {
  event.at_ns = SinceStartNs(world_.now);
  world_.events.push_back(event);
}

std::vector<std::string> FormatEvents(const std::vector<Event>& events) {
  std::vector<std::string> lines;
  lines.reserve(events.size());
  for (const Event& event : events) {
    lines.push_back(
        fmt::format("{} {} {}", ToMs(Duration(event.at_ns)), Name(event.type), Name(event.op)));
  }
  return lines;
}

}  // namespace doublehold::testing
