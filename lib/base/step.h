// The named steps of a session, at which faults can begin. A session announces each step through
// Env::Reach. If no fault waits for the step, the call costs one load from memory.
#ifndef DOUBLEHOLD_LIB_BASE_STEP_H_
#define DOUBLEHOLD_LIB_BASE_STEP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace doublehold {

enum class Step : uint8_t {
  kStart,          // before anything
  kAfterAcquire,   // the lock was granted
  kAfterRead,      // the stock was read
  kBeforeWrite,    // the stock write is sent next
  kAfterWrite,     // the stock write was answered
  kBeforeRelease,  // the release is sent next
  kAfterRelease,   // the release was answered
  kMidAcquire,     // within an acquire of several commands, after the command that grants
  kMidRelease,     // within a release of several commands, before the command that frees
};

constexpr std::array<std::string_view, 9> kStepNames{
    "start",          "after-acquire", "after-read",  "before-write", "after-write",
    "before-release", "after-release", "mid-acquire", "mid-release"};

// Texts for `doublehold list steps`.
constexpr std::array<std::string_view, 9> kStepSummaries{
    "before the first acquire",
    "the lock was granted",
    "the stock was read",
    "the session is about to write the stock",
    "the stock write was answered",
    "the session is about to release the lock",
    "the release was answered",
    "between the commands of an acquire, after the one that grants",
    "between the commands of a release, before the one that frees"};

inline std::string_view Name(Step step) { return kStepNames[static_cast<size_t>(step)]; }

inline std::optional<Step> ParseStep(std::string_view name) {
  for (size_t i = 0; i < kStepNames.size(); ++i) {
    if (kStepNames[i] == name) return static_cast<Step>(i);
  }
  return std::nullopt;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_STEP_H_
