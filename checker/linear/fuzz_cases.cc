#include "checker/linear/fuzz_cases.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checker/linear/every_order.h"
#include "checker/linear/explain.h"
#include "checker/linear/search.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr size_t kMostOperations = 7;
constexpr size_t kBytesAnOperation = 4;
constexpr int32_t kProcesses = 4;

// Decodes four bytes: function and process; start and duration; argument; result.
Operation OperationOf(const Model& model, std::string_view bytes) {
  const auto part = [&](size_t i, unsigned shift, unsigned below) {
    return static_cast<int64_t>((static_cast<uint8_t>(bytes[i]) >> shift) % below);
  };
  Operation operation{
      .function = static_cast<uint8_t>(part(0, 0, static_cast<unsigned>(model.functions.size()))),
      .process = static_cast<int32_t>(part(0, 3, kProcesses)),
      .indeterminate = part(0, 5, 4) == 0,
      .invoked = part(1, 0, 16)};
  operation.returned = operation.invoked + part(1, 4, 16);
  const auto value = [&](size_t i) {
    LinearValue values;
    for (int64_t left = part(i, 0, 4); left > 0; --left)
      values.push_back(part(i, static_cast<unsigned>(2 * left), 4));
    return values;
  };
  operation.argument = model.packs_text ? PackedText(bytes.substr(2, 1)) : value(2);
  operation.result = model.packs_text ? PackedText(bytes.substr(3, 1)) : value(3);
  if (model.needs_times) operation.argument = {part(2, 0, 16)};
  return operation;
}

// Whether the process has another operation at that time.
bool IsBusy(const std::vector<Operation>& operations, const Operation& one) {
  return std::ranges::any_of(operations, [&](const Operation& other) {
    return other.process == one.process && other.invoked < one.returned &&
           one.invoked < other.returned;
  });
}

}  // namespace

void CheckSearch(std::string_view input) {
  if (input.size() < 2) return;
  const auto first = static_cast<uint8_t>(input[0]);
  const auto second = static_cast<uint8_t>(input[1]);
  const Model& model = Models()[first % Models().size()];
  const ModelParameters parameters{.permits = 1 + second % 3,
                                   .initial = second / 4 % 4,
                                   .lease_grace = Duration(second / 16 % 3)};
  std::vector<Operation> operations;
  for (size_t at = 2; at + kBytesAnOperation <= input.size(); at += kBytesAnOperation) {
    if (operations.size() == kMostOperations) break;
    Operation operation = OperationOf(model, input.substr(at, kBytesAnOperation));
    while (IsBusy(operations, operation)) operation.process += kProcesses;
    operations.push_back(std::move(operation));
  }
  const SearchResult result = FindOrder(model, parameters, operations);
  const bool orderable = CanBeOrdered(model, parameters, operations);
  CHECK(result.outcome == (orderable ? Outcome::kValid : Outcome::kViolated));
  if (!orderable) CHECK(!Explain(model, operations, result).empty());
  const SearchResult cut = FindOrder(model, parameters, operations, {.configurations = 2});
  CHECK(cut.outcome == Outcome::kUnknown || cut.outcome == result.outcome);
}

}  // namespace doublehold
