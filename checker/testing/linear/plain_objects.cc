#include "checker/testing/linear/plain_objects.h"

#include <algorithm>
#include <vector>

namespace doublehold {
namespace {

using Number = std::optional<int64_t>;

// Returns the first number of a value; nullopt if the value is empty or nil.
Number FirstValue(const LinearValue& values) {
  if (values.empty() || values[0] == kNil) return std::nullopt;
  return values[0];
}

bool IsFree(const PlainState& state) { return !state.owner && state.shares.empty(); }

// Any process may release.
bool Mutex(PlainState& state, std::string_view function, const Operation& operation) {
  if ((function == "acquire") == state.owner.has_value()) return false;
  if (state.owner) {
    state.owner.reset();
  } else {
    state.owner = operation.process;
  }
  return true;
}

bool OwnerMutex(PlainState& state, std::string_view function, const Operation& operation) {
  if (function == "release" && state.owner != operation.process) return false;
  return Mutex(state, function, operation);
}

bool Reentrant(PlainState& state, std::string_view function, const Operation& operation) {
  if (state.owner && state.owner != operation.process) return false;
  if (function == "acquire") {
    state.owner = operation.process;
    ++state.times;
    return true;
  }
  if (!state.owner) return false;
  if (--state.times == 0) state.owner.reset();
  return true;
}

// A new hold's token is above all reported tokens. A hold without a reported token may have any
// such token.
bool TakeToken(PlainState& state, Number token) {
  if (token && state.highest_token && *token <= *state.highest_token) return false;
  if (token) state.highest_token = token;
  state.own_token = token;
  return true;
}

bool Fenced(PlainState& state, std::string_view function, const Operation& operation) {
  PlainState next = state;
  if (!OwnerMutex(next, function, operation)) return false;
  const Number token = operation.indeterminate ? std::nullopt : FirstValue(operation.result);
  if (function == "acquire" && !TakeToken(next, token)) return false;
  state = next;
  return true;
}

bool ReentrantFenced(PlainState& state, std::string_view function, const Operation& operation) {
  PlainState next = state;
  if (!Reentrant(next, function, operation)) return false;
  if (function == "acquire") {
    const Number token = operation.indeterminate ? std::nullopt : FirstValue(operation.result);
    const bool again = state.owner.has_value();
    // A re-entry returns the owner's own token. The first acquire may not have reported that token.
    if (again && token && state.own_token && token != state.own_token) return false;
    if (!again || (token && !state.own_token)) {
      if (!TakeToken(next, token)) return false;
    }
  }
  state = next;
  return true;
}

bool LeaseMutex(PlainState& state, std::string_view function, const Operation& operation) {
  const bool own = state.owner == operation.process;
  if (function == "acquire") {
    if (state.owner && state.now < state.lease_end) return false;
    state.owner = operation.process;
    state.lease_end = state.now + operation.argument[0];
    return true;
  }
  if (function == "release" && (!own || state.now > state.lease_end + state.grace)) return false;
  if (function == "not-owner" && own && state.now < state.lease_end) return false;
  if (own) state.owner.reset();
  return true;
}

bool Semaphore(PlainState& state, std::string_view function, const Operation& operation) {
  const int64_t asked = FirstValue(operation.argument).value_or(1);
  const int64_t left = state.permits + (function == "acquire" ? -asked : asked);
  if (left < 0) return false;
  state.permits = left;
  return true;
}

bool OwnerSemaphore(PlainState& state, std::string_view function, const Operation& operation) {
  const int64_t asked = FirstValue(operation.argument).value_or(1);
  if (function == "release" && state.shares[operation.process] < asked) return false;
  if (!Semaphore(state, function, operation)) return false;
  state.shares[operation.process] += function == "acquire" ? asked : -asked;
  return true;
}

bool ReadWriteLock(PlainState& state, std::string_view function, const Operation& operation) {
  if (function == "write-acquire") {
    if (!IsFree(state)) return false;
    state.owner = operation.process;
  } else if (function == "write-release") {
    if (state.owner != operation.process) return false;
    state.owner.reset();
  } else if (function == "read-acquire") {
    if (state.owner) return false;
    ++state.shares[operation.process];
  } else {
    const auto mine = state.shares.find(operation.process);
    if (mine == state.shares.end()) return false;
    if (--mine->second == 0) state.shares.erase(mine);
  }
  return true;
}

bool Register(PlainState& state, std::string_view function, const Operation& operation) {
  const LinearValue& asked = operation.argument;
  if (function == "read")
    return operation.indeterminate || FirstValue(operation.result) == state.value;
  if (function == "write") {
    state.value = FirstValue(asked);
    return true;
  }
  if (asked.size() != 2 || FirstValue({asked[0]}) != state.value) return false;
  state.value = FirstValue({asked[1]});
  return true;
}

bool Set(PlainState& state, std::string_view function, const Operation& operation) {
  if (function == "add") {
    state.elements.insert(FirstValue(operation.argument));
    return true;
  }
  if (operation.indeterminate) return true;
  std::set<Number> seen;
  for (const int64_t element : operation.result) {
    if (!seen.insert(FirstValue({element})).second) return false;
  }
  return seen == state.elements;
}

bool Inventory(PlainState& state, std::string_view function, const Operation& operation) {
  const int64_t stock = state.value.value_or(0);
  const int64_t pieces = FirstValue(operation.argument).value_or(1);
  if (function == "read") return operation.indeterminate || FirstValue(operation.result) == stock;
  if (function == "sell" && stock < pieces) return false;
  state.value = function == "sell" ? stock - pieces : stock + pieces;
  return true;
}

// Decodes PackedText: the length, then eight characters in each number. The first character is in
// the lowest byte.
std::optional<std::string> UnpackText(const LinearValue& packed) {
  if (packed.empty() || packed[0] == kNil) return std::nullopt;
  std::string text;
  for (size_t number = 1; number < packed.size(); ++number) {
    auto left = static_cast<uint64_t>(packed[number]);
    for (int character = 0; character < 8; ++character, left /= 256)
      text += static_cast<char>(left % 256);
  }
  return text.substr(0, static_cast<size_t>(packed[0]));
}

bool KeyValue(PlainState& state, std::string_view function, const Operation& operation) {
  if (function == "get")
    return operation.indeterminate || UnpackText(operation.result).value_or("") == state.text;
  const std::optional<std::string> text = UnpackText(operation.argument);
  if (!text) return false;
  state.text = function == "put" ? *text : state.text + *text;
  return true;
}

}  // namespace

const PlainObject* FindPlainObject(std::string_view model) {
  static const std::vector<PlainObject> objects{{"mutex", Mutex},
                                                {"owner-mutex", OwnerMutex},
                                                {"reentrant-mutex", Reentrant},
                                                {"fenced-mutex", Fenced},
                                                {"reentrant-fenced-mutex", ReentrantFenced},
                                                {"lease-mutex", LeaseMutex},
                                                {"semaphore", Semaphore},
                                                {"owner-semaphore", OwnerSemaphore},
                                                {"read-write-lock", ReadWriteLock},
                                                {"register", Register},
                                                {"cas-register", Register},
                                                {"set", Set},
                                                {"inventory", Inventory},
                                                {"key-value", KeyValue}};
  const auto found = std::ranges::find(objects, model, &PlainObject::model);
  return found == objects.end() ? nullptr : &*found;
}

PlainState InitialPlainState(const ModelParameters& parameters) {
  PlainState state{.permits = parameters.permits, .grace = parameters.lease_grace.count()};
  if (parameters.initial != kNil) state.value = parameters.initial;
  return state;
}

}  // namespace doublehold
