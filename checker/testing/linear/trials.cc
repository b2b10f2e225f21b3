#include "checker/testing/linear/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "checker/linear/explain.h"
#include "checker/linear/search.h"
#include "checker/testing/linear/every_order.h"
#include "checker/testing/linear/plain_objects.h"
#include "lib/base/check.h"
#include "lib/base/prng.h"

namespace doublehold {
namespace {

constexpr int kAttempts = 6;  // most draws for an operation that the object allows
constexpr int kChanges = 20;  // most changes of a history until it cannot be ordered

Operation DrawOperation(const Model& model, Prng& prng, int32_t process) {
  Operation operation{.function = static_cast<uint8_t>(prng.Below(model.functions.size())),
                      .process = process};
  const std::string_view name = model.functions[operation.function];
  const auto value = [&] { return static_cast<int64_t>(prng.Below(3)); };
  const auto text = [&] { return PackedText(std::string(prng.Below(5), "ab"[prng.Below(2)])); };
  if (name == "write" || name == "add") operation.argument = {value()};
  if (name == "cas") operation.argument = {value(), value()};
  if (name == "sell" || name == "put") operation.argument = {1 + value() % 2};
  if (name == "read") operation.result = {value()};
  if (name == "read" && model.name == "set") {
    operation.result.clear();
    for (int64_t element = 0; element < 3; ++element) {
      if (prng.Below(2) == 0) operation.result.push_back(element);
    }
  }
  if (name == "acquire" && model.name.ends_with("fenced-mutex"))
    operation.result = {static_cast<int64_t>(prng.Below(4)) - 1};
  if (model.name.ends_with("semaphore")) operation.argument = {1 + value() % 2};
  if (name == "acquire" && model.needs_times)
    operation.argument = {static_cast<int64_t>(prng.Below(8))};
  if (model.packs_text) (name == "get" ? operation.result : operation.argument) = text();
  if (model.needs_times || model.packs_text || prng.Below(16) != 0) return operation;
  // In 1 of 16 operations, the values have a form that no log contains.
  for (LinearValue* values : {&operation.argument, &operation.result}) {
    values->clear();
    for (uint64_t left = prng.Below(4); left > 0; --left) values->push_back(value());
  }
  return operation;
}

struct Trial {
  ModelParameters parameters;
  std::vector<Operation> operations;
};

struct Slot {
  Operation operation;  // only times, process and `indeterminate` are set
  int64_t effect = 0;   // when the operation takes effect
};

// Draws the calls of one to four clients, in order of effect. Each client makes one call after the
// other; times are random and often equal.
std::vector<Slot> DrawSlots(Prng& prng) {
  std::vector<Slot> slots;
  const uint64_t clients = 1 + prng.Below(4);
  const uint64_t stretch = 1 + prng.Below(6);
  const uint64_t unknown_one_in = std::array{2, 3, 4, 1000, 1000}[prng.Below(5)];
  int32_t fresh = 100;
  for (uint64_t client = 0; client < clients; ++client) {
    auto process = static_cast<int32_t>(client);
    auto at = static_cast<int64_t>(prng.Below(4));
    for (uint64_t count = 1 + prng.Below(clients == 1   ? 6
                                         : clients == 2 ? 4
                                                        : 3);
         count > 0; --count) {
      Slot slot{.operation = {.process = process}};
      slot.operation.invoked = at;
      slot.operation.returned = at + static_cast<int64_t>(prng.Below(stretch));
      slot.operation.indeterminate = prng.Below(unknown_one_in) == 0;
      slot.effect = at + static_cast<int64_t>(
                             prng.Below(static_cast<uint64_t>(slot.operation.returned - at) + 1));
      // After an unknown outcome a client keeps its number or takes a new number. Logs have both
      // cases.
      if (slot.operation.indeterminate && prng.Below(2) == 0) process = fresh++;
      at = slot.operation.returned + static_cast<int64_t>(prng.Below(3));
      slots.push_back(std::move(slot));
    }
  }
  std::ranges::stable_sort(slots, {}, &Slot::effect);
  return slots;
}

Operation FillSlot(const Slot& slot, Operation what) {
  what.invoked = slot.operation.invoked;
  what.returned = slot.operation.returned;
  what.indeterminate = slot.operation.indeterminate;
  return what;
}

// Draws a history that the plain object allows.
Trial DrawTrial(const Model& model, Prng& prng) {
  Trial trial{.parameters = {.permits = 1 + static_cast<int64_t>(prng.Below(2)),
                             .initial = static_cast<int64_t>(prng.Below(3)),
                             .lease_grace = Duration(prng.Below(2))}};
  // Does not use the model: a model that wrongly forbids an operation would never be tested with
  // it.
  const PlainObject& object = *FindPlainObject(model.name);
  PlainState state = InitialPlainState(trial.parameters);
  for (const Slot& slot : DrawSlots(prng)) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const Operation operation =
          FillSlot(slot, DrawOperation(model, prng, slot.operation.process));
      PlainState next = state;
      next.now = slot.effect;
      if (!object.apply(next, model.functions[operation.function], operation)) continue;
      state = std::move(next);
      trial.operations.push_back(operation);
      break;
    }
  }
  return trial;
}

// Returns the history with one operation replaced by a random operation at the same times.
Trial ChangeTrial(const Model& model, Trial trial, Prng& prng) {
  if (trial.operations.empty()) return trial;
  Operation& changed = trial.operations[prng.Below(trial.operations.size())];
  changed = FillSlot({.operation = changed}, DrawOperation(model, prng, changed.process));
  return trial;
}

}  // namespace

TrialCounts RunSearchTrials(const Model& model, uint64_t seed, int64_t count) {
  TrialCounts counts;
  Prng prng(seed, model.name);
  for (int64_t i = 0; i < count; ++i) {
    Trial trial = DrawTrial(model, prng);
    const uint64_t changes = prng.Below(2) == 0 ? prng.Below(2) : kChanges;
    bool orderable = CanBeOrdered(model, trial.parameters, trial.operations);
    for (uint64_t change = 0; change < changes && orderable; ++change) {
      trial = ChangeTrial(model, std::move(trial), prng);
      orderable = CanBeOrdered(model, trial.parameters, trial.operations);
    }
    const SearchResult result = FindOrder(model, trial.parameters, trial.operations);
    if (!orderable) CHECK(!Explain(model, trial.operations, result).empty());
    const SearchResult cut =
        FindOrder(model, trial.parameters, trial.operations, {.configurations = 2});
    CHECK(cut.outcome == Outcome::kUnknown || cut.outcome == result.outcome);
    const bool perhaps = std::ranges::any_of(trial.operations, &Operation::indeterminate);
    ++counts.histories[perhaps ? 1 : 0][orderable ? 1 : 0];
    if (result.outcome == (orderable ? Outcome::kValid : Outcome::kViolated)) continue;
    counts.disagreement = fmt::format("model {}, seed {}, history {}: the search says {}\n",
                                      model.name, seed, i, Name(result.outcome));
    for (const Operation& operation : trial.operations) {
      counts.disagreement += fmt::format("{} at {}-{}\n", Describe(model, operation),
                                         operation.invoked, operation.returned);
    }
    break;
  }
  return counts;
}

}  // namespace doublehold
