#include "checker/testing/reference_service.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace doublehold {
namespace {

constexpr int64_t kLong = 100'000;  // longer than any run
constexpr int64_t kEndNs = 1'500;   // no client starts a wait after that

// Runs scheduled functions in the order of time.
class Agenda {
 public:
  void At(int64_t at_ns, std::function<void()> what) {
    due_.push({at_ns, ++last_, std::move(what)});
  }
  void After(int64_t by_ns, std::function<void()> what) { At(now_ns_ + by_ns, std::move(what)); }
  [[nodiscard]] int64_t NowNs() const { return now_ns_; }
  void Run() {
    while (!due_.empty()) {
      const Due next = due_.top();
      due_.pop();
      now_ns_ = next.at_ns;
      next.what();
    }
  }

 private:
  struct Due {
    int64_t at_ns = 0;
    uint64_t number = 0;
    std::function<void()> what;
    bool operator<(const Due& other) const {  // the earliest on top
      return std::pair(other.at_ns, other.number) < std::pair(at_ns, number);
    }
  };
  std::priority_queue<Due> due_;
  uint64_t last_ = 0;
  int64_t now_ns_ = 0;
};

struct World {
  const ServiceOptions& options;
  Prng& prng;
  int64_t lease_ns = 0;
  Agenda agenda{};
  TrueServer server;
  TrueStore store{};
  int64_t orders = 0;
  std::vector<Event> events{};
  uint64_t holds = 0;

  int64_t Any(int64_t most) {
    return static_cast<int64_t>(prng.Below(static_cast<uint64_t>(most)));
  }
};

// One client: waits, enters, works and leaves, in a loop.
class Client {
 public:
  Client(World& world, int32_t number) : world_(world), number_(number) {}

  void Start() {
    Later(50, [this] { Wait(); });
  }

 private:
  using Next = std::function<void()>;
  void Later(int64_t most, Next next) { world_.agenda.After(world_.Any(most), std::move(next)); }

  void Record(Op op, EventType type, uint64_t hold, std::array<int64_t, 4> value = {}) {
    world_.events.push_back({.at_ns = world_.agenda.NowNs(),
                             .hold = hold,
                             .client = number_,
                             .op = op,
                             .type = type,
                             .value = value});
  }

  // Sends a request: it is carried out a little later, and answered. Or its answer is lost: then it
  // is carried out much later, or never.
  void Send(const std::function<void()>& work, const Next& answered, const Next& lost) {
    if (world_.options.losses && lost && world_.Any(12) == 0) {
      if (world_.Any(3) != 0) Later(world_.Any(2) == 0 ? 4 : 60, work);
      Later(8, lost);
      return;
    }
    Later(4, [this, work, answered] {
      work();
      Later(4, answered);
    });
  }

  void Wait() {
    if (world_.agenda.NowNs() > kEndNs) return;
    Record(Op::kWait, EventType::kInvoke, 0);
    shared_ = world_.options.readers && world_.Any(2) == 0;
    Try(1 + world_.Any(10));
  }

  void Try(int64_t tries) {
    Enter(
        [this](bool entered, int64_t token) {
          if (!entered) return;
          Record(Op::kWait, EventType::kOk, held_.back());
          token_ = token;
          Work();
        },
        tries);
  }

