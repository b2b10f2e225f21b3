#include "compose/cluster/iptables_partition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "lib/base/check.h"

namespace doublehold {
namespace {

// The proxy's rule ids count from 1, so the ids of PacketCuts are different.
constexpr RuleId kFirstRule = RuleId{1} << 63U;

// Returns a unique comment for a rule, because two rules may otherwise be equal.
std::string CommentForRule(RuleId rule) { return fmt::format("dh-{}-", rule - kFirstRule); }

}  // namespace

bool PacketCuts::IsCut(const LinkRule& rule) {
  return rule.action == LinkRule::Action::kDrop && rule.command.empty() && rule.key.empty() &&
         rule.nth == 1 && rule.chance >= 1 && rule.limit == 0;
}

// Returns the options that select the link's packets: the half between a client and the proxy, or
// all packets between two servers that reach each other directly.
std::string PacketCuts::PacketsOf(LinkId link, Direction direction) const {
  const bool request = direction == Direction::kRequest;
  if (const auto port = ports_.find(link); port != ports_.end()) {
    return fmt::format("{} {}/32 -p tcp --{} {}", request ? "-d" : "-s", network_.own_address(),
                       request ? "dport" : "sport", port->second);
  }
  const std::string& node = network_.AddressOf({ProcessRef::Kind::kNode, link.node});
  const std::string& peer = network_.AddressOf({ProcessRef::Kind::kNode, link.peer});
  return fmt::format("-s {}/32 -d {}/32 -p tcp", request ? peer : node, request ? node : peer);
}

// The rule drops forwarded packets, so neither end gets an error.
RuleId PacketCuts::Cut(LinkId link, Direction direction) {
  const RuleId id = kFirstRule + ++last_rule_;
  Rule rule{.text = fmt::format("FORWARD {} -m comment --comment {} -j DROP",
                                PacketsOf(link, direction), CommentForRule(id))};
  pending_.push_back("-A " + rule.text);
  rules_.emplace(id, std::move(rule));
  return id;
}

RuleReport PacketCuts::Mend(RuleId id) {
  const auto found = rules_.find(id);
  CHECK(found != rules_.end());
  const Rule rule = std::move(found->second);
  const RuleReport report{.frames = rule.in_place ? LostTo(id) : 0};
  rules_.erase(found);
  if (rule.in_place) {
    pending_.push_back("-D " + rule.text);
  } else {
    std::erase(pending_, "-A " + rule.text);
  }
  return report;
}

void PacketCuts::Commit() {
  if (pending_.empty()) return;
  counts_.reset();
  const std::string table = fmt::format("*filter\n{}\nCOMMIT\n", fmt::join(pending_, "\n"));
  pending_.clear();
  const Result<std::string> done =
      network_.RunInNetwork({"iptables-restore", "--wait", "--noflush"}, table);
  if (!done) return failed_(done.error());
  for (auto& [id, rule] : rules_) rule.in_place = true;
}

// Parses iptables-save: "[12:720] -A FORWARD ... --comment dh-3- -j DROP" means 12 packets.
int64_t PacketCuts::LostTo(RuleId rule) {
  if (!counts_) {
    Result<std::string> saved =
        network_.RunInNetwork({"iptables-save", "--counters", "--table", "filter"}, {});
    if (!saved) failed_(saved.error());
    counts_ = saved.value_or("");
  }
  const size_t mark = counts_->find(CommentForRule(rule));
  if (mark == std::string::npos) return 0;
  const size_t open = counts_->rfind("\n[", mark);
  int64_t packets = 0;
  if (open != std::string::npos)
    std::from_chars(counts_->data() + open + 2, counts_->data() + mark, packets);
  return packets;
}

}  // namespace doublehold
