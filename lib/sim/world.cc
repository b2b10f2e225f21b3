#include "lib/sim/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/base/check.h"
#include "lib/sim/sim_env.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

World::World(const WorldTerms& terms, ChoiceSource& choices, Workbench& bench)
    : terms_(terms),
      choices_(choices),
      bench_(bench),
      now_(kStart),
      network_(std::make_unique<Network>(*this, terms.nodes, bench.scripts)) {
  for (int number = 0; number <= terms.clients; ++number)
    processes_.push_back(std::make_unique<Process>(Process{.number = number}));
  for (const SimFault fault : terms.faults)
    faults_at_[static_cast<size_t>(EntryOf(fault).at)].push_back(fault);
}

World::~World() {
  for (const auto& process : processes_) Kill(*process);
}

void World::Start(int process, TaskKind kind, int thread, std::function<void(Env&)> body) {
  AddTask(*processes_[static_cast<size_t>(process)], kind, thread, std::move(body));
}

World::Task& World::AddTask(Process& process, TaskKind kind, int thread,
                            std::function<void(Env&)> body) {
  const auto number = static_cast<uint32_t>(tasks_.size());
  tasks_.push_back(std::make_unique<Task>(process, number, kind, thread));
  Task& task = *tasks_.back();
  task.env = std::make_unique<SimEnv>(*this, task);
  task.fiber.emplace(bench_.stacks, [this, &task, run = std::move(body)] {
    run(*task.env);
    task.finished = true;
    if (task.joiner) Wake(*task.joiner);
  });
  Wake(number);
  return task;
}

void World::Run(bool with_faults) {
  with_faults_ = with_faults;
  while (DropStale(), !due_.empty()) {
    if (++steps_ > terms_.most_steps) {
      cut_off_ = true;
      due_.clear();
      for (const auto& process : processes_) Kill(*process);
      return;
    }
    const Due due = TakeNext();
    now_ = std::max(now_, due.at);
    Happen(due);
  }
}

void World::Plan(Due due) {
  due.number = ++planned_;
  due_.push_back(due);
  std::ranges::push_heap(due_, Later{});
}

// What was to end a wait that has ended otherwise: it does not even let time pass.
void World::DropStale() {
  const auto is_stale = [this](const Due& due) {
    return due.what == Due::What::kWake &&
           (tasks_[due.which]->finished || due.wait != tasks_[due.which]->wait);
  };
  while (!due_.empty() && is_stale(due_.front())) {
    std::ranges::pop_heap(due_, Later{});
    due_.pop_back();
  }
}

// The next thing, or, when the choices want that and another is due within the window, the one after it.
World::Due World::TakeNext() {
  const auto take = [this] {
    std::ranges::pop_heap(due_, Later{});
    const Due taken = due_.back();
    due_.pop_back();
    return taken;
  };
  Due first = take();
  DropStale();
  if (!with_faults_ || terms_.window <= Duration::zero()) return first;
  while (!due_.empty() && due_.front().at - first.at <= terms_.window &&
         due_.front().what != Due::What::kHeal && first.what != Due::What::kHeal) {
    if (choices_.Choose(ChoiceKind::kOrder, 2) == 0) break;
    const Due second = take();
    DropStale();
    first.at = std::max(first.at, second.at);
    Plan(first);
    first = second;
  }
  return first;
}

void World::Happen(const Due& due) {
  switch (due.what) {
    case Due::What::kWake:
      return GoOn(due);
    case Due::What::kRequest:
      return network_->DeliverRequest(due.which);
    case Due::What::kReply:
      return network_->DeliverReply(due.which);
    case Due::What::kHeal:
      return Heal(due.which);
  }
}

