#include "checker/claims/lock/exclusion_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/history/merge.h"

namespace doublehold {
namespace {

constexpr uint16_t kNobody = std::numeric_limits<uint16_t>::max();
constexpr int64_t kNoGap = std::numeric_limits<int64_t>::max();

struct LockState {
  int64_t free_since_ns = 0;
  uint32_t hold = 0;         // the current hold; 0: the lock is free
  uint16_t last = kNobody;   // writer of the last grant
  bool two_writers = false;  // two writers were granted the lock
  uint32_t holds = 0;        // number of grants
};
static_assert(sizeof(LockState) == 24);

class RecordScan {
 public:
  RecordScan(const MappedHistory& history, std::vector<uint32_t> latest)
      : locks_(history.facts().keys.size()), latest_(std::move(latest)) {}

  // Returns false when the scan gives up. Requires that the file lists the writer of `record`.
  bool AddRecord(const Record& record) {
    const auto ns = static_cast<int64_t>(record.Ns());
    switch (record.What()) {
      case Record::What(Op::kAcquire, EventType::kOk):
        return record.key < locks_.size() && Grant(locks_[record.key], record, ns);
      case Record::What(Op::kRelease, EventType::kInvoke):
        return record.key < locks_.size() && Free(locks_[record.key], record, ns);
      case Record::What(Op::kRelease, EventType::kOk):
      case Record::What(Op::kRelease, EventType::kFail):
      // If the released hold still counts as held, the invocation of this release was lost: gives
      // up.
      case Record::What(Op::kRelease, EventType::kInfo):
      case Record::What(Op::kLeave, EventType::kInfo):  // the hold ended without a release
        return record.key < locks_.size() && (record.Words() & Record::kHoldWord) == 0 &&
               !IsHeldBy(locks_[record.key], record);
      default:
        return record.key < locks_.size() &&
               record.What() <= Record::What(kLastOp, EventType::kInfo) &&
               !IsSupervisorEvent(record);
    }
  }

  [[nodiscard]] bool AllFree() const {
    return std::ranges::all_of(locks_, [](const LockState& lock) { return lock.hold == 0; });
  }
  [[nodiscard]] ExclusionScan Result() const {
    ExclusionScan result;
    for (const LockState& lock : locks_) {
      result.holds += lock.holds;
      if (lock.two_writers) result.judged += lock.holds;
    }
    if (shortest_ns_ != kNoGap) result.shortest_gap_ns = shortest_ns_;
    return result;
  }

 private:
  // Whether the supervisor recorded this event about other processes. Only the full checker takes
  // such events into account.
  static bool IsSupervisorEvent(const Record& record) {
    const auto op = static_cast<Op>(record.What() >> 2U);
    return op == Op::kFault || op == Op::kLost || op == Op::kDied || op == Op::kStall;
  }
  static bool IsHeldBy(const LockState& lock, const Record& record) {
    return lock.hold != 0 && lock.hold == record.hold && lock.last == record.writer;
  }

  bool Grant(LockState& lock, const Record& record, int64_t ns) {
    constexpr uint8_t kNotOrdinary = Record::kHoldWord | Record::ValueWord(2);  // value 2: shared
    // A writer's holds must have ascending numbers, so that no hold is granted twice.
    if (lock.hold != 0 || (record.Words() & kNotOrdinary) != 0 ||
        record.hold <= latest_[record.writer]) {
      return false;
    }
    latest_[record.writer] = record.hold;
    if (lock.last != record.writer && lock.last != kNobody) {
      shortest_ns_ = std::min(shortest_ns_, ns - lock.free_since_ns);
      lock.two_writers = true;
    }
    lock.hold = record.hold;
    lock.last = record.writer;
    ++lock.holds;
    return true;
  }

  bool Free(LockState& lock, const Record& record, int64_t ns) {
    if ((record.Words() & Record::kHoldWord) != 0) return false;
    // A release ends no hold in two cases: its hold is 0, or its hold has a larger number than
    // every grant of the writer. In the second case it releases an acquire of unknown outcome.
    if (!IsHeldBy(lock, record)) return record.hold == 0 || record.hold > latest_[record.writer];
    lock.hold = 0;
    lock.free_since_ns = ns;
    return true;
  }

  std::vector<LockState> locks_;
  std::vector<uint32_t> latest_;  // number of the last hold of each writer
  int64_t shortest_ns_ = kNoGap;
};

constexpr uint32_t kMayNotHold = std::numeric_limits<uint32_t>::max();

// Returns the initial value of RecordScan::latest_ for each writer: 0, or kMayNotHold if numbers
// alone do not identify the writer's holds.
std::vector<uint32_t> LatestHolds(const MappedHistory& history) {
  std::map<uint64_t, int> sessions_of_base;
  for (const RecordWriter& writer : history.writers()) {
    if (writer.task == TaskKind::kSession) ++sessions_of_base[writer.hold_base];
  }
  std::vector<uint32_t> latest;
  for (const RecordWriter& writer : history.writers()) {
    const bool own = writer.task == TaskKind::kSession && writer.hold_base != 0 &&
                     (writer.hold_base & UINT32_MAX) == 0 &&
                     sessions_of_base[writer.hold_base] == 1;
    latest.push_back(own ? 0 : kMayNotHold);
  }
  return latest;
}

// Returns why a scan cannot decide this run; empty if a scan can.
std::string WhyNotOrdinary(const MappedHistory& history) {
  const RunFacts& facts = history.facts();
  if (!facts.faults.empty()) return "the run had faults";
  std::set<std::tuple<int32_t, uint8_t, TaskKind>> writers;
  for (const RecordWriter& writer : history.writers()) {
    if (writer.client < kReferee || writer.client > facts.clients)
      return "a process other than a client wrote records";
    if (!writers.emplace(writer.client, writer.thread, writer.task).second)
      return "two writers have the same task";
  }
  return "";
}

}  // namespace

ExclusionScan ScanExclusion(const MappedHistory& history) {
  if (std::string why = WhyNotOrdinary(history); !why.empty()) return {.gave_up = std::move(why)};
  RecordScan scan(history, LatestHolds(history));
  uint64_t previous_ns = 0;
  uint64_t declared = 0;
  const auto take = [&](const Record& record) {
    const bool in_order = record.Ns() >= previous_ns;
    previous_ns = record.Ns();
    declared += static_cast<uint64_t>(std::popcount(record.Words()));
    return in_order && record.writer < history.writers().size() && record.HasZeros() &&
           scan.AddRecord(record);
  };
  const auto gave_up = [](size_t index, size_t stream) {
    return ExclusionScan{
        .gave_up = fmt::format("record {} of log {} is not ordinary", index + 1, stream + 1)};
  };
  if (history.streams().size() == 1) {
    const std::span<const Record> records = history.streams().front().records;
    const auto odd = std::ranges::find_if_not(records, take);
    if (odd != records.end()) return gave_up(static_cast<size_t>(odd - records.begin()), 0);
  } else {
    for (RecordMerge merge(history.streams()); !merge.AtEnd(); merge.Advance()) {
      if (!take(merge.Current())) return gave_up(merge.Index(), merge.Stream());
    }
  }
  if (!scan.AllFree()) return {.gave_up = "a hold is never released"};
  uint64_t values = 0;
  for (const RecordStream& stream : history.streams()) values += stream.words.size();
  if (declared != values)
    return {.gave_up = "the number of values differs from the number that the records declare"};
  ExclusionScan result = scan.Result();
  result.last_ns = history.first_ns() + static_cast<int64_t>(previous_ns);
  return result;
}

}  // namespace doublehold