  using Entered = std::function<void(bool, int64_t)>;
  void Enter(const Entered& entered, int64_t tries) {
    const uint64_t hold = ++world_.holds;
    const int64_t asked_ns = world_.agenda.NowNs();
    Record(Op::kAcquire, EventType::kInvoke, 0, {world_.lease_ns});
    auto token = std::make_shared<std::optional<int64_t>>();
    const Asked asked{.client = number_, .hold = hold, .shared = shared_};
    const auto work = [this, token, asked] {
      *token = world_.server.Acquire(asked, world_.agenda.NowNs());
    };
    const auto answered = [=, this] {
      if (*token) {
        Record(Op::kAcquire, EventType::kOk, hold,
               {asked_ns + world_.lease_ns, shared_ ? 0 : **token, shared_ ? 1 : 0});
        held_.push_back(hold);
        return entered(true, shared_ ? 0 : **token);
      }
      Record(Op::kAcquire, EventType::kFail, 0, {world_.lease_ns});
      Again(entered, tries);
    };
    const Next lost = [=, this] {
      Record(Op::kAcquire, EventType::kInfo, hold);
      Leave(hold, [=, this] { Again(entered, tries); });
    };
    // If releases do not name the acquire that they undo, an acquire of unknown outcome cannot be
    // undone.
    const bool named = !world_.server.Unchecked() && !world_.options.reentrant;
    Send(work, answered, named ? lost : Next());
  }

  void Again(const Entered& entered, int64_t tries) {
    if (tries > 1) return Later(12, [=, this] { Enter(entered, tries - 1); });
    if (!held_.empty()) return entered(false, 0);  // a nested entry that was refused
    Record(Op::kWait, EventType::kFail, 0);
    const int32_t number = number_;
    Later(60, [this, number] { world_.server.LeaveQueue(number); });
    world_.agenda.After(60 + world_.Any(60), [this] { Wait(); });
    entered(false, 0);
  }

  void Leave(uint64_t hold, const Next& next) {
    Record(Op::kRelease, EventType::kInvoke, hold);
    auto freed = std::make_shared<bool>(false);
    const Asked asked{.client = number_, .hold = hold, .shared = shared_};
    Send([=, this] { *freed = world_.server.Release(asked, world_.agenda.NowNs()); },
         [=, this] {
           Record(Op::kRelease, *freed ? EventType::kOk : EventType::kFail, hold,
                  {*freed && world_.server.Unchecked() ? 1 : 0});
           next();
         },
         [=, this] {
           Record(Op::kRelease, EventType::kInfo, hold);
           next();
         });
  }

  // Works under the lock: sells, or looks, writes and saves; may re-enter; then leaves.
  void Work() {
    Later(world_.options.punctual ? 10 : 60, [this] {
      Sell(3, [this] { UseRecord([this] { Save([this] { Nest([this] { Exit(); }); }); }); });
    });
  }

  void Nest(const Next& next) {
    if (!world_.options.reentrant || held_.size() > 2 || world_.Any(2) == 0) return next();
    Enter(
        [this, next](bool entered, int64_t) {
          if (!entered) return next();
          Later(10, [this, next] {
            Nest([this, next] { Leave(Pop(), [this, next] { Later(30, next); }); });
          });
        },
        1);
  }

  void Exit() {
    Leave(Pop(), [this] { Later(30, [this] { Wait(); }); });
  }

  uint64_t Pop() {
    const uint64_t hold = held_.back();
    held_.pop_back();
    return hold;
  }

  void Sell(int64_t tries, const Next& next) {
    if (shared_ || !world_.options.sells) return next();
    const uint64_t hold = held_.back();
    const bool compares = world_.options.defect != Defect::kTakesStaleTokens;
    auto seen = std::make_shared<std::optional<int64_t>>();
    Record(Op::kRead, EventType::kInvoke, hold);
    const auto read = [=, this] {
      if (world_.store.Shown(token_, compares)) *seen = world_.store.stock;
    };
    Send(
        read,
        [=, this] {
          if (!*seen) return Record(Op::kRead, EventType::kFail, hold), next();
          Record(Op::kRead, EventType::kOk, hold, {**seen, 0, 0, token_});
          Write(**seen, tries, next);
        },
        nullptr);
  }

