#include "faults/sim/sim_cluster.h"

#include <algorithm>
#include <utility>

#include "faults/proxy/redis/reply_names.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

using Action = LinkRule::Action;
using sim::Fate;

// Returns the fate of a message on which the rule acts; nullopt if the rule cannot act on it.
std::optional<Fate> FateBy(const LinkRule& rule, const sim::OnItsWay& message) {
  switch (rule.action) {
    case Action::kDelay:
      return Fate{.what = Fate::What::kIsLate, .late = rule.delay};
    case Action::kDrop:
      return Fate{.what = Fate::What::kIsLost};
    case Action::kReset:
      return Fate{.what = Fate::What::kBreaks};
    case Action::kDuplicate:
      if (!message.can_repeat || !IsRepeatable(message.command)) return std::nullopt;
      return Fate{.what = Fate::What::kComesTwice};
    case Action::kHold:
    case Action::kPace:
    case Action::kWatch:
      break;
  }
  CHECK(false);
}

}  // namespace

RuleId SimCluster::SetLink(LinkId link, LinkRule rule) {
  CHECK(link.peer == 0 && rule.key.empty() && !rule.matches && rule.chance == 1);
  CHECK(rule.jitter == Duration{} && rule.action != Action::kHold && rule.action != Action::kPace &&
        rule.action != Action::kWatch);
  const auto report = std::make_shared<RuleReport>();
  const sim::Way way{
      .client = link.client, .node = link.node, .is_reply = rule.direction == Direction::kReply};
  const RuleId id = world_.SetRule(way, [rule = std::move(rule), report,
                                         seen = int64_t{0}](const sim::OnItsWay& message) mutable {
    if (!rule.command.empty() && rule.command != message.command) return Fate{};
    if (++seen < rule.nth || (rule.limit > 0 && report->frames == rule.limit)) return Fate{};
    const std::optional<Fate> fate = FateBy(rule, message);
    if (!fate) return Fate{};
    report->longest_delay = std::max(report->longest_delay, fate->late);
    if (++report->frames == rule.limit && rule.on_limit_reached) rule.on_limit_reached();
    return *fate;
  });
  reports_.emplace(id, report);
  return id;
}

RuleReport SimCluster::ClearLink(RuleId rule) {
  world_.ClearRule(rule);
  const auto report = reports_.extract(rule);
  CHECK(!report.empty());
  return *report.mapped();
}

void SimCluster::NotYet() { CHECK(false); }

}  // namespace doublehold