void World::GoOn(const Due& due) {
  Task& task = *tasks_[due.which];
  Process& process = task.process;
  const auto later = [&] {
    Due again = due;
    again.at = process.still_until;
    Plan(again);
  };
  if (process.still_until > now_) return later();
  // One that has not begun yet is as good as one that begins later.
  if (process.number > 0 && task.begun) {
    const std::optional<SimFault> fault = Strike(Point::kGoOn);
    if (fault == SimFault::kPause) {
      process.still_until = now_ + terms_.lasts;
      Note(*fault, process.number, -1, process.still_until,
           fmt::format("client {} stopped for {}", process.number, FormatDuration(terms_.lasts)));
      return later();
    }
    if (fault == SimFault::kKill) {
      Note(*fault, process.number, -1, now_, fmt::format("client {} killed", process.number));
      return Kill(process);
    }
    if (fault == SimFault::kClientClock) {
      process.clock_ahead += terms_.lasts;
      Note(*fault, process.number, -1, MonoTime::max(),
           fmt::format("client {}'s clock jumps ahead by {}", process.number,
                       FormatDuration(terms_.lasts)));
    }
  }
  RunTask(task);
}

void World::RunTask(Task& task) {
  task.begun = true;
  ++task.wait;  // whatever else was to end this wait comes too late
  task.fiber->Resume();
}

// Its tasks run to their ends, to leave nothing behind, in a world in which nothing answers and nothing is recorded.
void World::Kill(Process& process) {
  process.gone = true;
  for (auto task = tasks_.size(); task-- > 0;) {
    if (&tasks_[task]->process == &process && !tasks_[task]->finished) RunTask(*tasks_[task]);
  }
}

void World::Block(Task& task, MonoTime until) {
  if (task.process.gone) return;
  if (until != MonoTime::max())
    Plan({.at = std::max(until, now_),
          .what = Due::What::kWake,
          .which = task.number,
          .wait = task.wait});
  task.fiber->Yield();
}

void World::Wake(uint32_t task) {
  Plan({.at = now_, .what = Due::What::kWake, .which = task, .wait = tasks_[task]->wait});
}

void World::Join(Task& joining, Task& child) {
  child.stop = true;
  if (!child.finished) Wake(child.number);
  child.joiner = joining.number;
  while (!child.finished) {
    Block(joining, MonoTime::max());
    if (joining.process.gone && !child.finished) RunTask(child);
  }
}

void World::Record(const Task& task, Event event) {
  if (task.process.gone) return;
  event.at_ns = ToNs(now_ - kStart);
  event.client = task.process.number;
  event.task = task.kind;
  event.thread = static_cast<uint8_t>(task.thread);
  events_.push_back(event);
}

std::optional<SimFault> World::Strike(Point point) {
  const std::vector<SimFault>& faults = faults_at_[static_cast<size_t>(point)];
  if (!with_faults_ || faults.empty()) return std::nullopt;
  const uint32_t choice =
      choices_.Choose(ChoiceKind::kFault, static_cast<uint32_t>(faults.size()) + 1);
  if (choice == 0) return std::nullopt;
  return faults[choice - 1];
}

void World::Note(SimFault fault, int client, int node, MonoTime until, std::string what) {
  const bool ends = until != MonoTime::max();
  const Duration asked = ends ? until - now_ : terms_.lasts;
  const auto index = static_cast<int64_t>(faults_.size());
  const SimFaultEntry& entry = EntryOf(fault);
  FaultFact fact{.name = fmt::format("{}-{}", entry.name, index + 1),
                 .kind = std::string(entry.kind),
                 .what = std::move(what),
                 .planned = 1};
  if (node >= 0) fact.nodes.push_back(node);
  faults_.push_back(std::move(fact));
  struck_.push_back(fault);
  Event event{.at_ns = ToNs(now_ - kStart),
              .client = kSupervisor,
              .op = Op::kFault,
              .type = EventType::kInvoke,
              .value = {index, ToNs(asked), client, node}};
  events_.push_back(event);
  event.type = EventType::kOk;
  heals_.push_back(event);
  if (ends) Plan({.at = until, .what = Due::What::kHeal, .which = static_cast<uint32_t>(index)});
}

void World::Heal(uint32_t fault) {
  Event event = heals_[fault];
  event.at_ns = ToNs(now_ - kStart);
  events_.push_back(event);
}

}  // namespace doublehold::sim