  void Write(int64_t read, int64_t tries, const Next& next) {
    const uint64_t hold = held_.back();
    const std::array<int64_t, 4> values{read, read - 1, 0, token_};
    const bool compares = world_.options.defect != Defect::kTakesStaleTokens;
    auto done = std::make_shared<bool>(false);
    Record(Op::kWrite, EventType::kInvoke, hold, values);
    Send(
        [=, this] {
          *done = world_.store.Shown(values[3], compares) && world_.store.stock == read;
          if (*done) world_.store.stock = read - 1;
        },
        [=, this] {
          Record(Op::kWrite, *done ? EventType::kOk : EventType::kFail, hold, values);
          if (!*done) return tries > 1 ? Sell(tries - 1, next) : next();
          Record(Op::kOrder, EventType::kInvoke, hold, {values[0], values[1]});
          Record(Op::kOrder, EventType::kOk, hold, {values[0], values[1]});
          ++world_.orders;
          next();
        },
        [=, this] {
          Record(Op::kWrite, EventType::kInfo, hold, values);
          const bool again = world_.options.defect == Defect::kTriesAgain && tries > 1;
          again ? Sell(tries - 1, next) : next();
        });
  }

  // Uses both halves of the record, one after the other.
  void UseRecord(const Next& next) {
    if (!world_.options.punctual || world_.options.sells) return next();
    const uint64_t hold = held_.back();
    TrueStore& store = world_.store;
    if (shared_ || world_.Any(2) == 0) {
      Record(Op::kLook, EventType::kInvoke, hold);
      auto first = std::make_shared<int64_t>(0);
      Later(4, [=, this, &store] {
        *first = store.first;
        Later(4, [=, this, &store] {
          Record(Op::kLook, EventType::kOk, hold, {*first, store.second});
          next();
        });
      });
      return;
    }
    const int64_t version = store.first + 1;
    Record(Op::kWrite, EventType::kInvoke, hold, {version - 1, version});
    Later(4, [=, this, &store] {
      store.first = version;
      Later(4, [=, this, &store] {
        store.second = version;
        Record(Op::kWrite, EventType::kOk, hold, {version - 1, version});
        next();
      });
    });
  }

  void Save(const Next& next) {
    if (shared_ || !world_.options.punctual || world_.options.sells) return next();
    const uint64_t hold = held_.back();
    const int64_t task = 1 + world_.agenda.NowNs() / 100;
    auto was = std::make_shared<bool>(false);
    Record(Op::kSave, EventType::kInvoke, hold, {task});
    Later(4, [=, this] {
      *was = world_.store.results.contains(task);
      Send([=, this] { world_.store.results[task] += *was ? 0 : 1; },
           [=, this] {
             Record(Op::kSave, *was ? EventType::kFail : EventType::kOk, hold, {task});
             next();
           },
           nullptr);
    });
  }

  World& world_;
  int32_t number_;
  bool shared_ = false;
  int64_t token_ = 0;
  std::vector<uint64_t> held_;
};

}  // namespace

History RunService(const ServiceOptions& options, Prng& prng) {
  const bool endless = options.unchecked;
  const int64_t lease_ns = endless ? kLong : options.punctual ? 2'000 : 40;
  World world{.options = options,
              .prng = prng,
              .lease_ns = lease_ns,
              .server = TrueServer(options, lease_ns, prng)};
  std::vector<Client> clients;
  clients.reserve(static_cast<size_t>(options.sessions));
  for (int32_t i = 1; i <= options.sessions; ++i) clients.emplace_back(world, i);
  for (Client& client : clients) client.Start();
  world.agenda.Run();
  int64_t results = 0;
  for (const auto& [task, of_task] : world.store.results) results += of_task;
  Event final{.at_ns = world.agenda.NowNs(), .op = Op::kFinal, .type = EventType::kOk};
  final.value = {world.store.stock, world.orders};
  if (!options.sells) final.value = {static_cast<int64_t>(world.store.results.size()), results};
  world.events.push_back(final);
  return {.facts = {.experiment = "service",
                    .lock = "service",
                    .write = "watch",
                    .lease = Lease(lease_ns),
                    .grace = Duration(lease_ns),
                    .clients = options.sessions,
                    .nodes = 1,
                    .initial_stock = 1'000,
                    .keys = {"a"}},
          .events = std::move(world.events)};
}

}  // namespace doublehold
