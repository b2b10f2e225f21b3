// Models of locks without a lease: a hold ends only with its release.
#include <fmt/format.h>

#include <array>

#include "checker/linear/model_rows.h"

namespace doublehold {
namespace {

std::string FormatOwner(int64_t owner) {
  return owner == 0 ? "free" : fmt::format("held by {}", owner - 1);
}

constexpr std::array<std::string_view, 2> kLockFunctions{"acquire", "release"};
constexpr std::array<FunctionValues, 2> kFencedValues{{{.result = ValueKind::kToken}, {}}};
constexpr std::array<FunctionValues, 2> kSemaphoreValues{
    {{.argument = ValueKind::kCount}, {.argument = ValueKind::kCount}}};
constexpr uint8_t kAcquire = 0;

ModelState InitLock(const ModelParameters&) { return {0}; }
ModelState InitReentrant(const ModelParameters&) { return {0, 0}; }
ModelState InitFenced(const ModelParameters&) { return {0, kNil, 0, 0}; }

// Knossos's mutex: any process may release. State: 1 if held.
bool ApplyMutex(ModelState& state, const Operation& operation) {
  const int64_t required = operation.function == kAcquire ? 0 : 1;
  if (state[0] != required) return false;
  state[0] = 1 - required;
  return true;
}

bool ApplyOwnerMutex(ModelState& state, const Operation& operation) {
  const int64_t owner = OwnerNumber(operation);
  if (state[0] != (operation.function == kAcquire ? 0 : owner)) return false;
  state[0] = operation.function == kAcquire ? owner : 0;
  return true;
}

// State: the owner, and the number of its unreleased acquires.
bool ApplyReentrant(ModelState& state, const Operation& operation) {
  const int64_t owner = OwnerNumber(operation);
  const bool acquires = operation.function == kAcquire;
  if (state[0] != owner && !(acquires && state[0] == 0)) return false;
  state[1] += acquires ? 1 : -1;
  state[0] = state[1] == 0 ? 0 : owner;
  return true;
}

// State:
// - the owner;
// - the last reported token; initially kNil, which is below all tokens;
// - the number of the owner's unreleased acquires;
// - 1 if the last reported token belongs to the current owner.
// A grant without a reported token counts as having a token above all earlier tokens. A re-entry
// may report that token later.
bool ApplyFencedWith(ModelState& state, const Operation& operation, bool reentrant) {
  const int64_t owner = OwnerNumber(operation);
  if (operation.function != kAcquire) {
    if (state[0] != owner) return false;
    if (--state[2] == 0) state[0] = state[3] = 0;
    return true;
  }
  const int64_t token = operation.indeterminate ? kNil : FirstNumber(operation.result, kNil);
  const bool again = reentrant && state[0] == owner;
  if (state[0] != 0 && !again) return false;
  const bool token_known = again && state[3] != 0;
  if (token != kNil && (token_known ? token != state[1] : token <= state[1])) return false;
  if (token != kNil) state[1] = token;
  if (token != kNil) state[3] = 1;
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

// State: the free permits. In an owner-semaphore, pairs (owner, permits held) follow, sorted by
// owner.
ModelState InitPermits(const ModelParameters& parameters) { return {parameters.permits}; }

bool ApplySemaphore(ModelState& state, const Operation& operation) {
  const int64_t permits = FirstNumber(operation.argument, 1);
  if (operation.function != kAcquire) {
    state[0] += permits;
    return true;
  }
  if (state[0] < permits) return false;
  state[0] -= permits;
  return true;
}

// Adds `change` to the permits of `owner`. The sorted pairs begin at the second number of the
// state. Returns false if the owner would have fewer than 0 permits.
bool AddPermits(ModelState& state, int64_t owner, int64_t change) {
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
  const int64_t permits = FirstNumber(operation.argument, 1);
  const int64_t change = operation.function == kAcquire ? permits : -permits;
  if (state[0] < change || !AddPermits(state, OwnerNumber(operation), change)) return false;
  state[0] -= change;
  return true;
}

constexpr std::array<std::string_view, 4> kReadWriteFunctions{"read-acquire", "read-release",
                                                              "write-acquire", "write-release"};

// State: the writer, then pairs (reader, number of its unreleased acquires), sorted by reader.
bool ApplyReadWrite(ModelState& state, const Operation& operation) {
  const int64_t owner = OwnerNumber(operation);
  switch (operation.function) {
    case 0:
      return state[0] == 0 && AddPermits(state, owner, 1);
    case 1:
      return AddPermits(state, owner, -1);
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
std::string DescribeOwner(const ModelState& state) { return FormatOwner(state[0]); }
std::string DescribeReentrant(const ModelState& state) {
  return state[0] == 0 ? "free" : fmt::format("{}, {} deep", FormatOwner(state[0]), state[1]);
}
std::string DescribeFenced(const ModelState& state) {
  const std::string token = state[1] == kNil ? "none" : fmt::format("{}", state[1]);
  return fmt::format("{}, last token {}", FormatOwner(state[0]), token);
}
std::string DescribePermits(const ModelState& state) {
  std::string text = fmt::format("{} permits left", state[0]);
  for (size_t i = 1; i + 1 < state.size(); i += 2)
    text += fmt::format(", {} held by {}", state[i + 1], state[i] - 1);
  return text;
}
std::string DescribeReadWrite(const ModelState& state) {
  if (state[0] != 0) return fmt::format("written by {}", state[0] - 1);
  std::string text;
  for (size_t i = 1; i + 1 < state.size(); i += 2)
    text += fmt::format("{}{}", text.empty() ? "read by " : ", ", state[i] - 1);
  return text.empty() ? "free" : text;
}

}  // namespace

std::vector<Model> LockModels() {
  return {
      Model{"mutex", "one process at a time; any process may release", kLockFunctions, false,
            InitLock, ApplyMutex, DescribeMutex},
      Model{"owner-mutex", "one process at a time; only the owner may release", kLockFunctions,
            true, InitLock, ApplyOwnerMutex, DescribeOwner},
      Model{"reentrant-mutex", "the owner may acquire again; as many releases free the lock",
            kLockFunctions, true, InitReentrant, ApplyReentrant, DescribeReentrant},
      Model{"fenced-mutex", "each acquire returns a token above all earlier tokens", kLockFunctions,
            true, InitFenced, ApplyFenced, DescribeFenced, kFencedValues},
      Model{"reentrant-fenced-mutex",
            "a fenced-mutex whose owner may acquire again, with the same token", kLockFunctions,
            true, InitFenced, ApplyReentrantFenced, DescribeFenced, kFencedValues},
      Model{"semaphore", "several permits (--permits); any process may release one", kLockFunctions,
            false, InitPermits, ApplySemaphore, DescribePermits, kSemaphoreValues},
      Model{"owner-semaphore", "several permits; only the owner of a permit may release it",
            kLockFunctions, true, InitPermits, ApplyOwnerSemaphore, DescribePermits,
            kSemaphoreValues},
      Model{"read-write-lock", "many readers or one writer", kReadWriteFunctions, true, InitLock,
            ApplyReadWrite, DescribeReadWrite},
  };
}

}  // namespace doublehold
