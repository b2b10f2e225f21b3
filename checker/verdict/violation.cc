#include "checker/verdict/violation.h"

#include <array>

namespace doublehold {

std::string_view Name(FactKind kind) {
  constexpr std::array<std::string_view, 14> kNames{
      "granted", "renewed",    "read",  "wrote",       "saved", "looked",    "released",
      "refused", "unanswered", "error", "lease-ended", "left",  "last-seen", "fault-began"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view Name(SpanState state) {
  constexpr std::array<std::string_view, 7> kNames{"waiting", "held", "live", "calling",
                                                   "acting",  "may",  "must"};
  return kNames[static_cast<size_t>(state)];
}

}  // namespace doublehold
