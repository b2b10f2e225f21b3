#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "checker/linear/model.h"

namespace doublehold {
namespace {

int64_t First(const LinearValue& value, int64_t fallback) {
  return value.empty() || value.front() == kNil ? fallback : value.front();
}

// Owners are kept counted from 1; 0 is nobody.
int64_t OwnerOf(const Operation& operation) { return int64_t{operation.process} + 1; }

std::string Shown(int64_t value) { return value == kNil ? "nil" : fmt::format("{}", value); }

std::string ShownOwner(int64_t owner) {
  return owner == 0 ? "free" : fmt::format("held by {}", owner - 1);
}

// ---- locks ------------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 2> kLock{"acquire", "release"};
constexpr uint8_t kAcquire = 0;

ModelState Free(const ModelParameters&) { return {0}; }
ModelState FreeOfTwo(const ModelParameters&) { return {0, 0}; }
ModelState FreeOfThree(const ModelParameters&) { return {0, 0, 0}; }

// Knossos's mutex: whoever releases.
bool ApplyMutex(ModelState& state, const Operation& operation) {
  const int64_t wanted = operation.function == kAcquire ? 0 : 1;
  if (state[0] != wanted) return false;
  state[0] = 1 - wanted;
  return true;
}

bool ApplyOwnerMutex(ModelState& state, const Operation& operation) {
  const int64_t owner = OwnerOf(operation);
  if (state[0] != (operation.function == kAcquire ? 0 : owner)) return false;
  state[0] = operation.function == kAcquire ? owner : 0;
  return true;
}

// State: owner, how often it is in.
bool ApplyReentrant(ModelState& state, const Operation& operation) {
  const int64_t owner = OwnerOf(operation);
  const bool acquires = operation.function == kAcquire;
  if (state[0] != owner && !(acquires && state[0] == 0)) return false;
  state[1] += acquires ? 1 : -1;
  state[0] = state[1] == 0 ? 0 : owner;
  return true;
}

// State: owner, the last token given, how often the owner is in. A token that nobody was told of is at least not lower.
bool ApplyFencedWith(ModelState& state, const Operation& operation, bool reentrant) {
  const int64_t owner = OwnerOf(operation);
  if (operation.function != kAcquire) {
    if (state[0] != owner) return false;
    if (--state[2] == 0) state[0] = 0;
    return true;
  }
  const int64_t token = operation.indeterminate ? kNil : First(operation.result, kNil);
  const bool again = reentrant && state[0] == owner;
  if (state[0] != 0 && !again) return false;
  if (token != kNil && (again ? token != state[1] : token <= state[1])) return false;
  if (token != kNil) state[1] = token;
  state[0] = owner;
  ++state[2];
  return true;
}
bool ApplyFenced(ModelState& state, const Operation& operation) {
  return ApplyFencedWith(state, operation, false);
}
bool ApplyReentrantFenced(ModelState& state, const Operation& operation) {
  return ApplyFencedWith(state, operation, true);
}

// State: permits left; and, with owners, (owner, permits held) in the order of owners.
ModelState Permits(const ModelParameters& parameters) { return {parameters.permits}; }

bool ApplySemaphore(ModelState& state, const Operation& operation) {
  const int64_t permits = First(operation.argument, 1);
  if (operation.function != kAcquire) {
    state[0] += permits;
    return true;
  }
  if (state[0] < permits) return false;
  state[0] -= permits;
  return true;
}

// Adds to what `owner` has from the second number on, pairs in order; false when it would be below nothing.
bool AddTo(ModelState& state, int64_t owner, int64_t change) {
  auto at = state.begin() + 1;
  while (at != state.end() && *at < owner) at += 2;
  const bool there = at != state.end() && *at == owner;
  const int64_t left = (there ? at[1] : 0) + change;
  if (left < 0) return false;
  if (there && left == 0) {
    state.erase(at, at + 2);
  } else if (there) {
    at[1] = left;
  } else if (left > 0) {
    const std::array<int64_t, 2> pair{owner, left};
    state.insert(at, pair.begin(), pair.end());
  }
  return true;
}

bool ApplyOwnerSemaphore(ModelState& state, const Operation& operation) {
  const int64_t permits = First(operation.argument, 1);
  const int64_t change = operation.function == kAcquire ? permits : -permits;
  if (state[0] < change || !AddTo(state, OwnerOf(operation), change)) return false;
  state[0] -= change;
  return true;
}

constexpr std::array<std::string_view, 4> kReadWrite{"read-acquire", "read-release",
                                                     "write-acquire", "write-release"};

// State: the writer; then (reader, how often it is in).
bool ApplyReadWrite(ModelState& state, const Operation& operation) {
  const int64_t owner = OwnerOf(operation);
  switch (operation.function) {
    case 0:
      return state[0] == 0 && AddTo(state, owner, 1);
    case 1:
      return AddTo(state, owner, -1);
    case 2:
      if (state[0] != 0 || state.size() > 1) return false;
      state[0] = owner;
      return true;
    default:
      if (state[0] != owner) return false;
      state[0] = 0;
      return true;
  }
}

std::string DescribeMutex(const ModelState& state) { return state[0] == 0 ? "free" : "held"; }
std::string DescribeOwner(const ModelState& state) { return ShownOwner(state[0]); }
std::string DescribeReentrant(const ModelState& state) {
  return state[0] == 0 ? "free" : fmt::format("{}, {} deep", ShownOwner(state[0]), state[1]);
}
std::string DescribeFenced(const ModelState& state) {
  return fmt::format("{}, last token {}", ShownOwner(state[0]), state[1]);
}
std::string DescribePermits(const ModelState& state) {
  std::string text = fmt::format("{} permits left", state[0]);
  for (size_t i = 1; i + 1 < state.size(); i += 2)
    text += fmt::format(", {} with {}", state[i + 1], state[i] - 1);
  return text;
}
std::string DescribeReadWrite(const ModelState& state) {
  if (state[0] != 0) return fmt::format("written by {}", state[0] - 1);
  std::string text;
  for (size_t i = 1; i + 1 < state.size(); i += 2)
    text += fmt::format("{}{}", text.empty() ? "read by " : ", ", state[i] - 1);
  return text.empty() ? "free" : text;
}

// ---- data -------------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 3> kRegister{"read", "write", "cas"};

ModelState Initial(const ModelParameters& parameters) { return {parameters.initial}; }

// A CAS that succeeded; one that found another value changed nothing, and is no operation.
bool ApplyRegister(ModelState& state, const Operation& operation) {
  switch (operation.function) {
    case 0:
      return operation.indeterminate || First(operation.result, kNil) == state[0];
    case 1:
      state[0] = First(operation.argument, kNil);
      return true;
    default:
      if (operation.argument.size() != 2 || operation.argument[0] != state[0]) return false;
      state[0] = operation.argument[1];
      return true;
  }
}

constexpr std::array<std::string_view, 2> kSet{"add", "read"};

ModelState Empty(const ModelParameters&) { return {}; }

// State: the elements, in order.
bool ApplySet(ModelState& state, const Operation& operation) {
  if (operation.function == 0) {
    const int64_t element = First(operation.argument, kNil);
    const auto at = std::ranges::lower_bound(state, element);
    if (at == state.end() || *at != element) state.insert(at, element);
    return true;
  }
  if (operation.indeterminate) return true;
  LinearValue read = operation.result;
  std::ranges::sort(read);
  return std::ranges::equal(read, state);
}

constexpr std::array<std::string_view, 3> kInventory{"read", "sell", "put"};

ModelState Stock(const ModelParameters& parameters) {
  return {parameters.initial == kNil ? 0 : parameters.initial};
}

bool ApplyInventory(ModelState& state, const Operation& operation) {
  switch (operation.function) {
    case 0:
      return operation.indeterminate || First(operation.result, kNil) == state[0];
    case 1: {
      const int64_t pieces = First(operation.argument, 1);
      if (state[0] < pieces) return false;
      state[0] -= pieces;
      return true;
    }
    default:
      state[0] += First(operation.argument, 1);
      return true;
  }
}

std::string DescribeValue(const ModelState& state) { return Shown(state[0]); }
std::string DescribeSet(const ModelState& state) {
  return fmt::format("{{{}}}", fmt::join(state, " "));
}
std::string DescribeStock(const ModelState& state) { return fmt::format("{} in stock", state[0]); }

std::string Shown(const LinearValue& value) {
  if (value.size() == 1) return Shown(value.front());
  std::string text;
  for (const int64_t one : value) text += (text.empty() ? "" : " ") + Shown(one);
  return "[" + text + "]";
}

}  // namespace

std::span<const Model> Models() {
  static const std::array models{
      Model{"mutex", "taken by one at a time; anybody may release", kLock, false, Free, ApplyMutex,
            DescribeMutex},
      Model{"owner-mutex", "taken by one at a time, who alone releases", kLock, true, Free,
            ApplyOwnerMutex, DescribeOwner},
      Model{"reentrant-mutex", "its owner may enter again, and is out after as many releases",
            kLock, true, FreeOfTwo, ApplyReentrant, DescribeReentrant},
      Model{"fenced-mutex", "an acquire answers a token above all before it", kLock, true,
            FreeOfThree, ApplyFenced, DescribeFenced},
      Model{"reentrant-fenced-mutex", "the same, entered again with the same token", kLock, true,
            FreeOfThree, ApplyReentrantFenced, DescribeFenced},
      Model{"semaphore", "some permits (--permits); anybody may release", kLock, false, Permits,
            ApplySemaphore, DescribePermits},
      Model{"owner-semaphore", "some permits, each released by who has it", kLock, true, Permits,
            ApplyOwnerSemaphore, DescribePermits},
      Model{"read-write-lock", "readers together, a writer alone", kReadWrite, true, Free,
            ApplyReadWrite, DescribeReadWrite},
      Model{"register", "a value that is read and written", std::span(kRegister).first(2), false,
            Initial, ApplyRegister, DescribeValue},
      Model{"cas-register", "a register with compare-and-set", kRegister, false, Initial,
            ApplyRegister, DescribeValue},
      Model{"set", "elements are added; a read answers all of them", kSet, false, Empty, ApplySet,
            DescribeSet},
      Model{"inventory", "a stock (--initial) that is read, sold from and put to", kInventory,
            false, Stock, ApplyInventory, DescribeStock},
  };
  return models;
}

const Model* FindModel(std::string_view name) {
  for (const Model& model : Models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

std::string Describe(const Model& model, const Operation& operation) {
  std::string text(model.functions[operation.function]);
  const auto says_something = [](const LinearValue& value) {
    return !value.empty() && value != LinearValue{kNil};
  };
  if (says_something(operation.argument)) text += " " + Shown(operation.argument);
  // Jepsen's completions repeat what was asked for.
  const bool answers = text == "read" ||
                       (says_something(operation.result) && operation.result != operation.argument);
  if (!operation.indeterminate && answers) text += " -> " + Shown(operation.result);
  return fmt::format("{} by {}{}", text, operation.process,
                     operation.indeterminate ? ", outcome unknown" : "");
}

}  // namespace doublehold
