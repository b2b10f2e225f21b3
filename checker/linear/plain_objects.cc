#include "checker/linear/plain_objects.h"

#include <algorithm>
#include <vector>

namespace doublehold {
namespace {

using Number = std::optional<int64_t>;

// The first number of a value; nothing: nil, or there is none.
Number Said(const LinearValue& values) {
  if (values.empty() || values[0] == kNil) return std::nullopt;
  return values[0];
}

bool IsFree(const PlainState& state) { return !state.owner && state.have.empty(); }

// Only whether somebody holds it counts.
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

// A new holder gets a token above all known tokens. A holder whose token is unknown may have any
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
  const Number token = operation.indeterminate ? std::nullopt : Said(operation.result);
  if (function == "acquire" && !TakeToken(next, token)) return false;
  state = next;
  return true;
}

bool ReentrantFenced(PlainState& state, std::string_view function, const Operation& operation) {
  PlainState next = state;
  if (!Reentrant(next, function, operation)) return false;
  if (function == "acquire") {
    const Number token = operation.indeterminate ? std::nullopt : Said(operation.result);
    const bool again = state.owner.has_value();
    // A re-entry returns the owner's own token, which may become known only now.
    if (again && token && state.own_token && token != state.own_token) return false;
    if (!again || (token && !state.own_token)) {
      if (!TakeToken(next, token)) return false;
    }
  }
  state = next;
  return true;
}

// A lock that knows its lease and the time.
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
  const int64_t asked = Said(operation.argument).value_or(1);
  const int64_t left = state.permits + (function == "acquire" ? -asked : asked);
  if (left < 0) return false;
  state.permits = left;
  return true;
}

bool OwnerSemaphore(PlainState& state, std::string_view function, const Operation& operation) {
  const int64_t asked = Said(operation.argument).value_or(1);
  if (function == "release" && state.have[operation.process] < asked) return false;
  if (!Semaphore(state, function, operation)) return false;
  state.have[operation.process] += function == "acquire" ? asked : -asked;
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
    ++state.have[operation.process];
  } else {
    const auto mine = state.have.find(operation.process);
    if (mine == state.have.end()) return false;
    if (--mine->second == 0) state.have.erase(mine);
  }
  return true;
}

bool Register(PlainState& state, std::string_view function, const Operation& operation) {
  const LinearValue& asked = operation.argument;
  if (function == "read") return operation.indeterminate || Said(operation.result) == state.value;
  if (function == "write") {
    state.value = Said(asked);
    return true;
  }
  if (asked.size() != 2 || Said({asked[0]}) != state.value) return false;
  state.value = Said({asked[1]});
  return true;
}

bool Set(PlainState& state, std::string_view function, const Operation& operation) {
  if (function == "add") {
    state.in.insert(Said(operation.argument));
    return true;
  }
  if (operation.indeterminate) return true;
  std::set<Number> seen;
  for (const int64_t element : operation.result) {
    if (!seen.insert(Said({element})).second) return false;
  }
  return seen == state.in;
}

bool Inventory(PlainState& state, std::string_view function, const Operation& operation) {
  const int64_t stock = state.value.value_or(0);
  const int64_t pieces = Said(operation.argument).value_or(1);
  if (function == "read") return operation.indeterminate || Said(operation.result) == stock;
  if (function == "sell" && stock < pieces) return false;
  state.value = function == "sell" ? stock - pieces : stock + pieces;
  return true;
}

// A packed text: its length, then eight characters a number, the first in the lowest byte.
std::optional<std::string> Spelled(const LinearValue& packed) {
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
    return operation.indeterminate || Spelled(operation.result).value_or("") == state.text;
  const std::optional<std::string> text = Spelled(operation.argument);
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

PlainState PlainStart(const ModelParameters& parameters) {
  PlainState state{.permits = parameters.permits, .grace = parameters.lease_grace.count()};
  if (parameters.initial != kNil) state.value = parameters.initial;
  return state;
}

}  // namespace doublehold
