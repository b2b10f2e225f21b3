#include "checker/explain/ascii_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "checker/evidence/names.h"

namespace doublehold {
namespace {

constexpr size_t kColumns = 76;

class AsciiTimeline {
 public:
  explicit AsciiTimeline(const ViolationDrawing& drawing) : drawing_(drawing) { PlaceColumns(); }

  std::string Render() const {
    size_t width = 0;
    for (const DrawnLane& lane : drawing_.lanes) width = std::max(width, lane.name.size());
    std::string text;
    for (const DrawnLane& lane : drawing_.lanes)
      text += fmt::format("  {:<{}}  {}\n", lane.name, width, RenderLane(lane));
    return text + fmt::format("  {:<{}}  {}\n", "", width, RenderTimes());
  }

 private:
  // Gives every instant its own column. Divides the rest of the width among the gaps between
  // instants, in proportion to the square roots of their durations.
  void PlaceColumns() {
    std::set<int64_t> times;
    for (DrawnLane& lane : drawing_.lanes) {
      for (DrawnMark& mark : lane.marks) {
        // Marks of one instant are drawn side by side: each later mark is moved by 1 ns.
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

  std::string RenderLane(const DrawnLane& lane) const {
    std::string line;
    char fill = ' ';
    for (const DrawnMark& mark : lane.marks) {
      line.resize(std::max(line.size(), columns_.at(mark.at_ns)), fill);
      line += mark.letter;
      if (mark.fill != kAsBefore) fill = mark.fill;
    }
    return line;
  }

  // Writes the times of grants, lease ends and hold ends. Omits a time for which there is no room.
  std::string RenderTimes() const {
    std::string line;
    for (const int64_t at_ns : drawing_.times_ns) {
      const auto found = columns_.lower_bound(at_ns);
      if (found == columns_.end()) continue;
      if (!line.empty() && found->second < line.size() + 1) continue;
      line.resize(found->second, ' ');
      line += fmt::format("{:.3f}", ToSeconds(Duration(at_ns)));
    }
    return line + " s";
  }

  ViolationDrawing drawing_;
  std::map<int64_t, size_t> columns_;
};

}  // namespace

std::string ToAscii(const ViolationDrawing& drawing) {
  return drawing.lanes.empty() ? "" : AsciiTimeline(drawing).Render();
}

}  // namespace doublehold
