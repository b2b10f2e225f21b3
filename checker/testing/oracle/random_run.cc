#include "checker/testing/oracle/random_run.h"

#include <coroutine>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/testing/oracle/run_faults.h"
#include "checker/testing/oracle/service.h"

namespace doublehold::brute {
namespace {

// The steps of a client: a coroutine that another coroutine can await. If the client is killed, its
// coroutine is never resumed.
class Script {
 public:
  struct promise_type {
    struct Return {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        return own.promise().caller;
      }
      void await_resume() noexcept {}
    };
    std::coroutine_handle<> caller = std::noop_coroutine();
    Script get_return_object() {
      return Script(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Return final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Script& operator=(Script&&) = delete;
  ~Script() {
    if (handle_) handle_.destroy();
  }

  void Start() { handle_.resume(); }
  bool await_ready() { return false; }
  auto await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  void await_resume() {}

 private:
  explicit Script(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

class RandomRunner {
 public:
  RandomRunner(const Dice& dice, const RunOptions& options) : dice_(dice), options_(options) {}

  History Run(Truth* truth) {
    for (int32_t client = 1; client <= clients_; ++client) Start(RunClient(client));
    if (options_.counted_from > 0) Start(CountStore());
    for (const RunFault& fault : faults_.all()) ScheduleFault(fault);
    while (!scheduled_.empty()) {
      const auto next = scheduled_.extract(scheduled_.begin());
      if (truth != nullptr) NoteHolders(next.key(), *truth);
      now_ = next.key();
      next.mapped()();
      if (truth != nullptr) NoteHolders(now_, *truth);
    }
    History history{.facts = {.lock = "brute",
                              .lock_traits = options_.traits,
                              .write = options_.retries_sale ? "watch" : "read-modify-write",
                              .lease = Lease(options_.lease),
                              .grace = Duration(options_.grace),
                              .clients = clients_,
                              .nodes = options_.nodes,
                              .initial_stock = kStock,
                              .keys = {"a"},
                              .library = options_.library},
                    .events = std::move(events_)};
    faults_.AddTo(history);
    return history;
  }

 private:
  struct Sleep {
    RandomRunner& run;
    int64_t by;

    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> client) { run.Schedule(by, client); }
    void await_resume() {}
  };

  struct Answer {
    EventType type = EventType::kInfo;
    Values values{};
    [[nodiscard]] bool Ok() const { return type == EventType::kOk; }
  };

  // A call of a client. Records the invocation and the answer, and schedules the service's work.
  struct PendingCall {
    RandomRunner& run;
    Request request;
    Answer answer{};

    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> caller) {
      const int32_t client = request.client;
      if (run.faults_.HasKilled(client, run.now_)) return;
      run.Record(request, EventType::kInvoke, request.asked);
      answer.values = request.asked;
      const int64_t delay = run.max_delay_;
      const int64_t held = run.faults_.HeldFor(client, run.now_);
      const int64_t repeats_until = run.faults_.RepeatsUntil(client, run.now_);
      if (held > 0) request.lost = request.lost || run.Chance(40);
      request.lost = request.lost || run.faults_.Loses(run.dice_, client, run.now_);
      const auto execute = [&run = run, request = request] {
        return run.service_.Execute(request, run.now_);
      };
      if (request.lost) {
        if (run.Chance(67))
          run.Schedule(held + run.Below(run.Chance(50) ? delay : 8 * delay), execute);
        const bool killed = request.op != Op::kAcquire && run.Chance(run.options_.killed);
        if (!killed) run.Resume(run.Below(delay), client, caller);
        return;
      }
      run.Schedule(held + run.Below(delay), [this, execute, delay, caller, client, repeats_until] {
        const std::optional<Values> done = execute();
        if (repeats_until >= run.now_)
          run.Schedule(run.Below(repeats_until - run.now_ + 1), execute);
        answer = {done ? EventType::kOk : EventType::kFail, done.value_or(request.asked)};
        run.Resume(run.faults_.HeldFor(client, run.now_) + run.Below(delay), client, caller);
      });
    }
    Answer await_resume() {
      run.Record(request, answer.type, answer.values);
      return answer;
    }
  };

  [[nodiscard]] int64_t Below(int64_t below) const { return dice_.Below(below); }
  [[nodiscard]] bool Chance(int64_t percent) const { return dice_.Chance(percent); }
  Sleep SleepFor(int64_t by) { return {*this, by}; }
  // `loss_percent` is the chance that the answer is lost, in a run that may lose answers.
  PendingCall Call(Request request, int loss_percent) {
    request.lost = may_lose_answers_ && Chance(loss_percent);
    return {*this, request};
  }
  void Schedule(int64_t by, std::function<void()> next) {
    scheduled_.emplace(now_ + by, std::move(next));
  }
  // Lets a client go on, unless a fault has killed it by then.
  void Resume(int64_t by, int32_t client, std::coroutine_handle<> caller) {
    Schedule(by, [this, client, caller] {
      if (!faults_.HasKilled(client, now_)) caller();
    });
  }
  void NoteHolders(int64_t until, Truth& truth) const {
    truth.resize(static_cast<size_t>(until) + 1);
    for (int64_t at = now_; at <= until; ++at)
      truth[static_cast<size_t>(at)] |= service_.Holders(at);
  }
  void ScheduleFault(const RunFault& fault) {
    if (fault.kind == "flush") Schedule(fault.acts_at, [this] { service_.RemoveKeys(); });
    if (fault.kind == "restart") {
      Schedule(Below(fault.acts_at + 1), [this] { service_.Save(); });
      Schedule(fault.acts_at, [this] { service_.Restore(); });
    }
    if (fault.kind != "jump") return;
    Schedule(fault.from, [this, by = fault.moves_by] { service_.MoveClock(by); });
    Schedule(fault.to, [this, by = fault.moves_by] { service_.MoveClock(-by); });
  }
  void Start(Script script) {
    scripts_.push_back(std::move(script));
    scripts_.back().Start();
  }
  void Record(const Request& request, EventType type, Values values = {}) {
    const Op op = request.op;
    if (faults_.HasKilled(request.client, now_)) return;
    const bool ungranted = type == EventType::kInvoke || type == EventType::kFail;
    events_.push_back({.at_ns = now_,
                       .hold = op == Op::kAcquire && ungranted ? 0 : request.hold,
                       .client = request.client,
                       .op = op,
                       .type = type,
                       .task = op == Op::kExtend ? TaskKind::kWatchdog : TaskKind::kSession,
                       .value = values});
  }

  Script RunClient(int32_t client) {
    co_await SleepFor(Below(12));
    for (int64_t rounds = 1 + Below(options_.max_rounds); rounds > 0; --rounds) {
      co_await AcquireAndHold(client, /*inner=*/false);
      // Without a pause, the end of a wait and the start of the next one would have equal times,
      // and the history could not tell them apart.
      const int64_t max_pause = Chance(options_.long_pauses) ? 24 : options_.max_pause;
      co_await SleepFor((options_.queues ? 1 : 0) + Below(max_pause));
    }
  }

  Script AcquireAndHold(int32_t client, bool inner) {
    Request acquire{.client = client, .asked = {options_.lease}, .shared = Chance(options_.shared)};
    Answer answer;
    if (options_.queues) Record({client, Op::kWait}, EventType::kInvoke);
    for (int64_t tries = options_.queues ? 2 + Below(4) : 1; tries > 0 && !answer.Ok(); --tries) {
      acquire.hold = ++holds_;
      const int64_t validity = Validity();
      acquire.until = now_ + validity;
      if (options_.faults) acquire.validity = validity;
      answer = co_await Call(acquire, options_.loses_acquire);
      if (options_.queues && !answer.Ok()) co_await SleepFor(Below(10));
    }
    const bool ok = answer.Ok();
    const uint64_t hold = answer.type == EventType::kFail ? 0 : acquire.hold;
    if (options_.queues)
      Record({client, Op::kWait, ok ? hold : 0}, ok ? EventType::kOk : EventType::kFail);
    if (ok) co_return co_await HoldLock(client, hold, answer.values[1], inner);
    if (Chance(hold == 0 ? options_.releases_after_refusal : options_.releases_after_unknown))
      co_await Call({client, Op::kRelease, hold}, options_.loses_release);
  }

  Script HoldLock(int32_t client, uint64_t hold, int64_t token, bool inner) {
    const int64_t since = now_;
    if (options_.extends && Chance(33)) Start(ExtendLease(client, hold));
    co_await WorkUnderLock(client, hold, token);
    if (!inner && Chance(options_.nested)) {
      co_await SleepFor(Below(4));
      co_await AcquireAndHold(client, /*inner=*/true);
    }
    co_await SleepFor(Below(inner ? 3 : options_.max_stay));
    if (Chance(options_.notified))
      Record({client, Op::kLostNotification, hold}, EventType::kInfo,
             {since + Below(now_ - since + 1)});
    if (!Chance(options_.forgets_release)) {
      co_await Call({client, Op::kRelease, hold}, options_.loses_release);
    } else if (Chance(options_.leaves)) {
      Record({client, Op::kLeave, hold}, EventType::kInfo);
    }
  }

  Script ExtendLease(int32_t client, uint64_t hold) {
    Answer answer;
    do {
      const int64_t validity = Validity();
      Request extension{client, Op::kExtend, hold, {validity}, now_ + validity};
      if (options_.faults) extension.validity = validity;
      answer = co_await Call(extension, options_.loses_work);
    } while (answer.type != EventType::kInfo && Chance(33));
  }

  Script WorkUnderLock(int32_t client, uint64_t hold, int64_t token) {
    const Work work = options_.work;
    const bool coin = Chance(50);
    if (work == Work::kRead && coin) co_await Call({client, Op::kRead, hold}, 0);
    for (int64_t uses = work == Work::kTokens ? Below(3) : 0; uses > 0; --uses) {
      const Op op = Chance(50) ? Op::kRead : Op::kWrite;
      co_await Call({client, op, hold, {0, 0, 0, token}}, options_.loses_work);
      co_await SleepFor(Below(8));
    }
    if (work == Work::kRecord && coin) co_await Call({client, Op::kLook, hold}, 0);
    if (work == Work::kRecord && !coin)
      co_await Call({client, Op::kWrite, hold, {service_.record[0], ++versions_}},
                    options_.loses_work);
    if (work == Work::kSave)
      co_await Call({client, Op::kSave, 0, {1 + Below(tasks_)}}, options_.loses_work);
    for (int tries = work != Work::kSale ? 0 : options_.retries_sale ? 3 : 1; tries > 0; --tries) {
      const int64_t read = (co_await Call({client, Op::kRead, hold}, 0)).values[0];
      if (read <= 0) co_return;
      const Request write{client, Op::kWrite, hold, {read, read - 1}};
      if (!(co_await Call(write, options_.loses_work)).Ok()) continue;
      ++orders_;
      Record({client, Op::kOrder, hold}, EventType::kInvoke, write.asked);
      Record({client, Op::kOrder, hold}, EventType::kOk, write.asked);
      co_return;
    }
  }

  // Records the stock and the orders in the store. If the work is kSave, instead records the number
  // of tasks with a result, and the number of results up to 5 ns later.
  Script CountStore() {
    co_await SleepFor(options_.counted_from + Below(30));
    const int64_t wrong = options_.miscounts && !may_lose_answers_ ? 1 : 0;
    Values counted{service_.stock + wrong * (Below(3) - 1), orders_ + wrong * (Below(3) - 1)};
    if (options_.work == Work::kSave) {
      counted = {static_cast<int64_t>(service_.saves.size())};
      co_await SleepFor(Below(6));
      for (const auto& [task, results] : service_.saves) counted[1] += results;
    }
    Record({kReferee, Op::kFinal}, EventType::kOk, counted);
  }

  int64_t Validity() {
    return options_.random_validity ? 1 + Below(options_.lease) : options_.lease;
  }

  const Dice& dice_;
  const RunOptions& options_;
  const int clients_ = static_cast<int>(2 + Below(2));
  const int64_t max_delay_ = 1 + Below(6);
  const bool may_lose_answers_ = Chance(50);
  const int64_t tasks_ = 1 + Below(3);
  Service service_{dice_, options_};
  const RunFaults faults_ = options_.faults ? RunFaults(dice_, clients_) : RunFaults();
  int64_t now_ = 0;
  // By time. Functions with equal times are in the order of the Schedule calls.
  std::multimap<int64_t, std::function<void()>> scheduled_;
  uint64_t holds_ = 0;
  int64_t orders_ = 0, versions_ = 1;
  std::vector<Event> events_;
  std::vector<Script> scripts_;
};

}  // namespace

History RandomRun(const Dice& dice, const RunOptions& options, Truth* truth) {
  return RandomRunner(dice, options).Run(truth);
}

}  // namespace doublehold::brute
