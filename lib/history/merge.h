// Iterates over several streams of records in one time order.
//
// Uses a loser tree: each inner node keeps the later of the two records compared there; the
// earliest record is on top. After a record is consumed, its stream's next record is compared with
// the losers on the path to the root. A step costs log2(streams) comparisons, without mispredicted
// branches. Not thread-safe. Keeps references to the streams.
#ifndef DOUBLEHOLD_LIB_HISTORY_MERGE_H_
#define DOUBLEHOLD_LIB_HISTORY_MERGE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/check.h"
#include "lib/history/record.h"

namespace doublehold {

class RecordMerge {
 public:
  static constexpr size_t kMostStreams = 1 << Record::kWhenShift;

  explicit RecordMerge(std::span<const RecordStream> streams)
      : streams_(streams), leaves_(std::bit_ceil(std::max<size_t>(streams.size(), 1))) {
    CHECK(streams.size() < kMostStreams);
    at_.resize(leaves_, 0);
    losers_.resize(leaves_, kEnd);
    top_ = Build(1);
  }

  [[nodiscard]] bool AtEnd() const { return top_ == kEnd; }
  // Index of the stream with the earliest record. Among equal times, the first stream.
  [[nodiscard]] size_t Stream() const { return top_ & (kMostStreams - 1); }
  [[nodiscard]] size_t Index() const { return at_[Stream()]; }  // within its stream
  [[nodiscard]] const Record& Current() const { return streams_[Stream()].records[Index()]; }

  void Advance() {
    const size_t stream = Stream();
    ++at_[stream];
    uint64_t coming = Rank(stream);
    for (size_t node = (leaves_ + stream) / 2; node >= 1; node /= 2) {
      const uint64_t later = std::max(coming, losers_[node]);
      coming = std::min(coming, losers_[node]);
      losers_[node] = later;
    }
    top_ = coming;
  }

 private:
  static constexpr uint64_t kEnd = ~uint64_t{0};

  // A rank has the time in its upper bits and the stream in its lower bits, so all ranks differ.
  [[nodiscard]] uint64_t Rank(size_t stream) const {
    if (stream >= streams_.size() || at_[stream] == streams_[stream].records.size()) return kEnd;
    const Record& record = streams_[stream].records[at_[stream]];
    return record.Ns() << Record::kWhenShift | stream;
  }

  uint64_t Build(size_t node) {
    if (node >= leaves_) return Rank(node - leaves_);
    const uint64_t a = Build(2 * node);
    const uint64_t b = Build(2 * node + 1);
    losers_[node] = std::max(a, b);
    return std::min(a, b);
  }

  std::span<const RecordStream> streams_;
  size_t leaves_;
  std::vector<size_t> at_;
  std::vector<uint64_t> losers_;
  uint64_t top_ = kEnd;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_MERGE_H_
