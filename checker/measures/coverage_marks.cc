#include "checker/measures/coverage_marks.h"

#include <array>
#include <map>

#include "checker/evidence/holds.h"
#include "checker/evidence/overlaps.h"

namespace doublehold {
namespace {

constexpr int64_t kPttlNotThere = -2;
constexpr int64_t kPttlNeverExpires = -1;

class Marking {
 public:
  explicit Marking(const Evidence& evidence) : evidence_(evidence) {}

  MarkSet Marks() && {
    for (const Event& event : evidence_.history().events) Take(event);
    for (const Hold& hold : evidence_.holds().all) Take(hold);
    for (const auto& [key, looks] : looks_) {
      if (looks.there > 0) Set(Mark::kLeftBehind);
      if (looks.there > 0 && looks.gone > 0) Set(Mark::kLeftOnSome);
    }
    if (!FindOverlaps(evidence_.holds(), Part::kCore).empty()) Set(Mark::kHeldTwice);
    if (!FindOverlaps(evidence_.holds(), Part::kPromised).empty()) Set(Mark::kGrantedTwice);
    return marks_;
  }

 private:
  struct Looks {
    int there = 0;
    int gone = 0;
  };

  void Set(Mark mark) { marks_.set(static_cast<size_t>(mark)); }
  // Marks a refusal (`fail`) or an unknown outcome (`info`).
  void SetBy(EventType type, Mark refused, Mark unanswered) {
    if (type == EventType::kFail) Set(refused);
    if (type == EventType::kInfo) Set(unanswered);
  }

  void Take(const Event& event) {
    if (event.op == Op::kExpiry && event.type == EventType::kOk) return Look(event);
    if (event.client <= kReferee) return;
    switch (event.op) {
      case Op::kAcquire:
        return SetBy(event.type, Mark::kRefused, Mark::kGrantUnanswered);
      case Op::kExtend:
        if (event.type == EventType::kOk) Set(Mark::kExtended);
        return SetBy(event.type, Mark::kExtensionRefused, Mark::kExtensionUnanswered);
      case Op::kRelease:
        return SetBy(event.type, Mark::kReleaseRefused, Mark::kReleaseUnanswered);
      case Op::kWrite:
        return TakeWrite(event);
      case Op::kWait:
        if (event.type == EventType::kFail) Set(Mark::kGaveUp);
        return;
      default:
        return;
    }
  }

  void Look(const Event& event) {
    Looks& looks = looks_[event.key];
    ++(event.value[0] == kPttlNotThere ? looks.gone : looks.there);
    if (event.value[0] == kPttlNeverExpires) Set(Mark::kLeftForEver);
  }

  void TakeWrite(const Event& event) {
    SetBy(event.type, Mark::kWriteRefused, Mark::kWriteUnanswered);
    const Hold* hold = evidence_.holds().Find(event.hold);
    if (event.type == EventType::kOk && hold != nullptr && !hold->LiveAt(event.at_ns))
      Set(Mark::kWrittenLate);
  }

  void Take(const Hold& hold) {
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
  std::map<uint16_t, Looks> looks_;
  std::map<std::pair<SessionId, uint16_t>, int64_t> held_until_ns_;
  MarkSet marks_;
};

}  // namespace

std::span<const MarkEntry> AllMarks() {
  static constexpr std::array<MarkEntry, kMarks> kEntries{{
      {Mark::kRefused, "refused", "an acquire was refused"},
      {Mark::kGaveUp, "gave-up", "a client that waited for a lock gave up"},
      {Mark::kGrantUnanswered, "grant-unanswered", "an acquire was not answered"},
      {Mark::kEnteredAgain, "entered-again", "a session was granted a key that it held"},
      {Mark::kExtended, "extended", "a lease was extended"},
      {Mark::kExtensionRefused, "extension-refused", "an extension was refused: the lock was lost"},
      {Mark::kExtensionUnanswered, "extension-unanswered", "an extension was not answered"},
      {Mark::kOverWhileHeld, "over-while-held", "a lease ended while its holder believed in it"},
      {Mark::kWrittenLate, "written-late",
       "a write was answered after the lease of its hold had ended"},
      {Mark::kWriteRefused, "write-refused", "the store refused a write"},
      {Mark::kWriteUnanswered, "write-unanswered", "a write was not answered"},
      {Mark::kReleasedLate, "released-late", "a release was called after the lease had ended"},
      {Mark::kReleaseRefused, "release-refused", "a release was refused: the lock was not its own"},
      {Mark::kReleaseUnanswered, "release-unanswered", "a release was not answered"},
      {Mark::kHeldTwice, "held-twice", "two clients held a key at once"},
      {Mark::kGrantedTwice, "granted-twice", "two clients held a key at once, with valid leases"},
      {Mark::kKilledHolding, "killed-holding", "a client was killed while it held a key"},
      {Mark::kLeftBehind, "left-behind", "a key was there after the run"},
      {Mark::kLeftOnSome, "left-on-some",
       "a key was there after the run, but only on some servers"},
      {Mark::kLeftForEver, "left-for-ever", "a key was there after the run, without expiry"},
  }};
  return kEntries;
}

MarkSet MarksOf(const Evidence& evidence) { return Marking(evidence).Marks(); }

}  // namespace doublehold
