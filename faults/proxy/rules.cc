#include "faults/proxy/rules.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace doublehold {

void ActiveRule::Measured(Duration kept) {
  report_.longest_delay = std::max(report_.longest_delay, kept);
}

void ActiveRule::Gone() {
  ++gone_;
  if (spec_.limit == 0 || gone_ != spec_.limit || !spec_.on_spent) return;
  // Not from here: whoever is told may remove this rule, or close the proxy.
  boost::asio::post(io_, [weak = weak_from_this()] {
    const std::shared_ptr<ActiveRule> rule = weak.lock();
    if (rule == nullptr || !rule->spec_.on_spent) return;
    std::exchange(rule->spec_.on_spent, nullptr)();
  });
}

void LinkRules::Add(std::shared_ptr<ActiveRule> rule) {
  lists_[static_cast<size_t>(rule->spec().direction)].push_back(std::move(rule));
}

void LinkRules::Remove(const ActiveRule& rule) {
  List& list = lists_[static_cast<size_t>(rule.spec().direction)];
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const auto& other) { return other.get() == &rule; }),
             list.end());
}

std::shared_ptr<ActiveRule> LinkRules::Match(Direction direction, std::string_view name) const {
  for (const std::shared_ptr<ActiveRule>& rule : Of(direction)) {
    if (rule->Matches(name)) return rule;
  }
  return nullptr;
}

}  // namespace doublehold
