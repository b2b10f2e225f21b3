// For tests: a second, independent implementation of each model, with process numbers as owners and
// with plain texts. These objects check the models and the search together.
#ifndef DOUBLEHOLD_CHECKER_TESTING_LINEAR_PLAIN_OBJECTS_H_
#define DOUBLEHOLD_CHECKER_TESTING_LINEAR_PLAIN_OBJECTS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"

namespace doublehold {

// The state of a plain object. Each object uses only some members.
struct PlainState {
  std::optional<int32_t> owner{};          // the exclusive owner
  int64_t times = 0;                       // number of the owner's unreleased acquires
  std::optional<int64_t> own_token{};      // the owner's token, if reported
  std::optional<int64_t> highest_token{};  // the highest reported token
  int64_t permits = 0;                     // free permits
  std::map<int32_t, int64_t> shares{};     // permits or unreleased acquires of each shared owner
  std::optional<int64_t> value{};          // of a register or inventory; nullopt: nil
  std::set<std::optional<int64_t>> elements{};  // the elements of a set
  std::string text{};
  int64_t now = 0;        // lease-mutex: when the next operation takes effect, in ns
  int64_t lease_end = 0;  // from this instant on the lock may be granted again
  int64_t grace = 0;      // how long after lease_end a release may still succeed, in ns

  auto operator<=>(const PlainState&) const = default;
};

struct PlainObject {
  std::string_view model;
  // Returns whether `operation`, a call of `function`, is allowed in `state`. Changes `state` only
  // if the operation is allowed.
  bool (*apply)(PlainState& state, std::string_view function, const Operation& operation);
};

// Returns the object of a model, or null if the name is unknown.
const PlainObject* FindPlainObject(std::string_view model);
PlainState InitialPlainState(const ModelParameters& parameters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_LINEAR_PLAIN_OBJECTS_H_
