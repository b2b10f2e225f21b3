// The claim `torn-read`: for each look at two versions, is there an order of the writes, done whole
// or left half done, in which the record was like that at one instant?
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

class ReadingClients {
 public:
  explicit ReadingClients(Prng& prng) : play_(prng), locks_(play_.OneIn(4)) {}

  History Run() {
    play_.Begin(3, 8, [this](int32_t client, int64_t cycles) { Cycle(client, cycles); });
    return play_.Run({.lock = "brute", .lease = 10ms, .nodes = 1});
  }

 private:
  void Cycle(int32_t client, int64_t cycles) {
    if (cycles == 0) return;
    const auto later = [=, this] {
      play_.Later(play_.Any(6), [=, this] { Cycle(client, cycles - 1); });
    };
    if (locks_ && taken_) return later();
    taken_ = true;
    const uint64_t hold = play_.Enter(client);
    const auto next = [=, this] {
      taken_ = false;
      play_.Leave(client, hold);
      later();
    };
    play_.OneIn(2) ? Look(client, hold, next) : Write(client, hold, next);
  }

  void Look(int32_t client, uint64_t hold, const Play::Next& next) {
    const bool swapped = play_.OneIn(2);
    play_.Record(client, Op::kLook, EventType::kInvoke, hold);
    auto seen = std::make_shared<std::pair<int64_t, int64_t>>();
    play_.Later(play_.Any(5), [=, this] {
      (swapped ? seen->second : seen->first) = swapped ? second_ : first_;
      play_.Later(play_.Any(5), [=, this] {
        (swapped ? seen->first : seen->second) = swapped ? first_ : second_;
        play_.Record(client, Op::kLook, EventType::kOk, hold, {seen->first, seen->second});
        next();
      });
    });
  }

  // Under a lock the answer may be lost too: then half of it may be missing, or come later.
  void Write(int32_t client, uint64_t hold, const Play::Next& next) {
    const int64_t found = first_;
    const int64_t version = ++versions_;
    play_.Record(client, Op::kWrite, EventType::kInvoke, hold, {found, version});
    play_.Ask([=, this] { first_ = version; },
              [=, this] {
                play_.Later(play_.Any(4), [=, this] {
                  second_ = version;
                  play_.Record(client, Op::kWrite, EventType::kOk, hold, {found, version});
                  next();
                });
              },
              [=, this] {
                if (play_.OneIn(2)) second_ = version;
                if (play_.OneIn(4)) return;  // killed
                const bool refused = first_ != version && second_ != version && play_.OneIn(2);
                play_.Record(client, Op::kWrite, refused ? EventType::kFail : EventType::kInfo,
                             hold, {found, version});
                next();
              });
  }

  Play play_;
  bool locks_;
  bool taken_ = false;
  int64_t first_ = 1, second_ = 1, versions_ = 1;
};

History AnyRecord(Prng& prng) { return ReadingClients(prng).Run(); }

// One that did not finish may have done either half, both, or nothing.
struct Half {
  size_t write = 0;
  bool first = true, second = true;
};

bool CanHaveSeen(const std::vector<Deed>& writes, const Deed& look) {
  using Record = std::pair<int64_t, int64_t>;
  std::vector<Step> steps;
  std::vector<Half> halves;
  for (size_t i = 0; i < writes.size(); ++i) {
    if (writes[i].Ok()) {
      steps.push_back({.from = writes[i].from, .to = writes[i].to});
      halves.push_back({.write = i});
      continue;
    }
    for (const bool first : {true, false}) {
      steps.push_back({.from = writes[i].from, .perhaps = true});
      halves.push_back({.write = i, .first = first, .second = !first});
    }
  }
  steps.push_back({.from = look.from, .to = look.to});
  const Effects<Record> effects = [&](const Record& now, size_t step) -> std::vector<Record> {
    if (step == halves.size()) {
      if (now == Record{look.answer[0], look.answer[1]}) return {now};
      return {};
    }
    Record next = now;
    const int64_t version = writes[halves[step].write].asked[1];
    if (halves[step].first) next.first = version;
    if (halves[step].second) next.second = version;
    return {next};
  };
  return SomeOrder<Record>(steps, {1, 1}, effects);
}

bool NoneWasTorn(const History& history) {
  const std::vector<Deed> writes = DeedsOf(history, {Op::kWrite});
  return std::ranges::all_of(DeedsOf(history, {Op::kLook}), [&](const Deed& look) {
    return !look.Ok() || look.answer[0] == look.answer[1] || CanHaveSeen(writes, look);
  });
}

}  // namespace

ClaimTrials TornReadTrials() {
  return {.claim = "torn-read", .any = AnyRecord, .innocent = NoneWasTorn};
}

}  // namespace doublehold::brute
