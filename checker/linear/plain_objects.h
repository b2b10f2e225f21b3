// For tests: what the objects of the models do, written down a second time, without a line of the
// models': an owner is an owner, a text is a text. To hold model and search against together.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_PLAIN_OBJECTS_H_
#define DOUBLEHOLD_CHECKER_LINEAR_PLAIN_OBJECTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"

namespace doublehold {

// Of any of them; each uses what it needs.
struct PlainState {
  std::optional<int32_t> owner{};          // who has it alone
  int64_t times = 0;                       // how often the owner is in
  std::optional<int64_t> own_token{};      // that the owner was told
  std::optional<int64_t> highest_token{};  // that anybody was told
  int64_t permits = 0;                     // nobody's
  std::map<int32_t, int64_t> have{};       // who shares it, and how much of it
  std::optional<int64_t> value{};          // nothing: nil
  std::set<std::optional<int64_t>> in{};   // a set
  std::string text{};
};

struct PlainObject {
  std::string_view model;
  // Whether `operation`, called `function`, can be next; changes `state` only if so.
  bool (*take)(PlainState& state, std::string_view function, const Operation& operation);
};

// That of a model; null: it has none. Of the lease-mutex every_order.cc tries every instant.
const PlainObject* FindPlainObject(std::string_view model);
PlainState PlainStart(const ModelParameters& parameters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_PLAIN_OBJECTS_H_
