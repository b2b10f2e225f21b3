#include "lib/history/mapped.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "lib/history/facts_json.h"
#include "lib/history/merge.h"

namespace doublehold {
namespace {

constexpr size_t kAlignment = 16;

Error Refuse(const std::filesystem::path& file, std::string_view reason) {
  return Error{ExitCode::kBadInput, fmt::format("{}: {}", file.string(), reason)};
}

struct Mapping {
  std::shared_ptr<const void> bytes;
  uint64_t size = 0;
};

Result<Mapping> Map(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(Refuse(file, std::strerror(errno)));
  struct stat status {};
  Mapping mapping;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      madvise(bytes, size, MADV_SEQUENTIAL);
      mapping = {{bytes, [size](const void* all) { munmap(const_cast<void*>(all), size); }}, size};
    }
  }
  close(fd);
  return mapping;  // no bytes if the file is empty, or mapping failed
}

// Takes parts off the front of a file. Fails when too few bytes are left.
class Parts {
 public:
  explicit Parts(const Mapping& mapping)
      : at_(static_cast<const std::byte*>(mapping.bytes.get())), left_(mapping.size) {}

  template <typename T>
  std::optional<std::span<const T>> Take(uint64_t count) {
    if (count > left_ / sizeof(T)) return std::nullopt;
    const auto* begin = reinterpret_cast<const T*>(at_);
    Skip(count * sizeof(T));
    return std::span(begin, count);
  }
  bool Align() {
    const uint64_t over = taken_ % kAlignment;
    if (over == 0) return true;
    if (left_ < kAlignment - over) return false;
    Skip(kAlignment - over);
    return true;
  }
  [[nodiscard]] bool Empty() const { return left_ == 0; }

 private:
  void Skip(uint64_t bytes) {
    at_ += bytes;
    taken_ += bytes;
    left_ -= bytes;
  }

  const std::byte* at_;
  uint64_t left_;
  uint64_t taken_ = 0;
};

// Reads the side-table words of a stream's records in order.
class WordCursor {
 public:
  explicit WordCursor(std::span<const int64_t> words) : words_(words) {}

  // Returns nothing when the stream has too few words.
  std::optional<Event> Read(const Record& record, const RecordWriter& writer, int64_t first_ns) {
    Event event{.at_ns = first_ns + static_cast<int64_t>(record.Ns()),
                .hold = record.hold == 0 ? 0 : writer.hold_base + record.hold,
                .client = writer.client,
                .key = record.key,
                .op = static_cast<Op>(record.What() >> 2U),
                .type = static_cast<EventType>(record.What() & 3U),
                .task = writer.task,
                .thread = writer.thread};
    const uint8_t has = record.Words();
    if (static_cast<size_t>(std::popcount(has)) > words_.size() - at_) return std::nullopt;
    if ((has & Record::kHoldWord) != 0) event.hold = static_cast<uint64_t>(words_[at_++]);
    for (size_t i = 0; i < event.value.size(); ++i) {
      if ((has & Record::ValueWord(i)) != 0) event.value[i] = words_[at_++];
    }
    return event;
  }
  [[nodiscard]] bool AtEnd() const { return at_ == words_.size(); }

 private:
  std::span<const int64_t> words_;
  size_t at_ = 0;
};

std::optional<std::string> WhyBroken(const RecordWriter& writer) {
  if (writer.task > TaskKind::kMeter)
    return fmt::format("task {} is unknown", static_cast<int>(writer.task));
  if (writer.reserved != 0) return "the reserved bytes of a writer are not zero";
  return std::nullopt;
}

}  // namespace

Result<MappedHistory> MappedHistory::Open(const std::filesystem::path& file) {
  const auto refuse = [&file](std::string_view reason) {
    return tl::unexpected(Refuse(file, reason));
  };
  Result<Mapping> mapping = Map(file);
  if (!mapping) return tl::unexpected(mapping.error());
  Parts parts(*mapping);
  const auto header = parts.Take<HistoryHeader>(1);
  if (!header || (*header)[0].magic != kHistoryMagic) {
    return refuse("is not a history of this version (it does not begin with DHHIST2)");
  }
  const HistoryHeader& head = (*header)[0];
  const auto cut_off = [&] {
    return refuse(
        fmt::format("is cut off: it should hold {} bytes of facts, {} writers and {} streams",
                    head.facts_bytes, head.writers, head.streams));
  };
  const auto sizes = parts.Take<StreamSize>(head.streams);
  const auto text = parts.Take<char>(head.facts_bytes);
  if (!sizes || !text || !parts.Align()) return cut_off();
  const auto writers = parts.Take<RecordWriter>(head.writers);
  if (!writers || head.streams >= RecordMerge::kMostStreams || head.writers > 1U << 16U)
    return cut_off();
  MappedHistory history;
  for (const StreamSize& size : *sizes) {
    const auto records = parts.Take<Record>(size.records);
    const auto words = parts.Take<int64_t>(size.words);
    if (!records || !words || !parts.Align()) return cut_off();
    history.streams_.push_back({*records, *words});
  }
  if (!parts.Empty()) return refuse("has bytes after its end");
  for (const RecordWriter& writer : *writers) {
    if (const auto why = WhyBroken(writer)) return refuse(*why);
  }
  if (head.first_ns < 0 || head.first_ns > kMostValue || head.reserved != 0)
    return refuse("its header is invalid");
  Result<RunFacts> facts =
      FactsFromJson(nlohmann::json::parse(text->begin(), text->end(), nullptr, false));
  if (!facts) return refuse(facts.error().message);
  history.file_ = file;
  history.mapping_ = mapping->bytes;
  history.facts_ = std::move(*facts);
  history.writers_ = *writers;
  history.first_ns_ = head.first_ns;
  return history;
}

uint64_t MappedHistory::RecordCount() const {
  uint64_t count = 0;
  for (const RecordStream& stream : streams_) count += stream.records.size();
  return count;
}

Result<History> MappedHistory::Load() const {
  History history{facts_, {}};
  history.events.reserve(RecordCount());
  const auto refuse = [&](std::string_view reason) {
    return tl::unexpected(
        Refuse(file_, fmt::format("event {}: {}", history.events.size() + 1, reason)));
  };
  std::vector<WordCursor> words;
  for (const RecordStream& stream : streams_) words.emplace_back(stream.words);
  int64_t previous_ns = 0;
  for (RecordMerge merge(streams_); !merge.AtEnd(); merge.Advance()) {
    const Record& record = merge.Current();
    if (record.writer >= writers_.size())
      return refuse(
          fmt::format("writer {} is unknown; there are {}", record.writer, writers_.size()));
    if (!record.HasZeros()) return refuse("the reserved bits are not zero");
    const std::optional<Event> event =
        words[merge.Stream()].Read(record, writers_[record.writer], first_ns_);
    if (!event) return refuse("its values are missing");
    if (const auto why = WhyInvalid(*event, facts_)) return refuse(*why);
    if (event->at_ns < previous_ns)
      return refuse(fmt::format("time {} is before {}", event->at_ns, previous_ns));
    previous_ns = event->at_ns;
    history.events.push_back(*event);
  }
  for (const WordCursor& left : words) {
    if (!left.AtEnd()) return tl::unexpected(Refuse(file_, "has values that belong to no event"));
  }
  return history;
}

}  // namespace doublehold
