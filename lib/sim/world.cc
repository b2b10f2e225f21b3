#include "lib/sim/world.h"

#include <algorithm>
#include <string>
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
      memory_(bench.left != nullptr ? std::move(bench.left)
                                    : std::make_unique<WorldMemory>(bench.scripts)),
      tracks_(choices.WantsStates()) {
  memory_->Begin(*this, terms);
}

World::~World() {
  for (Process& process : memory_->processes) Kill(process);
  memory_->End();
  bench_.left = std::move(memory_);
}

const std::vector<Event>& World::events() const { return memory_->events; }
const std::vector<FaultFact>& World::faults() const { return memory_->faults; }
const std::vector<FaultForm>& World::begun_faults() const { return memory_->begun_faults; }
Network& World::network() { return memory_->network; }

void World::Start(int process, TaskKind kind, int thread, std::function<void(Env&)> body) {
  AddTask(memory_->processes[static_cast<size_t>(process)], kind, thread, std::move(body),
          terms_.apart * std::max(process - 1, 0));
}

World::Task& World::AddTask(Process& process, TaskKind kind, int thread,
                            std::function<void(Env&)> body, Duration later) {
  Task& task = memory_->AddTask();
  task.process = &process;
  task.kind = kind;
  task.thread = thread;
  task.body = std::move(body);
  task.env.emplace(*this, task);
  task.fiber.emplace(bench_.stacks, [this, &task] {
    task.body(*task.env);
    task.finished = true;
    if (task.joiner) Wake(*task.joiner);
  });
  Plan({.at = now_ + later, .what = Due::What::kWake, .which = task.number, .wait = task.wait});
  return task;
}

void World::Run(bool with_faults) {
  for (size_t point = 0; point < kPoints; ++point) {
    const size_t faults = memory_->faults_at[point].size();
    alternatives_[point] = with_faults && faults > 0 ? static_cast<uint32_t>(faults) + 1 : 0;
  }
  const bool reorders = with_faults && terms_.window > Duration::zero();
  while (const Due* next = Next()) {
    if (++steps_ > terms_.most_steps) {
      cut_off_ = true;
      memory_->due.clear();
      memory_->ClearTimers();
      for (Process& process : memory_->processes) Kill(process);
      return;
    }
    const Due due = reorders ? TakeNext(*next) : Take(*next);
    now_ = std::max(now_, due.at);
    Happen(due);
  }
}

// `due` is a plain sorted vector, because few events are planned at a time and most new events are
// due last.
void World::Plan(Due due) {
  due.number = ++planned_;
  Insert(due);
}

void World::Insert(const Due& due) {
  std::vector<Due>& all = memory_->due;
  auto place = all.begin();
  while (place != all.end() && IsBefore(due, *place)) ++place;
  all.insert(place, due);
}

const World::Due* World::Next() {
  std::vector<Due>& all = memory_->due;
  // Drops wake-ups of waits that have already ended, so that they do not advance the time.
  while (!all.empty() && all.back().what == Due::What::kWake) {
    const Task& task = *memory_->tasks[all.back().which];
    if (!task.finished && all.back().wait == task.wait) break;
    all.pop_back();
  }
  const Due* next = all.empty() ? nullptr : &all.back();
  const Due* timer = memory_->FirstTimer();
  if (timer != nullptr && (next == nullptr || IsBefore(*timer, *next))) next = timer;
  const MonoTime expiry = memory_->network.NextExpiry();
  if (next == nullptr || expiry > next->at) return next;
  expiry_ = {.at = expiry, .what = Due::What::kExpire};
  return &expiry_;
}

World::Due World::Take(const Due& next) {
  const Due taken = next;
  if (taken.what == Due::What::kExpire) return taken;
  if (!memory_->due.empty() && &next == &memory_->due.back()) {
    memory_->due.pop_back();
  } else {
    memory_->DropTimer(taken.which);
  }
  return taken;
}

void World::Happen(const Due& due) {
  switch (due.what) {
    case Due::What::kWake:
      return ContinueTask(due);
    case Due::What::kRequest:
      return memory_->network.DeliverRequest(due.which);
    case Due::What::kReply:
      return memory_->network.DeliverReply(due.which);
    case Due::What::kNews:
      return memory_->network.DeliverNews(due.which, due.wait);
    case Due::What::kHeal:
      return Heal(due.which);
    case Due::What::kExpire:
      return memory_->network.Expire();
  }
}

