#include "lib/history/binary.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "lib/history/facts_json.h"
#include "lib/history/mapped.h"

namespace doublehold {
namespace {

// A history, converted to the parts of the file.
class Packing {
 public:
  explicit Packing(int64_t first_ns) : first_ns_(first_ns) {}

  // Adds an event. Returns nothing on success, otherwise the reason why the file cannot hold the
  // event.
  std::optional<std::string> Take(const Event& event) {
    const auto ns = static_cast<uint64_t>(event.at_ns - first_ns_);
    if (ns > Record::kMostNs) return "it is more than 78 hours after the first event";
    const std::optional<uint16_t> writer = WriterOf(event);
    if (!writer) return "its writer is the 65537th; a file has at most 65536";
    Record record{.writer = *writer, .key = event.key};
    uint8_t has = 0;
    const uint64_t base = BaseOf(*writer, event.hold);
    if (event.hold > base && event.hold - base <= UINT32_MAX) {
      record.hold = static_cast<uint32_t>(event.hold - base);
    } else if (event.hold != 0) {
      has |= Record::kHoldWord;
      words_.push_back(static_cast<int64_t>(event.hold));
    }
    for (size_t i = 0; i < event.value.size(); ++i) {
      if (event.value[i] == 0) continue;
      has |= Record::ValueWord(i);
      words_.push_back(event.value[i]);
    }
    record.when_and_what = Record::Pack(ns, has, Record::What(event.op, event.type));
    records_.push_back(record);
    return std::nullopt;
  }

  [[nodiscard]] const std::vector<Record>& records() const { return records_; }
  [[nodiscard]] const std::vector<int64_t>& words() const { return words_; }
  [[nodiscard]] const std::vector<RecordWriter>& writers() const { return writers_; }

 private:
  std::optional<uint16_t> WriterOf(const Event& event) {
    const auto next = static_cast<uint16_t>(writers_.size());
    const auto [found, is_new] =
        numbers_.try_emplace({event.client, event.thread, event.task}, next);
    if (!is_new) return found->second;
    if (writers_.size() > UINT16_MAX) return std::nullopt;
    writers_.push_back({.client = event.client, .thread = event.thread, .task = event.task});
    has_base_.push_back(false);
    return next;
  }

  // Hold numbers of a session share the upper half (lib/locks/owners.h). Returns this half, with
  // zeros below. The writer's first hold determines it.
  uint64_t BaseOf(uint16_t writer, uint64_t hold) {
    if (hold != 0 && !has_base_[writer]) {
      has_base_[writer] = true;
      writers_[writer].hold_base = hold & ~uint64_t{UINT32_MAX};
    }
    return writers_[writer].hold_base;
  }

  int64_t first_ns_;
  std::vector<bool> has_base_;  // by writer
  std::vector<Record> records_;
  std::vector<int64_t> words_;
  std::vector<RecordWriter> writers_;
  std::map<std::tuple<int32_t, uint8_t, TaskKind>, uint16_t> numbers_;
};

template <typename T>
void Put(std::ofstream& out, const T* all, size_t count) {
  out.write(reinterpret_cast<const char*>(all), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

Result<void> WriteBinaryFile(const History& history, const std::filesystem::path& file) {
  const int64_t first_ns = history.events.empty() ? 0 : history.events.front().at_ns;
  Packing packing(first_ns);
  int64_t previous_ns = 0;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    std::optional<std::string> why = WhyInvalid(event, history.facts);
    if (!why && event.at_ns < previous_ns) why = "it is earlier than the previous event";
    if (!why) why = packing.Take(event);
    if (why) {
      return BadInput(
          fmt::format("{}: could not be written: event {}: {}", file.string(), i + 1, *why));
    }
    previous_ns = event.at_ns;
  }
  std::string facts =
      FactsToJson(history.facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  facts.append((16 - facts.size() % 16) % 16, ' ');
  std::vector<int64_t> words = packing.words();
  const StreamSize size{packing.records().size(), words.size()};
  if (words.size() % 2 != 0) words.push_back(0);  // padding to 16 bytes, not counted
  const HistoryHeader header{kHistoryMagic, first_ns, facts.size(), packing.writers().size(), 1, 0};
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  Put(out, &header, 1);
  Put(out, &size, 1);
  Put(out, facts.data(), facts.size());
  Put(out, packing.writers().data(), packing.writers().size());
  Put(out, packing.records().data(), packing.records().size());
  Put(out, words.data(), words.size());
  out.close();
  if (!out) {
    return EnvironmentFailed(
        fmt::format("{}: could not be written: {}", file.string(), std::strerror(errno)));
  }
  return {};
}

Result<History> ReadBinaryFile(const std::filesystem::path& file) {
  const Result<MappedHistory> mapped = MappedHistory::Open(file);
  if (!mapped) return tl::unexpected(mapped.error());
  return mapped->Load();
}

}  // namespace doublehold
