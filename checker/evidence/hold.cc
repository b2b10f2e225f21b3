// The questions that one hold answers.
#include <algorithm>

#include "checker/evidence/holds.h"

namespace doublehold {

std::vector<Span> MergeSpans(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::from_ns);
  std::vector<Span> merged;
  for (const Span& span : spans) {
    if (!merged.empty() && span.from_ns <= merged.back().to_ns)
      merged.back().to_ns = std::max(merged.back().to_ns, span.to_ns);
    else
      merged.push_back(span);
  }
  return merged;
}

bool Hold::LiveAt(int64_t at_ns) const {
  return std::ranges::any_of(live, [at_ns](const Span& span) {
    return at_ns == span.from_ns || (span.from_ns < at_ns && at_ns < span.to_ns);
  });
}

bool Hold::ExpiredBefore(int64_t at_ns) const { return !LiveAt(at_ns) && valid_until_ns < at_ns; }

bool Hold::PromisedAt(int64_t at_ns) const {
  return LiveAt(at_ns) || std::ranges::any_of(promised, [at_ns](const Span& span) {
           return span.from_ns <= at_ns && at_ns < span.to_ns;
         });
}

int64_t Hold::LeaseEndBefore(int64_t at_ns) const {
  // `live` may begin with an extension, if the lease ended before the grant.
  int64_t end_ns = granted_until_ns;
  for (const Span& span : live) {
    if (span.to_ns <= at_ns) end_ns = span.to_ns;
  }
  return end_ns;
}

HoldRef Hold::Ref() const {
  return {.client = client,
          .hold = hold,
          .from_ns = core.from_ns,
          .to_ns = core.to_ns,
          .valid_until_ns = valid_until_ns};
}

}  // namespace doublehold
