#include "lib/history/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/history/event_line.h"
#include "lib/history/process_names.h"

namespace doublehold {
namespace {

constexpr int kFaultsPid = 1'000'000;  // pid of faults that act on no single process
constexpr int kServerPids = 100'000;   // pids of servers begin here

// Pids are not negative.
int PidOf(int32_t process) {
  if (IsServer(process)) return kServerPids + ServerOf(process);
  return process == kSupervisor ? kFaultsPid : process;
}

double Us(int64_t ns) { return static_cast<double>(ns) / 1e3; }

class TraceWriter {
 public:
  TraceWriter(const History& history, std::ostream& out) : history_(history), out_(out) {}

  void Write() && {
    lines_.append(std::string_view("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
    for (const Event& event : history_.events) Take(event);
    end_ns_ = history_.events.empty() ? 0 : history_.events.back().at_ns;
    for (auto& [track, calls] : open_) EndCalls(track, calls, 0, end_ns_);
    for (const auto& [hold, event] : holds_) AddAsync('e', event, "hold", hold, end_ns_);
    for (const auto& [key, begun] : faults_) {
      for (const auto& [number, event] : begun) AddFault('e', event, number, end_ns_);
    }
    lines_.append(std::string_view("\n]}\n"));
    Flush(lines_, out_);
  }

 private:
  using Track = std::tuple<int, int>;  // pid, tid
  using FaultKey = std::tuple<int64_t, int64_t, int64_t>;

  void Take(const Event& event) {
    if (event.op == Op::kFault) return TakeFault(event);
    const Track track = TrackOf(event);
    std::vector<Event>& calls = open_[track];
    const bool invoked = event.type == EventType::kInvoke;
    if (invoked) {
      drawn_.erase({track, event.op, event.key});
      // A track has one open call of an operation and key. An earlier one stays unanswered.
      const auto same =
          std::ranges::find_if(calls, [&](const Event& e) { return HasSameOpAndKey(e, event); });
      EndCalls(track, calls, static_cast<size_t>(same - calls.begin()), event.at_ns);
      calls.push_back(event);
    } else {
      TakeAnswer(track, calls, event);
    }
    const bool granted = event.op == Op::kAcquire && event.type == EventType::kOk;
    if (granted && event.hold != 0 && holds_.emplace(event.hold, event).second)
      AddAsync('b', event, "hold", event.hold, event.at_ns);
    const bool leaves = (event.op == Op::kRelease && invoked) || event.op == Op::kLeave;
    if (leaves && holds_.erase(event.hold) != 0)
      AddAsync('e', event, "hold", event.hold, event.at_ns);
  }

  void TakeAnswer(const Track& track, std::vector<Event>& calls, const Event& event) {
    size_t at = calls.size();
    while (at > 0 && !HasSameOpAndKey(calls[at - 1], event)) --at;
    if (at == 0) {
      if (drawn_.erase({track, event.op, event.key}) == 0) AddInstant(track, event);
      return;
    }
    // Ends the other keys' calls of the same attempt here too, because the calls of a track must
    // nest. Other calls within this call were not answered.
    size_t within = at;
    while (within < calls.size() && calls[within].op == event.op) ++within;
    EndCalls(track, calls, within, event.at_ns);
    for (; calls.size() > at; calls.pop_back()) {
      drawn_.insert({track, event.op, calls.back().key});
      AddCall(track, calls.back(), Name(event.type), event.at_ns, nullptr);
    }
    AddCall(track, calls.back(), Name(event.type), event.at_ns, &event);
    calls.pop_back();
  }

  static bool HasSameOpAndKey(const Event& call, const Event& event) {
    return call.op == event.op && call.key == event.key;
  }

  // Ends the calls from number `from` on, which have no answer.
  void EndCalls(const Track& track, std::vector<Event>& calls, size_t from, int64_t at_ns) {
    for (; calls.size() > from; calls.pop_back())
      AddCall(track, calls.back(), "no answer", at_ns, nullptr);
  }

  void TakeFault(const Event& event) {
    auto& begun = faults_[{event.value[0], event.value[2], event.value[3]}];
    if (event.type == EventType::kInvoke) {
      begun.emplace_back(++fault_number_, event);
      AddFault('b', event, fault_number_, event.at_ns);
    } else if (!begun.empty()) {
      AddFault('e', begun.front().second, begun.front().first, event.at_ns);
      begun.pop_front();
    }
  }

  void AddFault(char phase, const Event& event, uint64_t number, int64_t at_ns) {
    const auto index = static_cast<size_t>(event.value[0]);
    const std::string name =
        index < history_.facts.faults.size() ? history_.facts.faults[index].name : "fault";
    const int64_t client = event.value[2], node = event.value[3];
    const int pid = client > 0  ? static_cast<int>(client)
                    : node >= 0 ? kServerPids + static_cast<int>(node)
                                : kFaultsPid;
    NameProcess(pid);
    Add(R"({{"ph":"{}","cat":"fault","name":{},"id":{},"pid":{},"tid":0,"ts":{:.3f}}})", phase,
        Quoted(name), number, pid, Us(at_ns));
  }

  void AddAsync(char phase, const Event& event, std::string_view name, uint64_t id, int64_t at_ns) {
    const auto [pid, tid] = TrackOf(event);
    Add(R"({{"ph":"{}","cat":"hold","name":"{}","id":{},"pid":{},"tid":{},"ts":{:.3f},"args":{{"key":{}}}}})",
        phase, name, id, pid, tid, Us(at_ns), Key(event));
  }

  void AddCall(const Track& track, const Event& call, std::string_view outcome, int64_t at_ns,
               const Event* answer) {
    std::string args = fmt::format(R"("outcome":"{}","key":{})", outcome, Key(call));
    AddValues(args, call);
    if (answer != nullptr) AddValues(args, *answer);
    const auto [pid, tid] = track;
    Add(R"({{"ph":"X","cat":"call","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        Name(call.op), pid, tid, Us(call.at_ns), Us(at_ns - call.at_ns), args);
  }

  void AddInstant(const Track& track, const Event& event) {
    std::string args = fmt::format(R"("type":"{}","key":{})", Name(event.type), Key(event));
    AddValues(args, event);
    const auto [pid, tid] = track;
    Add(R"({{"ph":"i","s":"t","cat":"event","name":"{}","pid":{},"tid":{},"ts":{:.3f},"args":{{{}}}}})",
        Name(event.op), pid, tid, Us(event.at_ns), args);
  }

  static void AddValues(std::string& args, const Event& event) {
    ForEachValue(event, [&](std::string_view name, int64_t value) {
      args += fmt::format(R"(,"{}":{})", name, value);
    });
  }

  // Returns the event's track. Names the track and its process when they are seen first.
  Track TrackOf(const Event& event) {
    constexpr int kTasks = 3;
    const int pid = PidOf(event.client);
    const int tid = event.thread * kTasks + static_cast<int>(event.task);
    if (tracks_.insert({pid, tid}).second) {
      NameProcess(pid);
      const std::string_view task = event.task == TaskKind::kSession    ? "session"
                                    : event.task == TaskKind::kWatchdog ? "watchdog"
                                                                        : "meter";
      Add(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{} {}"}}}})", pid,
          tid, task, event.thread);
    }
    return {pid, tid};
  }

  void NameProcess(int pid) {
    if (!processes_.insert(pid).second) return;
    const std::string name = pid == kFaultsPid    ? "faults and supervisor"
                             : pid >= kServerPids ? NameOfProcess(OfServer(pid - kServerPids))
                             : pid == kReferee    ? NameOfProcess(pid)
                                                  : fmt::format("client {}", pid);
    Add(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"{}"}}}})", pid, name);
  }

