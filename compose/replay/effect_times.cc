#include "compose/replay/effect_times.h"

#include <algorithm>

namespace doublehold {

EffectTimes::EffectTimes(const std::vector<Frame>& frames) {
  for (const Frame& frame : frames) {
    if (!frame.is_reply) requests_[{frame.client, frame.task, frame.thread}].push_back(frame);
  }
}

std::optional<int64_t> EffectTimes::Find(const Event& asked, int64_t until_ns) const {
  const auto found = requests_.find({asked.client, asked.task, asked.thread});
  if (found == requests_.end()) return std::nullopt;
  const std::vector<Frame>& sent = found->second;
  std::map<int, std::optional<int64_t>> last;  // by server
  for (auto request = std::ranges::lower_bound(sent, asked.at_ns, {}, &Frame::at_ns);
       request != sent.end() && request->at_ns < until_ns; ++request)
    last[request->node] = request->arrived_ns;
  std::vector<int64_t> carried_out;
  for (const auto& [node, at_ns] : last) {
    if (at_ns) carried_out.push_back(*at_ns);
  }
  std::ranges::sort(carried_out);
  const size_t most = last.size() / 2;
  return most < carried_out.size() ? std::optional(carried_out[most]) : std::nullopt;
}

}  // namespace doublehold