void World::ContinueTask(const Due& due) {
  Task& task = *memory_->tasks[due.which];
  Process& process = *task.process;
  const auto later = [&] {
    Due again = due;
    again.at = process.still_until;
    Plan(again);
  };
  if (process.still_until > now_) return later();
  if (process.number > 0 && (task.begun || !std::exchange(process.begun, true))) {
    const Point point = task.begun ? Point::kContinue : Point::kBegin;
    if (terms_.places != nullptr && !task.begun_fault) NoteContinuation(task, point);
    const std::optional<FaultForm> fault = task.begun_fault
                                               ? std::exchange(task.begun_fault, std::nullopt)
                                               : ChooseFault(point, task.number);
    if (fault == FaultForm::kPause) {
      process.still_until = now_ + terms_.lasts;
      Note(*fault, process.number, -1, process.still_until);
      return later();
    }
    if (fault == FaultForm::kCrash) {
      Note(*fault, process.number, -1, now_);
      return Kill(process);
    }
    if (fault == FaultForm::kClientClock || fault == FaultForm::kClientClockBack) {
      process.clock.Jump(EntryOf(*fault).by_sign * terms_.lasts);
      Note(*fault, process.number, -1, MonoTime::max());
    }
    if (fault == FaultForm::kClientFast) {
      process.clock.RunFast(now_);
      Note(*fault, process.number, -1, MonoTime::max());
    }
  }
  RunTask(task);
}

void World::RunTask(Task& task) {
  task.begun = true;
  task.step.reset();
  // A task that goes on at the same time, where a fault had stopped it, has seen nothing unless
  // another task of its process ran meanwhile.
  if (std::exchange(task.stopped_at, std::nullopt) != now_ ||
      !(task.seen_then == task.process->seen))
    See(task.process->number, task.number, now_);
  ++task.wait;  // other events that would end this wait no longer match
  memory_->DropTimer(task.number);
  Task* const before = std::exchange(running_, &task);
  task.fiber->Resume();
  running_ = before;
}

void World::PassPoint(Task& task) {
  if (task.process->gone || task.process->number == 0) return;
  if (NotesPlaces(Point::kContinue))
    NotePlace({.point = Point::kContinue, .client = task.process->number, .step = task.step});
  See(task.process->number, task.number);
  task.begun_fault = ChooseFault(Point::kContinue, task.number, /*at_step=*/true);
  if (!task.begun_fault) return;
  task.stopped_at = now_;
  task.seen_then = task.process->seen;
  Wake(task.number);
  task.fiber->Yield();
}

// Runs the process's tasks to their ends, so that their stacks are released. The process is marked
// as killed, so every call of its tasks fails and nothing is recorded.
void World::Kill(Process& process) {
  process.gone = true;
  for (size_t i = memory_->task_count; i-- > 0;) {
    Task& task = *memory_->tasks[i];
    if (task.process == &process && !task.finished) RunTask(task);
  }
}

void World::Block(Task& task, MonoTime until) {
  if (task.process->gone) return;
  task.noted.reset();
  if (until != MonoTime::max())
    memory_->AddTimer({.at = std::max(until, now_),
                       .number = ++planned_,
                       .what = Due::What::kWake,
                       .which = task.number,
                       .wait = task.wait});
  task.fiber->Yield();
}

void World::Wake(uint32_t task) {
  Plan({.at = now_, .what = Due::What::kWake, .which = task, .wait = memory_->tasks[task]->wait});
}

void World::Join(Task& joining, Task& child) {
  child.stop = true;
  if (!child.finished) Wake(child.number);
  child.joiner = joining.number;
  while (!child.finished) {
    Block(joining, MonoTime::max());
    if (joining.process->gone && !child.finished) RunTask(child);
  }
}

void World::Record(const Task& task, const Event& event) {
  if (task.process->gone) return;
  if (event.op == Op::kIdle) task.process->idle += event.type == EventType::kInvoke ? 1 : -1;
  Event& recorded = memory_->events.emplace_back(event);
  recorded.at_ns = ToNs(now_ - kStart);
  recorded.client = task.process->number;
  recorded.task = task.kind;
  recorded.thread = static_cast<uint8_t>(task.thread);
}

