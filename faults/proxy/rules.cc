#include "faults/proxy/rules.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cmath>
#include <utility>

namespace doublehold {
namespace {

// Draws are capped at three standard deviations, or at twenty times the scale. So the longest
// possible delay is bounded.
constexpr double kMostDeviations = 3;
constexpr double kMostPareto = 20;

// The Irwin-Hall distribution, a sum of uniform numbers. The sum needs additions only, so every
// machine draws the same values.
double DrawNormal(Prng& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.Unit();
  return std::clamp(sum, -kMostDeviations, kMostDeviations);
}

// The Lomax distribution: a Pareto distribution with shape 2 that begins at 0. Its mean is 1.
double DrawPareto(Prng& random) {
  return std::min(1 / std::sqrt(1 - random.Unit()) - 1, kMostPareto);
}

Duration Times(double factor, Duration duration) {
  return Duration(std::llround(factor * static_cast<double>(duration.count())));
}

}  // namespace

Duration LongestDelay(const LinkRule& rule) {
  switch (rule.spread) {
    case LinkRule::Spread::kUniform:
      return rule.delay + rule.jitter;
    case LinkRule::Spread::kNormal:
      return rule.delay + Times(kMostDeviations, rule.jitter);
    case LinkRule::Spread::kPareto:
      return rule.delay + Times(kMostPareto, rule.jitter);
  }
  return rule.delay;
}

ActiveRule::ActiveRule(boost::asio::io_context& io, RuleId id, LinkRule spec, Prng random)
    : io_(io), id_(id), spec_(std::move(spec)), random_(random) {
  if (!spec_.key.empty()) key_ = KeyMark::Of(spec_.key);
}

bool ActiveRule::Matches(const FrameName& frame) const {
  if (!spec_.command.empty() && spec_.command != frame.name) return false;
  if (spec_.matches && !spec_.matches(frame.name)) return false;
  return !key_.present() || key_ == frame.key;
}

void ActiveRule::Watch(const FrameName& frame, bool is_lost) const {
  if (spec_.action == LinkRule::Action::kWatch && Matches(frame)) spec_.seen(frame.name, is_lost);
}

bool ActiveRule::Wants(const FrameName& frame) {
  if (spec_.action == LinkRule::Action::kWatch || !Matches(frame)) return false;
  if (spec_.action == LinkRule::Action::kDuplicate && !frame.repeatable) return false;
  if (++matched_ < spec_.nth) return false;
  if (spec_.limit > 0 && report_.frames >= spec_.limit) return false;
  return spec_.chance >= 1 || random_.Unit() < spec_.chance;
}

Duration ActiveRule::DrawDelay() {
  if (spec_.jitter <= Duration{}) return spec_.delay;
  Duration drawn = spec_.delay;
  switch (spec_.spread) {
    case LinkRule::Spread::kUniform:
      drawn += random_.Between(-spec_.jitter, spec_.jitter);
      break;
    case LinkRule::Spread::kNormal:
      drawn += Times(DrawNormal(random_), spec_.jitter);
      break;
    case LinkRule::Spread::kPareto:
      drawn += Times(DrawPareto(random_), spec_.jitter);
      break;
  }
  return std::max(Duration{}, drawn);
}

void ActiveRule::Measured(Duration kept) {
  report_.longest_delay = std::max(report_.longest_delay, kept);
}

void ActiveRule::Gone() {
  ++gone_;
  if (spec_.limit == 0 || gone_ != spec_.limit || !spec_.on_limit_reached) return;
  // Posted, because the callback may remove this rule or close the proxy.
  boost::asio::post(io_, [weak = weak_from_this()] {
    const std::shared_ptr<ActiveRule> rule = weak.lock();
    if (rule == nullptr || !rule->spec_.on_limit_reached) return;
    std::exchange(rule->spec_.on_limit_reached, nullptr)();
  });
}

void LinkRules::Add(std::shared_ptr<ActiveRule> rule) {
  const Direction direction = rule->spec().direction;
  lists_[static_cast<size_t>(direction)].push_back(std::move(rule));
  NoteKeys(direction);
}

void LinkRules::Remove(const ActiveRule& rule) {
  const Direction direction = rule.spec().direction;
  std::erase_if(lists_[static_cast<size_t>(direction)],
                [&](const auto& other) { return other.get() == &rule; });
  NoteKeys(direction);
}

void LinkRules::NoteKeys(Direction direction) {
  by_key_[static_cast<size_t>(direction)] = std::ranges::any_of(
      Of(direction), [](const auto& rule) { return !rule->spec().key.empty(); });
}

std::shared_ptr<ActiveRule> LinkRules::Match(Direction direction, const FrameName& frame) const {
  const std::shared_ptr<ActiveRule>* first = nullptr;
  for (const std::shared_ptr<ActiveRule>& rule : Of(direction)) {
    if (rule->Wants(frame) && first == nullptr) first = &rule;
  }
  const bool is_lost = first != nullptr && ((*first)->spec().action == LinkRule::Action::kDrop ||
                                            (*first)->spec().action == LinkRule::Action::kReset);
  for (const std::shared_ptr<ActiveRule>& rule : Of(direction)) rule->Watch(frame, is_lost);
  return first == nullptr ? nullptr : *first;
}

}  // namespace doublehold
