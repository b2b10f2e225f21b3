// Models of the data that locks protect.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "checker/linear/model_rows.h"

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 3> kRegisterFunctions{"read", "write", "cas"};
constexpr std::array<FunctionValues, 3> kRegisterValues{{{.result = ValueKind::kValue},
                                                         {.argument = ValueKind::kValue},
                                                         {.argument = ValueKind::kPair}}};

ModelState InitRegister(const ModelParameters& parameters) { return {parameters.initial}; }

// Every `cas` here succeeded, because the log reader drops operations that failed.
bool ApplyRegister(ModelState& state, const Operation& operation) {
  switch (operation.function) {
    case 0:
      return operation.indeterminate || FirstNumber(operation.result, kNil) == state[0];
    case 1:
      state[0] = FirstNumber(operation.argument, kNil);
      return true;
    default:
      if (operation.argument.size() != 2 || operation.argument[0] != state[0]) return false;
      state[0] = operation.argument[1];
      return true;
  }
}

constexpr std::array<std::string_view, 2> kSetFunctions{"add", "read"};
constexpr std::array<FunctionValues, 2> kSetValues{
    {{.argument = ValueKind::kValue}, {.result = ValueKind::kElements}}};

ModelState InitSet(const ModelParameters&) { return {}; }

// State: the elements, sorted.
bool ApplySet(ModelState& state, const Operation& operation) {
  if (operation.function == 0) {
    const int64_t element = FirstNumber(operation.argument, kNil);
    const auto at = std::ranges::lower_bound(state, element);
    if (at == state.end() || *at != element) state.insert(at, element);
    return true;
  }
  if (operation.indeterminate) return true;
  LinearValue read = operation.result;
  std::ranges::sort(read);
  return std::ranges::equal(read, state);
}

constexpr std::array<std::string_view, 3> kInventoryFunctions{"read", "sell", "put"};
constexpr std::array<FunctionValues, 3> kInventoryValues{{{.result = ValueKind::kInteger},
                                                          {.argument = ValueKind::kCount},
                                                          {.argument = ValueKind::kCount}}};

ModelState InitInventory(const ModelParameters& parameters) {
  return {parameters.initial == kNil ? 0 : parameters.initial};
}

bool ApplyInventory(ModelState& state, const Operation& operation) {
  switch (operation.function) {
    case 0:
      return operation.indeterminate || FirstNumber(operation.result, kNil) == state[0];
    case 1: {
      const int64_t pieces = FirstNumber(operation.argument, 1);
      if (state[0] < pieces) return false;
      state[0] -= pieces;
      return true;
    }
    default:
      state[0] += FirstNumber(operation.argument, 1);
      return true;
  }
}

constexpr std::array<std::string_view, 3> kKeyValueFunctions{"get", "put", "append"};
constexpr std::array<FunctionValues, 3> kKeyValueValues{{{.result = ValueKind::kTextOrNil},
                                                         {.argument = ValueKind::kText},
                                                         {.argument = ValueKind::kText}}};
constexpr int64_t kBytesPerNumber = 8;

// State: a text in the encoding of PackedText.
ModelState InitKeyValue(const ModelParameters&) { return {0}; }

// Appends the packed text `other` to `text`.
void AppendPacked(ModelState& text, std::span<const int64_t> other) {
  const int64_t bytes = text[0];
  const auto shift = static_cast<unsigned>(bytes % kBytesPerNumber) * 8;
  for (const int64_t number : other.subspan(1)) {
    const auto more = static_cast<uint64_t>(number);
    if (shift == 0) {
      text.push_back(number);
      continue;
    }
    text.back() = static_cast<int64_t>(static_cast<uint64_t>(text.back()) | more << shift);
    text.push_back(static_cast<int64_t>(more >> (64 - shift)));
  }
  text[0] = bytes + other[0];
  text.resize(1 + static_cast<size_t>((text[0] + kBytesPerNumber - 1) / kBytesPerNumber));
}

bool ApplyKeyValue(ModelState& state, const Operation& operation) {
  const bool gets = operation.function == 0;
  const LinearValue& text = gets ? operation.result : operation.argument;
  if (gets && operation.indeterminate) return true;
  // An absent key is an empty text here, so a `get` may return nil. Nil cannot be written.
  if (text.empty() || text[0] == kNil) return gets && state[0] == 0;
  if (gets) return std::ranges::equal(text, state);
  if (operation.function == 1) {
    state.assign(text.begin(), text.end());
  } else {
    AppendPacked(state, {text.data(), text.size()});
  }
  return true;
}

std::string DescribeText(const ModelState& state) {
  std::string text;
  for (int64_t at = 0; at < state[0]; ++at) {
    const auto number = static_cast<uint64_t>(state[1 + static_cast<size_t>(at / kBytesPerNumber)]);
    text += static_cast<char>(number >> (at % kBytesPerNumber * 8) & 0xFF);
  }
  return "\"" + text + "\"";
}

std::string DescribeValue(const ModelState& state) {
  return state[0] == kNil ? "nil" : fmt::format("{}", state[0]);
}
std::string DescribeSet(const ModelState& state) {
  return fmt::format("{{{}}}", fmt::join(state, " "));
}
std::string DescribeStock(const ModelState& state) { return fmt::format("{} in stock", state[0]); }

}  // namespace

LinearValue PackedText(std::string_view text) {
  LinearValue packed{static_cast<int64_t>(text.size())};
  for (size_t at = 0; at < text.size(); ++at) {
    if (at % kBytesPerNumber == 0) packed.push_back(0);
    const auto byte = uint64_t{static_cast<uint8_t>(text[at])};
    packed.back() = static_cast<int64_t>(static_cast<uint64_t>(packed.back()) |
                                         byte << (at % kBytesPerNumber * 8));
  }
  return packed;
}

std::vector<Model> DataModels() {
  return {
      Model{"register", "a value with read and write", std::span(kRegisterFunctions).first(2),
            false, InitRegister, ApplyRegister, DescribeValue, std::span(kRegisterValues).first(2)},
      Model{"cas-register", "a register with compare-and-set", kRegisterFunctions, false,
            InitRegister, ApplyRegister, DescribeValue, kRegisterValues},
      Model{"set", "elements are added; a read returns all elements", kSetFunctions, false, InitSet,
            ApplySet, DescribeSet, kSetValues},
      Model{"inventory", "a stock (--initial) with read, sell and put", kInventoryFunctions, false,
            InitInventory, ApplyInventory, DescribeStock, kInventoryValues},
      Model{.name = "key-value",
            .summary = "a text with put, append and get (Porcupine's kv logs)",
            .functions = kKeyValueFunctions,
            .initial = InitKeyValue,
            .apply = ApplyKeyValue,
            .describe = DescribeText,
            .values = kKeyValueValues,
            .packs_text = true},
  };
}

}  // namespace doublehold
