#include "lib/base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lib/base/check.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

std::vector<std::string> Names(std::span<const OptionSpec> specs) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs) names.emplace_back(spec.name);
  return names;
}

std::optional<int64_t> AsInteger(const std::string& text) {
  int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::string> CheckInteger(const OptionSpec& spec, const std::string& text) {
  int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || status == std::errc::invalid_argument)
    return BadInput(fmt::format("'{}' is not a whole number", text));
  if (status == std::errc::result_out_of_range)
    return BadInput(fmt::format("{} is not in {}..{}", text, spec.least, spec.most));
  if (value < spec.least || value > spec.most) {
    return BadInput(spec.most == INT64_MAX
                        ? fmt::format("{} is below {}", value, spec.least)
                        : fmt::format("{} is not in {}..{}", value, spec.least, spec.most));
  }
  return std::to_string(value);
}

Result<std::string> CheckNumber(const OptionSpec& spec, const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return BadInput(fmt::format("'{}' is not a number", text));
  }
  if (value < static_cast<double>(spec.least) || value > static_cast<double>(spec.most)) {
    return BadInput(fmt::format("{} is not in {}..{}", text, spec.least, spec.most));
  }
  return text;
}

Result<std::string> CheckValue(const OptionSpec& spec, const std::string& text, Lease lease) {
  switch (spec.kind) {
    case OptionSpec::Kind::kFlag:
      if (text == "true" || text == "false") return text;
      return BadInput(fmt::format("'{}' is neither true nor false", text));
    case OptionSpec::Kind::kDuration:
      return ParseDuration(text, lease).map([](Duration d) { return std::to_string(d.count()); });
    case OptionSpec::Kind::kInteger:
      return CheckInteger(spec, text);
    case OptionSpec::Kind::kNumber:
      return CheckNumber(spec, text);
    case OptionSpec::Kind::kChoice: {
      const std::vector<std::string> choices(spec.choices.begin(), spec.choices.end());
      if (std::ranges::find(choices, text) != choices.end()) return text;
      return BadInput(fmt::format("'{}' is unknown{}", text, Suggestion(text, choices)));
    }
  }
  return text;
}

// Checks a value from the result of CompleteOptions, in which a duration is a number of ns.
Result<std::string> CheckCompletedValue(const OptionSpec& spec, const std::string& text) {
  if (spec.kind == OptionSpec::Kind::kDuration) return CheckInteger(OptionSpec{}, text);
  return CheckValue(spec, text, Lease{});
}

tl::unexpected<Error> BadOption(std::string_view what, std::string_view name, const Error& error) {
  return BadInput(fmt::format("{}: option {}: {}", what, name, error.message));
}

Result<void> CheckNothingElse(std::string_view what, std::span<const OptionSpec> specs,
                              const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    if (std::ranges::find(specs, name, &OptionSpec::name) != specs.end()) continue;
    if (specs.empty())
      return BadInput(fmt::format("{} has no option '{}': it has no options", what, name));
    return BadInput(fmt::format("{}: {}", what, UnknownWord("option", name, Names(specs))));
  }
  return {};
}

}  // namespace

Result<std::map<std::string, std::string>> CompleteOptions(
    std::string_view what, std::span<const OptionSpec> specs,
    const std::map<std::string, std::string>& given, Lease lease) {
  std::map<std::string, std::string> complete;
  for (const OptionSpec& spec : specs) {
    const auto found = given.find(std::string(spec.name));
    const std::string text = found == given.end() ? std::string(spec.fallback) : found->second;
    Result<std::string> value = CheckValue(spec, text, lease);
    if (!value) return BadOption(what, spec.name, value.error());
    complete[std::string(spec.name)] = *value;
  }
  if (Result<void> ok = CheckNothingElse(what, specs, given); !ok)
    return tl::unexpected(ok.error());
  return complete;
}

Result<void> CheckCompleted(std::string_view what, std::span<const OptionSpec> specs,
                            const std::map<std::string, std::string>& values) {
  for (const OptionSpec& spec : specs) {
    const auto found = values.find(std::string(spec.name));
    if (found == values.end())
      return BadInput(fmt::format("{}: option '{}' is missing", what, spec.name));
    const Result<std::string> value = CheckCompletedValue(spec, found->second);
    if (!value) return BadOption(what, spec.name, value.error());
  }
  return CheckNothingElse(what, specs, values);
}

Options::Options(const std::map<std::string, std::string>& values) {
  values_.reserve(values.size());
  for (const auto& [name, text] : values)
    values_.push_back(
        {.mark = MarkOf(name), .name = name, .text = &text, .integer = AsInteger(text)});
}

uint32_t Options::MarkOf(std::string_view name) {
  if (name.empty()) return 0;
  return static_cast<uint32_t>(name.size()) << 16 |
         static_cast<uint32_t>(static_cast<uint8_t>(name.front())) << 8 |
         static_cast<uint8_t>(name.back());
}

const Options::Value& Options::Find(std::string_view name) const {
  const uint32_t mark = MarkOf(name);
  for (const Value& value : values_) {
    if (value.mark == mark && value.name == name) return value;
  }
  CHECK(false);
}

int64_t Options::Integer(std::string_view name) const {
  const Value& value = Find(name);
  CHECK(value.integer.has_value());
  return *value.integer;
}

double Options::Number(std::string_view name) const {
  const std::string& text = Text(name);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  CHECK(status == std::errc{} && end == text.data() + text.size());
  return value;
}

}  // namespace doublehold