  [[nodiscard]] std::string Key(const Event& event) const {
    return event.key < history_.facts.keys.size() ? Quoted(history_.facts.keys[event.key]) : "null";
  }
  static std::string Quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  template <typename... Args>
  void Add(fmt::format_string<Args...> form, Args&&... args) {
    if (lines_.size() >= kFlushBytes) Flush(lines_, out_);
    lines_.append(std::exchange(separator_, ",\n"));
    fmt::format_to(std::back_inserter(lines_), form, std::forward<Args>(args)...);
  }

  const History& history_;
  std::ostream& out_;
  fmt::memory_buffer lines_;
  std::string_view separator_ = "\n";  // before the next event
  std::set<Track> tracks_;
  std::set<int> processes_;
  std::map<Track, std::vector<Event>> open_;         // calls without an answer so far
  std::set<std::tuple<Track, Op, uint16_t>> drawn_;  // calls drawn before their own answer
  std::map<uint64_t, Event> holds_;                  // grants that are held, by hold
  std::map<FaultKey, std::deque<std::pair<uint64_t, Event>>> faults_;  // active, by their numbers
  uint64_t fault_number_ = 0;
  int64_t end_ns_ = 0;
};

}  // namespace

void WriteChromeTrace(const History& history, std::ostream& out) {
  TraceWriter(history, out).Write();
}

}  // namespace doublehold
