#include "checker/evidence/library_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "checker/evidence/disturbances.h"

namespace doublehold {
namespace {

constexpr std::array kAnsweredOps{Op::kAcquire, Op::kRelease, Op::kExtend};

bool IsDisturbed(const Evidence& evidence, int32_t client, const Span& call) {
  const RunFacts& facts = evidence.facts();
  const int64_t aftermath_ns = ToNs(facts.lease) + ToNs(facts.grace);
  return std::ranges::any_of(
      evidence.disturbances().EpisodesWithin({call.from_ns - aftermath_ns, call.to_ns}),
      [&](const FaultEpisode* episode) {
        return ConcernsClient(*episode, FaultFor(facts, *episode), client);
      });
}

}  // namespace

LibraryErrors CountLibraryErrors(const Evidence& evidence) {
  LibraryErrors all{{{.calls = "acquires"}, {.calls = "releases"}, {.calls = "extensions"}}};
  if (!evidence.facts().library) return all;
  // (client, thread, kind of call, key) -> time of the invocation
  std::map<std::tuple<int32_t, uint8_t, size_t, uint16_t>, int64_t> open;
  for (const Event& event : evidence.history().events) {
    if (event.client <= kReferee) continue;
    if (event.op == Op::kDriverError) {
      CallErrors& of_kind = all[static_cast<size_t>(std::clamp<int64_t>(event.value[1], 0, 2))];
      ++of_kind.errors;
      if (!IsDisturbed(evidence, event.client, {event.at_ns - event.value[0], event.at_ns}))
        ++of_kind.undisturbed_errors;
    }
    const auto kind =
        static_cast<size_t>(std::ranges::find(kAnsweredOps, event.op) - kAnsweredOps.begin());
    if (kind == kAnsweredOps.size()) continue;
    const auto call = std::tuple(event.client, event.thread, kind, event.key);
    if (event.type == EventType::kInvoke) {
      ++all[kind].sent;
      open[call] = event.at_ns;
    } else if (const auto sent = open.extract(call)) {
      if (!IsDisturbed(evidence, event.client, {sent.mapped(), event.at_ns}))
        ++all[kind].undisturbed;
    }
  }
  for (const auto& [call, sent_ns] : open) {
    if (!IsDisturbed(evidence, std::get<0>(call), {sent_ns, kForeverNs}))
      ++all[std::get<2>(call)].undisturbed;
  }
  return all;
}

std::string WhyTooManyErrors(const LibraryErrors& errors) {
  constexpr int64_t kMostPercent = 10;
  const CallErrors& acquires = errors.front();
  if (100 * acquires.undisturbed_errors <= kMostPercent * acquires.undisturbed) return "";
  return DescribeErrors(acquires) + fmt::format(" (limit for these: {} %)", kMostPercent);
}

std::string DescribeErrors(const CallErrors& errors) {
  const std::string counts = fmt::format("the library answered {} of {} {} with an error",
                                         errors.errors, errors.sent, errors.calls);
  if (errors.undisturbed == errors.sent) return counts + "; no fault disturbed them";
  return counts + fmt::format("; of the {} that no fault disturbed, {}", errors.undisturbed,
                              errors.undisturbed_errors);
}

}  // namespace doublehold
