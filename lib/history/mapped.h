// history.bin, mapped into memory: records are read in place. The kernel can reclaim the mapped
// memory at any time.
//
//   "DHHIST2\n"  first_ns:i64  facts_bytes:u64  writers:u64  streams:u64  0:u64
//   streams x { records:u64  words:u64 }
//   facts (JSON, padded with spaces to a multiple of 16)   writers x RecordWriter
//   streams x { records x Record  words x i64 (padded with a 0 to a multiple of 16) }
//
// Numbers are in native byte order. A file has one stream in time order, or one stream for each log
// that was written separately. Thread rule: several threads may read one object.
#ifndef DOUBLEHOLD_LIB_HISTORY_MAPPED_H_
#define DOUBLEHOLD_LIB_HISTORY_MAPPED_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/history/record.h"

namespace doublehold {

class MappedHistory {
 public:
  // Refuses a file that is not a history.bin, or that is truncated. Records are checked when they
  // are read.
  static Result<MappedHistory> Open(const std::filesystem::path& file);

  [[nodiscard]] const RunFacts& facts() const { return facts_; }
  [[nodiscard]] std::span<const RecordWriter> writers() const { return writers_; }
  [[nodiscard]] std::span<const RecordStream> streams() const { return streams_; }
  [[nodiscard]] int64_t first_ns() const { return first_ns_; }
  [[nodiscard]] uint64_t RecordCount() const;

  // Reads everything into memory. An error names the event that is impossible in the run.
  [[nodiscard]] Result<History> Load() const;

 private:
  MappedHistory() = default;

  std::filesystem::path file_;
  std::shared_ptr<const void> mapping_;
  RunFacts facts_;
  std::span<const RecordWriter> writers_;
  std::vector<RecordStream> streams_;
  int64_t first_ns_ = 0;
};

// The beginning of the file.
struct HistoryHeader {
  std::array<char, 8> magic;
  int64_t first_ns;
  uint64_t facts_bytes, writers, streams, reserved;
};
static_assert(sizeof(HistoryHeader) == 48);
struct StreamSize {
  uint64_t records, words;
};
constexpr std::array<char, 8> kHistoryMagic{'D', 'H', 'H', 'I', 'S', 'T', '2', '\n'};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_MAPPED_H_
