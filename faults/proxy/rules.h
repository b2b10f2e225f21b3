// The rules of one link, and what each rule has done so far.
#ifndef DOUBLEHOLD_FAULTS_PROXY_RULES_H_
#define DOUBLEHOLD_FAULTS_PROXY_RULES_H_

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "faults/link.h"
#include "faults/proxy/wire/wire.h"
#include "lib/base/prng.h"

namespace doublehold {

// The longest delay that this rule can draw.
[[nodiscard]] Duration LongestDelay(const LinkRule& rule);

// A rule that is set. The frames on which the rule acts keep the object alive.
class ActiveRule : public std::enable_shared_from_this<ActiveRule> {
 public:
  // `random` is the rule's source of randomness.
  ActiveRule(boost::asio::io_context& io, RuleId id, LinkRule spec, Prng random);

  [[nodiscard]] RuleId id() const { return id_; }
  [[nodiscard]] const LinkRule& spec() const { return spec_; }
  [[nodiscard]] RuleReport report() const { return report_; }

  // Counts a frame of the rule's direction. Returns whether the rule would act on it.
  [[nodiscard]] bool Wants(const FrameName& frame);
  // Reports a frame to a kWatch rule.
  void Watch(const FrameName& frame, bool is_lost) const;

  void Take() { ++report_.frames; }    // the rule acts on one more frame
  void GiveUp() { --report_.frames; }  // the rule could not act on a frame after all
  [[nodiscard]] Duration DrawDelay();
  void Measured(Duration kept);  // a part of a frame was sent after this delay
  void Gone();                   // call when a frame was sent, dropped or lost
  void Clear() {
    spec_.on_limit_reached = nullptr;
  }  // call when the rule is removed: on_limit_reached is not called any more

 private:
  [[nodiscard]] bool Matches(const FrameName& frame) const;

  boost::asio::io_context& io_;
  RuleId id_;
  LinkRule spec_;
  Prng random_;
  KeyMark key_;
  RuleReport report_;
  int64_t matched_ = 0;
  int64_t gone_ = 0;
};

class LinkRules {
 public:
  void Add(std::shared_ptr<ActiveRule> rule);
  void Remove(const ActiveRule& rule);

  [[nodiscard]] bool empty(Direction direction) const { return Of(direction).empty(); }
  // Whether a rule names a key. If so, the rules decide about a frame only when its key is known.
  [[nodiscard]] bool by_key(Direction direction) const {
    return by_key_[static_cast<size_t>(direction)];
  }
  // Returns the first rule that acts on this frame, or null. Call it once for each frame, because
  // it counts the frame.
  [[nodiscard]] std::shared_ptr<ActiveRule> Match(Direction direction,
                                                  const FrameName& frame) const;

 private:
  using List = std::vector<std::shared_ptr<ActiveRule>>;
  [[nodiscard]] const List& Of(Direction direction) const {
    return lists_[static_cast<size_t>(direction)];
  }

  void NoteKeys(Direction direction);

  std::array<List, 2> lists_;
  std::array<bool, 2> by_key_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_RULES_H_
