// Sequential models: the behaviour of an object that one client uses at a time. There are models of
// locks, and of the data that locks protect.
//
//   mutex: free --acquire--> taken --release--> free
//
// A history of the object is linearizable when its operations, each at some instant between its
// invocation and its return, make a sequence that the model allows. An operation that certainly
// failed has no place in it, and is left out beforehand.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_MODEL_H_
#define DOUBLEHOLD_CHECKER_LINEAR_MODEL_H_

#include <span>
#include <string>
#include <string_view>

#include "checker/linear/operation.h"
#include "lib/base/time.h"

namespace doublehold {

// The state of an object as numbers, equal exactly when the states are equal.
using ModelState = boost::container::small_vector<int64_t, 3>;

// Settings of the object by the user; each model uses those that apply.
struct ModelParameters {
  int64_t permits = 1;     // semaphores
  int64_t initial = kNil;  // registers, inventory
  Duration lease_grace{};  // leases: how much longer than requested a lease may last
};

// How a model reads a value. Any other value is refused.
enum class ValueKind : uint8_t {
  kUnread,
  kValue,     // a number, a text, true, false or nil
  kPair,      // [old new], each such a value
  kElements,  // a list of such values; nil: nothing was read
  kText,
  kTextOrNil,
  kCount,    // 0 or more; nil is one
  kInteger,  // nil: nothing was read
  kLease,    // ns, or a map with them
  kToken,    // an integer of 64 bits, or a map with one; nil, or a map without: no token
};
struct FunctionValues {
  ValueKind argument = ValueKind::kUnread;
  ValueKind result = ValueKind::kUnread;
};

// A row of the registry. Pure functions; any thread.
struct Model {
  std::string_view name;
  std::string_view summary;  // for `doublehold list models`
  std::span<const std::string_view> functions;
  // Whether it matters which client made a call. If not, equal operations of unknown outcome are
  // interchangeable.
  bool has_owners = false;
  ModelState (*initial)(const ModelParameters&) = nullptr;
  // Whether `operation` can be next, with its result; changes `state` only if so. Ignores the
  // result of an indeterminate operation.
  bool (*apply)(ModelState& state, const Operation& operation) = nullptr;
  std::string (*describe)(const ModelState& state) = nullptr;
  std::span<const FunctionValues> values{};  // for each function; none: no values are read
  bool needs_times = false;                  // depends on times, not only on the order
  bool packs_text = false;  // values are texts, as PackedText encodes them; else they are numbered

  [[nodiscard]] FunctionValues ValuesOf(size_t function) const {
    return values.empty() ? FunctionValues{} : values[function];
  }
};

// A text as numbers: its length, then eight bytes a number.
LinearValue PackedText(std::string_view text);

std::span<const Model> Models();
// The row of that name, or null.
const Model* FindModel(std::string_view name);

// "acquire by 3", "cas [1 2] by 4", "read -> 5 by 2"
std::string Describe(const Model& model, const Operation& operation);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_MODEL_H_
