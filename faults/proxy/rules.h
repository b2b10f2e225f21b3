// The rules that are set on one link, and what each of them has done so far.
#ifndef DOUBLEHOLD_FAULTS_PROXY_RULES_H_
#define DOUBLEHOLD_FAULTS_PROXY_RULES_H_

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "faults/link.h"
#include "faults/proxy/redis/reply_names.h"
#include "lib/base/prng.h"

namespace doublehold {

// The longest that a delay of this rule can be drawn.
[[nodiscard]] Duration LongestDelay(const LinkRule& rule);

// A rule that was set. Frames it acts on keep it alive until they are gone.
class ActiveRule : public std::enable_shared_from_this<ActiveRule> {
 public:
  // `random` draws what the rule leaves to chance.
  ActiveRule(boost::asio::io_context& io, RuleId id, LinkRule spec, Prng random);

  [[nodiscard]] RuleId id() const { return id_; }
  [[nodiscard]] const LinkRule& spec() const { return spec_; }
  [[nodiscard]] RuleReport report() const { return report_; }

  // A frame of its direction came by: it is counted, and the answer is whether the rule would act.
  [[nodiscard]] bool Wants(const FrameName& frame);

  void Take() { ++report_.frames; }    // it acts on one more frame
  void GiveUp() { --report_.frames; }  // one that it could not act on after all
  [[nodiscard]] Duration DrawDelay();
  void Measured(Duration kept);               // bytes of one went on their way after so long
  void Gone();                                // one went on its way, or was dropped, or lost
  void Clear() { spec_.on_spent = nullptr; }  // it was removed: nobody is to be told any more

 private:
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
  // One of them goes by keys: a frame is decided when its key is known.
  [[nodiscard]] bool by_key(Direction direction) const {
    return by_key_[static_cast<size_t>(direction)];
  }
  // The first that acts on this frame, or null. To be asked once a frame: it is counted.
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
