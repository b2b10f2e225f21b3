#include "checker/measures/coverage_marks.h"

#include <array>
#include <map>

#include "checker/evidence/holds.h"
#include "checker/evidence/overlaps.h"

namespace doublehold {
namespace {

constexpr int64_t kPttlNotThere = -2;
constexpr int64_t kPttlNeverExpires = -1;

class MarkFinder {
 public:
  explicit MarkFinder(const Evidence& evidence) : evidence_(evidence) {}

  MarkSet Find() && {
    for (const Event& event : evidence_.history().events) Note(event);
    for (const Hold& hold : evidence_.holds().all) Note(hold);
    for (const auto& [key, readings] : readings_) {
      if (readings.found > 0) Set(Mark::kLeftBehind);
      if (readings.found > 0 && readings.gone > 0) Set(Mark::kLeftOnSome);
    }
    if (!FindOverlaps(evidence_.holds(), Part::kCore).empty()) Set(Mark::kHeldTwice);
    if (!FindOverlaps(evidence_.holds(), Part::kPromised).empty()) Set(Mark::kGrantedTwice);
    return marks_;
  }

 private:
  struct KeyReadings {
    int found = 0;
    int gone = 0;
  };

  void Set(Mark mark) { marks_.set(static_cast<size_t>(mark)); }
  // Marks a refusal (`fail`) or an unknown outcome (`info`).
  void SetByOutcome(EventType type, Mark refused, Mark unanswered) {
    if (type == EventType::kFail) Set(refused);
    if (type == EventType::kInfo) Set(unanswered);
  }

  void Note(const Event& event) {
    if (event.op == Op::kExpiry && event.type == EventType::kOk) return NoteReading(event);
    if (event.client <= kReferee) return;
    switch (event.op) {
      case Op::kAcquire:
        return SetByOutcome(event.type, Mark::kRefused, Mark::kGrantUnanswered);
      case Op::kExtend:
        if (event.type == EventType::kOk) Set(Mark::kExtended);
        return SetByOutcome(event.type, Mark::kExtensionRefused, Mark::kExtensionUnanswered);
      case Op::kRelease:
        return SetByOutcome(event.type, Mark::kReleaseRefused, Mark::kReleaseUnanswered);
      case Op::kWrite:
        return NoteWrite(event);
      case Op::kWait:
        if (event.type == EventType::kFail) Set(Mark::kGaveUp);
        return;
      default:
        return;
    }
  }

  void NoteReading(const Event& event) {
    KeyReadings& readings = readings_[event.key];
    ++(event.value[0] == kPttlNotThere ? readings.gone : readings.found);
    if (event.value[0] == kPttlNeverExpires) Set(Mark::kLeftForEver);
  }

  void NoteWrite(const Event& event) {
    SetByOutcome(event.type, Mark::kWriteRefused, Mark::kWriteUnanswered);
    const Hold* hold = evidence_.holds().Find(event.hold);
    if (event.type == EventType::kOk && hold != nullptr && !hold->LiveAt(event.at_ns))
      Set(Mark::kWrittenLate);
  }

  void Note(const Hold& hold) {
    const int64_t live_to_ns = hold.live.empty() ? hold.core.from_ns : hold.live.back().to_ns;
    if (live_to_ns < hold.core.to_ns) Set(Mark::kOverWhileHeld);
    if (live_to_ns < hold.core.to_ns && hold.released) Set(Mark::kReleasedLate);
    const auto own = std::pair(hold.owner(), hold.key);
    int64_t& until_ns = held_until_ns_.try_emplace(own, -1).first->second;
    if (hold.core.from_ns < until_ns) Set(Mark::kEnteredAgain);
    until_ns = std::max(until_ns, hold.core.to_ns);
    for (const FaultEpisode& episode : evidence_.disturbances().episodes) {
      const FaultFact& fault = evidence_.facts().faults[static_cast<size_t>(episode.fault)];
      if (IsCrash(fault) && episode.client == hold.client && !hold.released &&
          hold.core.from_ns <= episode.from_ns)
        Set(Mark::kKilledHolding);
    }
  }

  const Evidence& evidence_;
  std::map<uint16_t, KeyReadings> readings_;
  std::map<std::pair<SessionId, uint16_t>, int64_t> held_until_ns_;
  MarkSet marks_;
};

}  // namespace

std::span<const MarkEntry> AllMarks() {
  static constexpr std::array<MarkEntry, kMarks> kEntries{{
      {Mark::kRefused, "refused", "an acquire was refused"},
      {Mark::kGaveUp, "gave-up", "a client gave up its wait for a lock"},
      {Mark::kGrantUnanswered, "grant-unanswered", "an acquire was not answered"},
      {Mark::kEnteredAgain, "entered-again", "a session was granted a key that it held"},
      {Mark::kExtended, "extended", "a lease was extended"},
      {Mark::kExtensionRefused, "extension-refused", "an extension was refused: the lock was lost"},
      {Mark::kExtensionUnanswered, "extension-unanswered", "an extension was not answered"},
      {Mark::kOverWhileHeld, "over-while-held", "a lease ended before its hold did"},
      {Mark::kWrittenLate, "written-late",
       "a write was answered after the lease of its hold had ended"},
      {Mark::kWriteRefused, "write-refused", "the store refused a write"},
      {Mark::kWriteUnanswered, "write-unanswered", "a write was not answered"},
      {Mark::kReleasedLate, "released-late", "a release was invoked after the lease had ended"},
      {Mark::kReleaseRefused, "release-refused",
       "a release reported that the lock was not its own"},
      {Mark::kReleaseUnanswered, "release-unanswered", "a release was not answered"},
      {Mark::kHeldTwice, "held-twice", "two sessions held a key at once"},
      {Mark::kGrantedTwice, "granted-twice",
       "the leases of two sessions on a key were valid at once"},
      {Mark::kKilledHolding, "killed-holding", "a client was killed while it held a lock"},
      {Mark::kLeftBehind, "left-behind", "a key remained after the clients had ended"},
      {Mark::kLeftOnSome, "left-on-some", "a key remained on some servers but not on all"},
      {Mark::kLeftForEver, "left-for-ever", "a key without expiry remained"},
  }};
  return kEntries;
}

MarkSet MarksOf(const Evidence& evidence) { return MarkFinder(evidence).Find(); }

}  // namespace doublehold
