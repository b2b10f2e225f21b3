// Sequential models: the behaviour of an object under one call at a time. Some models describe
// locks, others describe the data that locks protect.
//
//   mutex: free --acquire--> taken --release--> free
//
// A history is linearizable if each operation can take effect at one instant between its invocation
// and its return, so that the model allows the resulting sequence. Operations that certainly failed
// took no effect; the reader of the log drops them.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_MODEL_H_
#define DOUBLEHOLD_CHECKER_LINEAR_MODEL_H_

#include <span>
#include <string>
#include <string_view>

#include "checker/linear/operation.h"
#include "lib/base/time.h"

namespace doublehold {

// The state of an object as numbers. Two states are equal exactly if their numbers are equal.
using ModelState = boost::container::small_vector<int64_t, 3>;

// Settings from the command line. Each model ignores the settings of other models.
struct ModelParameters {
  int64_t permits = 1;     // semaphore: number of permits
  int64_t initial = kNil;  // register, inventory: initial value
  Duration lease_grace{};  // lease-mutex: how much longer than requested a lease may last
};

// How a model reads a value. The log reader refuses a value of any other form.
enum class ValueKind : uint8_t {
  kUnread,    // the model ignores the value
  kValue,     // a number, a text, true, false or nil
  kPair,      // [old new], each a kValue
  kElements,  // a list of kValue; nil: the read returned nothing and is ignored
  kText,
  kTextOrNil,
  kCount,    // an integer from 0 to 2^40; nil means 1
  kInteger,  // a 64-bit integer; nil: the read returned nothing and is ignored
  kLease,    // a length in ns, or a map with `lease_ns` or `lease`
  kToken,    // a 64-bit integer, or a map with `token`; nil or a map without `token`: no token
};
struct FunctionValues {
  ValueKind argument = ValueKind::kUnread;
  ValueKind result = ValueKind::kUnread;
};

// A row of the table of models. All functions are pure and thread-safe.
struct Model {
  std::string_view name;
  std::string_view summary;  // for `doublehold list models`
  std::span<const std::string_view> functions;
  // Whether the effect of a call depends on its client. If false, equal operations of unknown
  // outcome are interchangeable.
  bool has_owners = false;
  ModelState (*initial)(const ModelParameters&) = nullptr;
  // Returns whether the model allows `operation`, with its result, in `state`. Changes `state` only
  // if the operation is allowed. Ignores the result of an indeterminate operation.
  bool (*apply)(ModelState& state, const Operation& operation) = nullptr;
  std::string (*describe)(const ModelState& state) = nullptr;
  std::span<const FunctionValues> values{};  // for each function; empty: all values are kUnread
  bool needs_times = false;                  // depends on times, not only on the order
  bool packs_text = false;  // values are texts in the encoding of PackedText, not single numbers

  [[nodiscard]] FunctionValues ValuesOf(size_t function) const {
    return values.empty() ? FunctionValues{} : values[function];
  }
};

// Encodes a text as numbers: the length in bytes, then eight bytes in each number.
LinearValue PackedText(std::string_view text);

std::span<const Model> Models();
// Returns the model with this name, or null.
const Model* FindModel(std::string_view name);

// Examples: "acquire by 3", "cas [1 2] by 4", "read -> 5 by 2".
std::string Describe(const Model& model, const Operation& operation);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_MODEL_H_
