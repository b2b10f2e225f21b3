#include "checker/explain/ascii_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "checker/evidence/names.h"

namespace doublehold {
namespace {

constexpr size_t kColumns = 76;
constexpr size_t kMostMarks = 40;  // in a lane; the latest marks are dropped

constexpr char kAsBefore = '\0';

struct Mark {
  int64_t at_ns = 0;
  char sign = ' ';
  char after = ' ';  // fills the lane from here on; kAsBefore: the same character as before
};

struct TimelineLane {
  std::string label;
  std::vector<Mark> marks;
};

class SpaceTimeDrawing {
 public:
  SpaceTimeDrawing(const ViolationContext& record, const Violation& violation) : record_(record) {
    for (const auto& ref : {violation.first, violation.second}) {
      const Hold* hold = ref ? record.holds.Find(ref->hold) : nullptr;
      if (hold != nullptr) Take(*hold);
    }
  }

  void Take(const Call& call) {
    TimelineLane& lane = LaneOf(OwnerName(record_.scene, call.session));
    const bool known = std::ranges::any_of(lane.marks, [&](const Mark& mark) {
      return mark.sign == 'R' && mark.at_ns == call.from_ns;
    });
    if (!known) Span2(lane, call, 'R', 'f', ' ');
  }

  void Take(const FaultEpisode& episode) {
    if (lanes_.empty()) return;  // a fault is drawn only beside holds
    const FaultFact& fault = record_.FaultOf(episode);
    const std::string target = episode.client > 0  ? fmt::format(" c{}", episode.client)
                               : episode.node >= 0 ? fmt::format(" n{}", episode.node)
                                                   : "";
    TimelineLane& lane = LaneOf(fault.kind + target);
    if (!faults_.insert(&episode).second || (lane.marks.size() >= 2)) return;
    lane.marks.push_back({std::clamp(episode.from_ns, from_ns_, to_ns_), '[', '-'});
    lane.marks.push_back({std::clamp(episode.to_ns, from_ns_, to_ns_), ']', ' '});
  }

  std::string Finish() && {
    if (lanes_.empty()) return "";
    PlaceColumns();
    size_t width = 0;
    for (const TimelineLane& lane : lanes_) width = std::max(width, lane.label.size());
    std::string text;
    for (const TimelineLane& lane : lanes_)
      text += fmt::format("  {:<{}}  {}\n", lane.label, width, LineOf(lane));
    return text + fmt::format("  {:<{}}  {}\n", "", width, Times());
  }

 private:
  TimelineLane& LaneOf(const std::string& label) {
    const auto found = std::ranges::find(lanes_, label, &TimelineLane::label);
    if (found != lanes_.end()) return *found;
    lanes_.push_back({.label = label, .marks = {}});
    return lanes_.back();
  }

  static char Sign(EventType outcome, char ok) {
    if (outcome == EventType::kOk) return ok;
    return outcome == EventType::kFail ? 'x' : '?';
  }

  // Adds the marks of a call: its invocation, and its outcome.
  void Span2(TimelineLane& lane, const Call& call, char invoked, char ok, char after) {
    lane.marks.push_back({call.from_ns, invoked, '-'});
    Widen(call.from_ns);
    if (call.to_ns >= kForeverNs) return;
    lane.marks.push_back({call.to_ns, Sign(call.outcome, ok), after});
    Widen(call.to_ns);
  }

  void Take(const Hold& hold) {
    if (!holds_.insert(hold.hold).second) return;
    TimelineLane& lane = LaneOf(OwnerName(record_.scene, hold.owner()));
    key_times_.insert({hold.core.from_ns, hold.core.to_ns});
    if (const Call* grant = record_.GrantOf(hold.hold)) {
      Span2(lane, *grant, 'A', hold.shared ? 'b' : 'a', '=');
    } else {
      lane.marks.push_back({hold.core.from_ns, 'a', '='});
    }
    for (const Renewal& renewal : record_.RenewalsOf(hold.hold)) {
      lane.marks.push_back({renewal.from_ns, 'E', '-'});
      if (renewal.to_ns < kForeverNs)
        lane.marks.push_back({renewal.to_ns, Sign(renewal.outcome, 'e'), '='});
    }
    if (hold.valid_until_ns < hold.core.to_ns && hold.valid_until_ns > hold.core.from_ns) {
      lane.marks.push_back({hold.valid_until_ns, '!', kAsBefore});
      key_times_.insert(hold.valid_until_ns);
    }
    for (const Op op : {Op::kRead, Op::kWrite, Op::kSave, Op::kLook}) {
      for (const Call* call : record_.CallsOf(op, hold.key)) {
        if (call->hold != hold.hold || call->session != hold.owner()) continue;
        Use(lane, *call);
      }
    }
    const Call* release = ReleaseOf(hold);
    if (release != nullptr) {
      Span2(lane, *release, 'R', release->answer[0] == 1 ? 'f' : 'r', ' ');
    } else {
      lane.marks.push_back({hold.core.to_ns, '.', ' '});
    }
    Widen(hold.core.from_ns);
    Widen(hold.core.to_ns);
  }

