#include "lib/sim/choices/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace doublehold::sim {
namespace {

// Parses a number at the start of `text`, and removes it from `text`.
bool TakeNumber(std::string_view& text, uint32_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
  return true;
}

bool Take(std::string_view& text, char what) {
  if (text.empty() || text.front() != what) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string ToText(const Deviations& deviations) {
  std::string text;
  for (const Deviation& deviation : deviations)
    text += fmt::format("{}{}:{}", text.empty() ? "" : "-", deviation.at, deviation.choice);
  return text;
}

Result<Deviations> ParseDeviations(std::string_view text) {
  Deviations deviations;
  for (std::string_view rest = text; !rest.empty();) {
    Deviation next;
    const bool is_good = (deviations.empty() || Take(rest, '-')) && TakeNumber(rest, next.at) &&
                         Take(rest, ':') && TakeNumber(rest, next.choice) && next.choice > 0 &&
                         (deviations.empty() || deviations.back().at < next.at);
    if (!is_good)
      return BadInput(fmt::format(
          "'{}' is not a list of choices: each is PLACE:CHOICE, in order of place, as in 12:1-40:3",
          text));
    deviations.push_back(next);
  }
  return deviations;
}

std::optional<std::string> GivenChoices::WhyUnfit() const {
  if (misfit_) {
    const auto given = std::ranges::find(given_, misfit_->at, &Deviation::at);
    return fmt::format("choice {}:{}: this place has the choices 1 to {}", given->at, given->choice,
                       misfit_->count - 1);
  }
  if (next_ == given_.size()) return std::nullopt;
  return fmt::format("choice {}:{}: the execution has only {} places, counted from 0",
                     given_[next_].at, given_[next_].choice, asked_);
}

}  // namespace doublehold::sim
