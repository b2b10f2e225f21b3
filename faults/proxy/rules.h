// The rules that are set on one link, and what each of them has done so far.
#ifndef DOUBLEHOLD_FAULTS_PROXY_RULES_H_
#define DOUBLEHOLD_FAULTS_PROXY_RULES_H_

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "faults/cluster.h"

namespace doublehold {

// A rule that was set. Frames it acts on keep it alive until they are gone.
class ActiveRule : public std::enable_shared_from_this<ActiveRule> {
 public:
  ActiveRule(boost::asio::io_context& io, RuleId id, LinkRule spec)
      : io_(io), id_(id), spec_(std::move(spec)) {}

  [[nodiscard]] RuleId id() const { return id_; }
  [[nodiscard]] const LinkRule& spec() const { return spec_; }
  [[nodiscard]] RuleReport report() const { return report_; }

  // It acts on frames of this name, and has not spent its limit.
  [[nodiscard]] bool Matches(std::string_view name) const {
    return (spec_.limit == 0 || report_.frames < spec_.limit) &&
           (spec_.command.empty() || spec_.command == name);
  }

  void Take() { ++report_.frames; }           // it acts on one more frame
  void Measured(Duration kept);               // bytes of one went on their way after so long
  void Gone();                                // one went on its way, or was dropped, or lost
  void Clear() { spec_.on_spent = nullptr; }  // it was removed: nobody is to be told any more

 private:
  boost::asio::io_context& io_;
  RuleId id_;
  LinkRule spec_;
  RuleReport report_;
  int64_t gone_ = 0;
};

class LinkRules {
 public:
  void Add(std::shared_ptr<ActiveRule> rule);
  void Remove(const ActiveRule& rule);

  [[nodiscard]] bool empty(Direction direction) const { return Of(direction).empty(); }
  // The first that matches, or null.
  [[nodiscard]] std::shared_ptr<ActiveRule> Match(Direction direction, std::string_view name) const;

 private:
  using List = std::vector<std::shared_ptr<ActiveRule>>;
  [[nodiscard]] const List& Of(Direction direction) const {
    return lists_[static_cast<size_t>(direction)];
  }

  std::array<List, 2> lists_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_RULES_H_
