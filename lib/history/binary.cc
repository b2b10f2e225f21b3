#include "lib/history/binary.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "lib/history/facts_json.h"

namespace doublehold {
namespace {

constexpr std::array<char, 8> kMagic{'D', 'H', 'H', 'I', 'S', 'T', '1', '\n'};

struct Header {
  std::array<char, 8> magic;
  uint64_t facts_bytes;
  uint64_t event_count;
};
static_assert(sizeof(Header) == 24);

Error Refuse(const std::filesystem::path& file, std::string_view reason) {
  return Error{ExitCode::kBadInput, fmt::format("{}: {}", file.string(), reason)};
}

}  // namespace

Result<void> WriteBinaryFile(const History& history, const std::filesystem::path& file) {
  std::string facts =
      FactsToJson(history.facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  while ((sizeof(Header) + facts.size()) % sizeof(Event) != 0) facts += ' ';
  const Header header{kMagic, facts.size(), history.events.size()};
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  out.write(facts.data(), static_cast<std::streamsize>(facts.size()));
  out.write(reinterpret_cast<const char*>(history.events.data()),
            static_cast<std::streamsize>(history.events.size() * sizeof(Event)));
  out.close();
  if (!out) {
    return EnvironmentFailed(
        fmt::format("{}: could not be written: {}", file.string(), std::strerror(errno)));
  }
  return {};
}

Result<History> ReadBinaryFile(const std::filesystem::path& file) {
  const auto refuse = [&file](std::string_view reason) {
    return tl::unexpected(Refuse(file, reason));
  };
  std::error_code status;
  const uint64_t size = std::filesystem::file_size(file, status);
  if (status) return refuse(status.message());
  std::ifstream in(file, std::ios::binary);
  if (!in) return refuse("could not be opened");
  Header header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof(header)) || header.magic != kMagic) {
    return refuse("is no history of this version (it does not begin with DHHIST1)");
  }
  const uint64_t rest = size - sizeof(header);
  if (header.facts_bytes > rest ||
      header.event_count != (rest - header.facts_bytes) / sizeof(Event) ||
      (rest - header.facts_bytes) % sizeof(Event) != 0) {
    return refuse(fmt::format("is cut off: it should hold {} bytes of facts and {} events",
                              header.facts_bytes, header.event_count));
  }
  std::string text(header.facts_bytes, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    return refuse("could not be read");
  }
  Result<RunFacts> facts = FactsFromJson(nlohmann::json::parse(text, nullptr, false));
  if (!facts) return refuse(facts.error().message);
  History history{std::move(*facts), std::vector<Event>(header.event_count)};
  if (!in.read(reinterpret_cast<char*>(history.events.data()),
               static_cast<std::streamsize>(header.event_count * sizeof(Event)))) {
    return refuse("could not be read");
  }
  int64_t previous_ns = 0;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    std::optional<std::string> reason = WhyInvalid(event, history.facts);
    if (!reason && event.at_ns < previous_ns) {
      reason = fmt::format("time {} is before {}", event.at_ns, previous_ns);
    }
    if (reason) return refuse(fmt::format("event {}: {}", i + 1, *reason));
    previous_ns = event.at_ns;
  }
  return history;
}

}  // namespace doublehold
