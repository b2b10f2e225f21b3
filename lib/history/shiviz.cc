#include "lib/history/shiviz.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/words.h"
#include "lib/history/event_line.h"

namespace doublehold {
namespace {

// First line of a log: the expression for an event. Second line: the separator of executions, which
// is empty.
constexpr std::string_view kForm = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n";

// Negative numbers are nodes: -1 is the store. Positive numbers are clients.
using Host = int;
constexpr Host HostOfNode(int node) { return -1 - node; }

std::string NameOfHost(Host host) {
  if (host > 0) return fmt::format("client-{}", host);
  return host == HostOfNode(0) ? "store" : fmt::format("node-{}", -1 - host);
}

// Returns the host at which an event happens, or nothing if it is left out.
std::optional<Host> HostOf(const Event& event) {
  if (event.op == Op::kFault) {
    if (event.value[2] > 0) return static_cast<Host>(event.value[2]);
    if (event.value[3] >= 0) return HostOfNode(static_cast<int>(event.value[3]));
    return std::nullopt;
  }
  if (IsServer(event.client)) return HostOfNode(ServerOf(event.client));
  return event.client > kReferee ? std::optional<Host>(event.client) : std::nullopt;
}

// One event of the log. At equal times a host receives before it acts, and acts before it sends. A
// message that arrives at the instant of its sending is received after all that.
struct Moment {
  enum class Kind : uint8_t { kReceive, kEvent, kSend, kReceiveAtOnce };
  int64_t at_ns;
  Kind kind;
  size_t index;  // of the event or frame
};

std::vector<Moment> ListMoments(const History& history, const std::vector<Frame>& frames) {
  using enum Moment::Kind;
  std::vector<Moment> moments;
  for (size_t i = 0; i < frames.size(); ++i) {
    const Frame& frame = frames[i];
    moments.push_back({frame.at_ns, kSend, i});
    if (!frame.arrived_ns) continue;
    const bool at_once = *frame.arrived_ns == frame.at_ns;
    moments.push_back({*frame.arrived_ns, at_once ? kReceiveAtOnce : kReceive, i});
  }
  for (size_t i = 0; i < history.events.size(); ++i) {
    if (HostOf(history.events[i])) moments.push_back({history.events[i].at_ns, kEvent, i});
  }
  std::ranges::stable_sort(moments, [](const Moment& a, const Moment& b) {
    return std::pair(a.at_ns, a.kind) < std::pair(b.at_ns, b.kind);
  });
  return moments;
}

class ShiVizLog {
 public:
  ShiVizLog(const History& history, const std::vector<Frame>& frames, std::ostream& out)
      : history_(history), frames_(frames), out_(out) {}

  void Write() && {
    lines_.append(kForm);
    for (const Moment& moment : ListMoments(history_, frames_)) {
      moment.kind == Moment::Kind::kEvent ? TakeEvent(history_.events[moment.index])
                                          : TakeFrame(moment);
      if (lines_.size() >= kFlushBytes) Flush(lines_, out_);
    }
    Flush(lines_, out_);
  }

 private:
  using Clock = std::map<Host, uint64_t>;

  void TakeEvent(const Event& event) {
    const Host host = *HostOf(event);
    ++clocks_[host][host];
    Add(host, event.op == Op::kFault ? DescribeFault(event) : Describe(event));
  }

  void TakeFrame(const Moment& moment) {
    const Frame& frame = frames_[moment.index];
    const Host client = frame.client, node = HostOfNode(frame.node);
    const auto [sender, receiver] =
        frame.is_reply ? std::pair(node, client) : std::pair(client, node);
    const bool is_send = moment.kind == Moment::Kind::kSend;
    const Host host = is_send ? sender : receiver;
    Clock& clock = clocks_[host];
    ++clock[host];
    if (is_send) {
      if (frame.arrived_ns) in_flight_[moment.index] = clock;
    } else {
      const auto sent = in_flight_.extract(moment.index);
      for (const auto& [other, count] : sent.mapped()) clock[other] = std::max(clock[other], count);
    }
    Add(host, fmt::format("{} {} {} {}{}", is_send ? "sends" : "receives", DescribeFrame(frame),
                          is_send ? "to" : "from", NameOfHost(is_send ? receiver : sender),
                          is_send && !frame.arrived_ns ? ", lost" : ""));
  }

  static std::string DescribeFrame(const Frame& frame) {
    if (frame.command.empty()) return frame.is_reply ? "a reply" : "a command";
    if (!frame.is_reply) return frame.command;
    return frame.command == "MESSAGE" ? "a published message" : "the reply to " + frame.command;
  }

  [[nodiscard]] std::string DescribeFault(const Event& event) const {
    const auto index = static_cast<size_t>(event.value[0]);
    const std::vector<FaultFact>& faults = history_.facts.faults;
    return fmt::format("fault {} {}", index < faults.size() ? faults[index].name : "",
                       event.type == EventType::kInvoke ? "begins" : "ends");
  }

  [[nodiscard]] std::string Describe(const Event& event) const {
    std::string text = fmt::format("{} {}", Name(event.op), Name(event.type));
    if (HasKey(event.op) && event.key < history_.facts.keys.size())
      text += " " + history_.facts.keys[event.key];
    if (event.hold != 0) text += fmt::format(" hold={}", event.hold);
    ForEachValue(event, [&](std::string_view name, int64_t value) {
      text += fmt::format(" {}={}", name, value);
    });
    return text;
  }

  void Add(Host host, const std::string& text) {
    const auto out = std::back_inserter(lines_);
    fmt::format_to(out, FMT_COMPILE("{} {{"), NameOfHost(host));
    std::string_view separator = "";
    for (const auto& [other, count] : clocks_[host]) {
      fmt::format_to(out, FMT_COMPILE("{}\"{}\":{}"), std::exchange(separator, ","),
                     NameOfHost(other), count);
    }
    fmt::format_to(out, FMT_COMPILE("}}\n{}\n"), OnOneLine(text));
  }

  const History& history_;
  const std::vector<Frame>& frames_;
  std::ostream& out_;
  fmt::memory_buffer lines_;
  std::map<Host, Clock> clocks_;
  std::map<size_t, Clock> in_flight_;  // the clocks of sends, by the index of their frame
};

}  // namespace

void WriteShiViz(const History& history, const std::vector<Frame>& frames, std::ostream& out) {
  ShiVizLog(history, frames, out).Write();
}

}  // namespace doublehold
