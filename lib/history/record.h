// The form of an event in history.bin: a record of 16 bytes, plus words in a side table.
//
// A record refers to its writer (a task of a process) by index. It contains the lower half of its
// hold number. All holds of a writer share the upper half. Further data are words in the side
// table, in the order of the records. A record's words are its hold, if the hold does not fit into
// the record, and then its values other than 0.
#ifndef DOUBLEHOLD_LIB_HISTORY_RECORD_H_
#define DOUBLEHOLD_LIB_HISTORY_RECORD_H_

#include <cstdint>
#include <span>
#include <type_traits>

#include "lib/base/event.h"

namespace doublehold {

struct Record {
  uint64_t when_and_what =
      0;  // 48 bits of ns since the file's start, 5 of words, 5 of op, 2 of type
  uint16_t writer = 0;
  uint16_t key = 0;
  uint32_t hold = 0;

  static constexpr int kWhenShift = 16;
  static constexpr uint64_t kMostNs = (uint64_t{1} << 48) - 1;  // 78 hours
  // Bit of Words() that is set when the hold is a word.
  static constexpr uint8_t kHoldWord = 1;
  static constexpr uint8_t ValueWord(size_t i) { return static_cast<uint8_t>(2U << i); }
  static constexpr uint8_t What(Op op, EventType type) {
    return static_cast<uint8_t>(static_cast<uint8_t>(op) << 2U | static_cast<uint8_t>(type));
  }
  static constexpr uint64_t Pack(uint64_t ns, uint8_t words, uint8_t what) {
    return ns << kWhenShift | static_cast<uint64_t>(words) << 7U | what;
  }

  [[nodiscard]] uint64_t Ns() const { return when_and_what >> kWhenShift; }
  [[nodiscard]] uint8_t What() const { return when_and_what & 0x7fU; }
  [[nodiscard]] uint8_t Words() const { return when_and_what >> 7U & 0x1fU; }
  // The unused bits are zero.
  [[nodiscard]] bool HasZeros() const { return (when_and_what & 0xf000U) == 0; }
  bool operator==(const Record&) const = default;
};
static_assert(sizeof(Record) == 16 && std::is_trivially_copyable_v<Record>);

// The writer of records.
struct RecordWriter {
  uint64_t hold_base = 0;  // added to Record::hold unless that is 0
  int32_t client = 0;
  uint8_t thread = 0;
  TaskKind task = TaskKind::kSession;
  uint16_t reserved = 0;
  bool operator==(const RecordWriter&) const = default;
};
static_assert(sizeof(RecordWriter) == 16 && std::is_trivially_copyable_v<RecordWriter>);

// Records in time order, with their words.
struct RecordStream {
  std::span<const Record> records;
  std::span<const int64_t> words;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_RECORD_H_
