#include "lib/history/fuzz/fuzz_cases.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "lib/base/check.h"
#include "lib/history/foreign/op_log.h"
#include "lib/history/jsonl.h"

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
    // An error may be reported at a later line than the next form. So only forms must have
    // ascending lines.
    if (is_form) CHECK(reader->line() >= line);
    if (is_form) line = reader->line();
    CHECK(told.size() <= 2 * text.size() + 1);
  }
  return told;
}

// Inserts a space behind the brace that opens a line. The JSON parser ignores this space, but Scan
// accepts no such line. So the parser reads every line.
std::string LeftToAParser(std::string_view text) {
  std::string spaced;
  for (size_t i = 0; i < text.size(); ++i) {
    spaced += text[i];
    if (text[i] == '{' && (i == 0 || text[i - 1] == '\n')) spaced += ' ';
  }
  return spaced;
}

Result<History> ReadHistory(std::string_view text, size_t stretch) {
  TextSource source(text, "fuzz", stretch);
  return ReadJsonl(source);
}

}  // namespace

void CheckHistory(std::string_view input) {
  if (input.empty()) return;
  const size_t stretch = static_cast<uint8_t>(input.front()) + size_t{1};
  input.remove_prefix(1);
  const Result<History> whole = ReadHistory(input, input.size() + 1);
  for (const Result<History>& other :
       {ReadHistory(input, stretch), ReadHistory(LeftToAParser(input), input.size() + 1)}) {
    CHECK(whole.has_value() == other.has_value());
    if (whole) {
      CHECK(whole->facts == other->facts && whole->events == other->events);
    } else {
      CHECK(whole.error().message == other.error().message);
      CHECK(whole.error().message.find('\n') == std::string::npos);
    }
  }
}

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
