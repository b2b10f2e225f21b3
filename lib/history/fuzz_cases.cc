#include "lib/history/fuzz_cases.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "lib/base/check.h"
#include "lib/history/op_log.h"

namespace doublehold {
namespace {

using Found = FormReader::Found;

std::vector<std::string> ReadAll(LogFormat format, std::string_view text, size_t stretch) {
  TextSource source(text, "fuzz", stretch);
  const std::unique_ptr<FormReader> reader = MakeFormReader(format, source);
  std::vector<std::string> told;
  int64_t line = 0;
  for (Found found = reader->Next(); found != Found::kEnd; found = reader->Next()) {
    const bool is_form = found == Found::kForm;
    told.push_back(fmt::format("{}:{}", reader->line(),
                               is_form ? reader->form().Canonical() : reader->problem()));
    CHECK(is_form || !reader->problem().empty());
    // What is wrong may be told where it ended, which is behind what is read next.
    if (is_form) CHECK(reader->line() >= line);
    if (is_form) line = reader->line();
    CHECK(told.size() <= 2 * text.size() + 1);
  }
  return told;
}

}  // namespace

void CheckReader(LogFormat format, std::string_view input) {
  if (input.empty()) return;
  const size_t stretch = static_cast<uint8_t>(input.front()) + size_t{1};
  input.remove_prefix(1);
  CHECK(ReadAll(format, input, stretch) == ReadAll(format, input, input.size() + 1));
  for (const bool lenient : {false, true}) {
    TextSource source(input, "fuzz", stretch);
    Skips skips("fuzz", lenient);
    int64_t events = 0;
    const auto facts =
        ReadOpLog(source, format, skips, [&](const LogEvent& event, const OpLogFacts&) {
          CHECK(event.line > 0 && event.process >= 0 && !event.value.Canonical().empty());
          ++events;
          return Result<void>();
        });
    CHECK(facts || facts.error().message.find('\n') == std::string::npos);
    CHECK(!facts || (facts->events == events && events > 0));
    CHECK(lenient || skips.count() == 0);
  }
}

}  // namespace doublehold
