// For tests: the objects of the models, written a second time without any code of the models, with
// plain owners and texts. Checks the models and the search together.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_PLAIN_OBJECTS_H_
#define DOUBLEHOLD_CHECKER_LINEAR_PLAIN_OBJECTS_H_

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

// The state of any of these objects; each uses the members that it needs.
struct PlainState {
  std::optional<int32_t> owner{};          // the exclusive owner
  int64_t times = 0;                       // how often the owner has entered
  std::optional<int64_t> own_token{};      // the owner's known token
  std::optional<int64_t> highest_token{};  // the highest known token
  int64_t permits = 0;                     // free permits
  std::map<int32_t, int64_t> have{};      // shared owners, and how many permits or entries each has
  std::optional<int64_t> value{};         // nothing: nil
  std::set<std::optional<int64_t>> in{};  // a set
  std::string text{};
  int64_t now = 0;        // for a lease: when the next operation takes effect
  int64_t lease_end = 0;  // from then on the owner's lease counts as over
  int64_t grace = 0;      // how much longer a release may still succeed

  auto operator<=>(const PlainState&) const = default;
};

struct PlainObject {
  std::string_view model;
  // Whether `operation`, a call of `function`, can be next; changes `state` only if so.
  bool (*take)(PlainState& state, std::string_view function, const Operation& operation);
};

// The object of a model; null: none.
const PlainObject* FindPlainObject(std::string_view model);
PlainState PlainStart(const ModelParameters& parameters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_PLAIN_OBJECTS_H_
