#include "lib/base/event.h"

namespace doublehold {

std::string_view Name(EventType type) {
  constexpr std::array<std::string_view, 4> kNames{"invoke", "ok", "fail", "info"};
  return kNames[static_cast<size_t>(type)];
}

std::string_view Name(Op op) {
  constexpr std::array<std::string_view, 22> kNames{"acquire",
                                                    "extend",
                                                    "release",
                                                    "read",
                                                    "write",
                                                    "order",
                                                    "final",
                                                    "probe",
                                                    "expiry",
                                                    "wait",
                                                    "fault",
                                                    "stall",
                                                    "lost",
                                                    "died",
                                                    "save",
                                                    "look",
                                                    "leave",
                                                    "late-reply",
                                                    "lost-notification",
                                                    "idle",
                                                    "traffic",
                                                    "driver-error"};
  return kNames[static_cast<size_t>(op)];
}

std::string_view Name(TaskKind task) {
  constexpr std::array<std::string_view, 3> kNames{"session", "watchdog", "meter"};
  return kNames[static_cast<size_t>(task)];
}

}  // namespace doublehold