  void Use(TimelineLane& lane, const Call& call) {
    if (call.op == Op::kRead) {
      if (call.Ok()) lane.marks.push_back({call.to_ns, 'g', '='});
      return;
    }
    const char invoked = call.op == Op::kWrite ? 'W' : call.op == Op::kSave ? 'S' : 'L';
    Span2(lane, call, invoked, static_cast<char>(std::tolower(invoked)), '=');
  }

  const Call* ReleaseOf(const Hold& hold) const {
    for (const Call* call : record_.CallsOf(Op::kRelease, hold.key)) {
      if (call->hold == hold.hold) return call;
    }
    return nullptr;
  }

  void Widen(int64_t at_ns) {
    from_ns_ = std::min(from_ns_, at_ns);
    to_ns_ = std::max(to_ns_, at_ns);
  }

  // Every instant has its own column. The rest of the width is divided by the lengths between them.
  void PlaceColumns() {
    std::set<int64_t> times;
    for (TimelineLane& lane : lanes_) {
      std::ranges::stable_sort(lane.marks, {}, &Mark::at_ns);
      if (lane.marks.size() > kMostMarks) lane.marks.resize(kMostMarks);
      for (Mark& mark : lane.marks) {
        // Two marks of one instant stand side by side.
        while (&mark != lane.marks.data() && mark.at_ns <= (&mark - 1)->at_ns) {
          mark.at_ns = (&mark - 1)->at_ns + 1;
        }
        times.insert(mark.at_ns);
      }
    }
    double total = 0;
    const auto weight = [](int64_t ns) { return std::sqrt(static_cast<double>(ns)); };
    for (auto it = std::next(times.begin()); it != times.end(); ++it)
      total += weight(*it - *std::prev(it));
    const size_t spare = kColumns - std::min(kColumns, times.size());
    size_t column = 0;
    const int64_t* before = nullptr;
    for (const int64_t& at_ns : times) {
      if (before != nullptr && total > 0) {
        column +=
            1 + static_cast<size_t>(weight(at_ns - *before) / total * static_cast<double>(spare));
      } else if (before != nullptr) {
        ++column;
      }
      columns_[at_ns] = column;
      before = &at_ns;
    }
  }

  std::string LineOf(const TimelineLane& lane) const {
    std::string line;
    char fill = ' ';
    for (const Mark& mark : lane.marks) {
      line.resize(std::max(line.size(), columns_.at(mark.at_ns)), fill);
      line += mark.sign;
      if (mark.after != kAsBefore) fill = mark.after;
    }
    return line;
  }

  // The times of grants, lease ends and hold ends, where there is room.
  std::string Times() const {
    std::string line;
    for (const int64_t at_ns : key_times_) {
      const auto found = columns_.lower_bound(at_ns);
      if (found == columns_.end()) continue;
      if (!line.empty() && found->second < line.size() + 1) continue;
      line.resize(found->second, ' ');
      line += fmt::format("{:.3f}", ToSeconds(Duration(at_ns)));
    }
    return line + " s";
  }

  const ViolationContext& record_;
  std::vector<TimelineLane> lanes_;
  std::set<uint64_t> holds_;
  std::set<const FaultEpisode*> faults_;
  std::set<int64_t> key_times_;
  std::map<int64_t, size_t> columns_;
  int64_t from_ns_ = std::numeric_limits<int64_t>::max();
  int64_t to_ns_ = std::numeric_limits<int64_t>::min();
};

}  // namespace

std::string DrawSpaceTime(const ViolationContext& record, const Violation& violation,
                          const Explanation& why) {
  SpaceTimeDrawing drawing(record, violation);
  for (const Call* call : why.calls) drawing.Take(*call);
  for (const FaultEpisode* episode : why.episodes) drawing.Take(*episode);
  return std::move(drawing).Finish();
}

}  // namespace doublehold