void World::NoteTraffic(int process, int node) {
  const bool is_idle = memory_->processes[static_cast<size_t>(process)].idle > 0;
  if (!terms_.records_traffic && !is_idle) return;
  memory_->events.push_back({.at_ns = ToNs(now_ - kStart),
                             .client = kSupervisor,
                             .op = Op::kTraffic,
                             .type = EventType::kInfo,
                             .value = {process, node}});
}

FaultForm World::FaultOf(Point point, uint32_t choice) const {
  return memory_->faults_at[static_cast<size_t>(point)][choice - 1];
}

void World::Note(FaultForm fault, int client, int node, MonoTime until, std::string_view command) {
  Record(fault, {.client = client, .node = node, .command = command}, until,
         memory_->texts.Of({.fault = fault,
                            .client = client,
                            .node = node,
                            .command = command,
                            .lasts = terms_.lasts}));
}

void World::Record(FaultForm fault, const FaultPlaceNow& place, MonoTime until, std::string what) {
  const auto& [client, node, command] = place;
  const bool ends = until != MonoTime::max();
  const Duration asked = ends                         ? until - now_
                         : EntryOf(fault).by_sign < 0 ? -terms_.lasts
                                                      : terms_.lasts;
  const auto index = static_cast<int64_t>(memory_->faults.size());
  const FaultFormEntry& entry = EntryOf(fault);
  FaultFact fact{.name = std::string(entry.name).append("-").append(std::to_string(index + 1)),
                 .kind = std::string(entry.kind),
                 .what = std::move(what),
                 .keeps_data = entry.keeps_data,
                 .planned = 1};
  if (node >= 0) fact.nodes.push_back(node);
  memory_->faults.push_back(std::move(fact));
  memory_->begun_faults.push_back(fault);
  // A takeover is a fault of servers, although the text may name a client.
  const int hit = entry.site == FaultSite::kMasters ? -1 : client;
  Event event{.at_ns = ToNs(now_ - kStart),
              .client = kSupervisor,
              .op = Op::kFault,
              .type = EventType::kInvoke,
              .value = {index, ToNs(asked), hit, node}};
  memory_->events.push_back(event);
  event.type = EventType::kOk;
  memory_->heals.push_back(event);
  if (ends) Plan({.at = until, .what = Due::What::kHeal, .which = static_cast<uint32_t>(index)});
}

void World::Heal(uint32_t fault) {
  Event event = memory_->heals[fault];
  event.at_ns = ToNs(now_ - kStart);
  const std::vector<FaultForm>& begun = memory_->begun_faults;
  if (EntryOf(begun[fault]).runs_kind) {
    const auto number = std::count_if(begun.begin(), begun.begin() + fault,
                                      [](FaultForm before) { return EntryOf(before).runs_kind; });
    if (!outside_->End(static_cast<uint32_t>(number))) event.type = EventType::kFail;
  }
  memory_->events.push_back(event);
  if (begun[fault] == FaultForm::kSplitBrain)
    memory_->network.EndSplits(static_cast<int>(event.value[3]));
}

void World::BeginOutside(FaultForm fault, const FaultPlaceNow& place) {
  if (outside_ == nullptr) outside_ = terms_.make_outside_faults(*this);
  OutsideFaults::Begun begun = outside_->Begin(fault, place);
  Record(fault, place, begun.until, std::move(begun.what));
}

uint64_t World::SetRule(const Way& way, FateOf fate) {
  rules_.push_back({.id = ++last_rule_, .way = way, .fate = std::move(fate)});
  return last_rule_;
}

void World::ClearRule(uint64_t rule) {
  std::erase_if(rules_, [rule](const Rule& each) { return each.id == rule; });
}

Fate World::AskRules(const Way& way, const OnItsWay& message) {
  Fate first;
  for (const Rule& rule : rules_) {
    if (rule.way != way) continue;
    const Fate fate = rule.fate(message);
    if (first.what == Fate::What::kPasses) first = fate;
  }
  return first;
}

}  // namespace doublehold::sim
