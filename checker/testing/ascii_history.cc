#include "checker/testing/ascii_history.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <utility>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr int64_t kColumnNs = 1'000'000;

struct PictureLane {
  std::vector<std::string> label;  // split into words
  std::string content;
  std::deque<std::string> values;
};

std::vector<std::string> SplitWords(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

[[noreturn]] void AbortOnLane(std::string_view why, std::string_view line) {
  std::fprintf(stderr, "a lane %.*s: %.*s\n", static_cast<int>(why.size()), why.data(),
               static_cast<int>(line.size()), line.data());
  std::abort();
}

// Column 0 is the column of the leftmost mark of all lanes.
std::vector<PictureLane> ParseLanes(std::string_view picture) {
  std::istringstream in{std::string(picture)};
  std::vector<std::string> lines;
  size_t origin = std::string::npos;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(' ') == std::string::npos) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) AbortOnLane("has no label", line);
    origin = std::min(origin, line.find_first_not_of(' ', colon + 1));
    lines.push_back(line);
  }
  std::vector<PictureLane> lanes;
  for (const std::string& line : lines) {
    const size_t colon = line.find(':');
    const size_t bar = std::min(line.find('|'), line.size());
    if (colon >= origin) AbortOnLane("has a label that reaches into column 0", line);
    PictureLane lane{.label = SplitWords(line.substr(0, colon)),
                     .content = bar > origin ? line.substr(origin, bar - origin) : "",
                     .values = {}};
    if (bar < line.size()) {
      for (std::string& word : SplitWords(line.substr(bar + 1)))
        lane.values.push_back(std::move(word));
    }
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

int64_t TakeNumber(PictureLane& lane, int64_t otherwise) {
  if (lane.values.empty()) return otherwise;
  const int64_t value = std::stoll(lane.values.front());
  lane.values.pop_front();
  return value;
}

// Returns the token of the next value: the number after its #, or 0 without #.
int64_t NextToken(const PictureLane& lane) {
  if (lane.values.empty()) return 0;
  const size_t sign = lane.values.front().find('#');
  return sign == std::string::npos ? 0 : std::stoll(lane.values.front().substr(sign + 1));
}

// Takes the token of a grant, such as `#3`. Returns 0 if the next value is not a token.
int64_t TakeGrantToken(PictureLane& lane) {
  if (lane.values.empty() || !lane.values.front().starts_with('#')) return 0;
  const int64_t token = NextToken(lane);
  lane.values.pop_front();
  return token;
}

std::pair<int64_t, int64_t> TakePair(PictureLane& lane) {
  if (lane.values.empty()) AbortOnLane("has too few values", lane.content);
  const std::string text = lane.values.front();
  lane.values.pop_front();
  const size_t between = text.find_first_of(">/");
  CHECK(between != std::string::npos);
  return {std::stoll(text.substr(0, between)), std::stoll(text.substr(between + 1))};
}

// Adds the events of one client's lane to the history. Keeps the pending operations of the lane.
class ClientLane {
 public:
  ClientLane(std::vector<Event>& events, PictureLane& lane, SessionId session, uint16_t key,
             Duration asked_lease)
      : events_(events),
        lane_(lane),
        session_(session),
        key_(key),
        asked_lease_ns_(ToNs(asked_lease)) {}

  void Draw(uint64_t& grants) {
    for (size_t column = 0; column < lane_.content.size(); ++column) {
      at_ns_ = static_cast<int64_t>(column) * kColumnNs;
      DrawMark(lane_.content[column], grants);
    }
  }

 private:
  void DrawMark(char mark, uint64_t& grants) {
    if (open_.empty() && std::string_view("qreabtfklx?").find(mark) != std::string_view::npos) {
      AbortOnLane("answers an operation that was not invoked", lane_.content);
    }
    switch (mark) {
      case 'Q':
        return Invoke(Op::kWait, {});
      case 'A':
        return Invoke(Op::kAcquire, {asked_lease_ns_});
      case 'E':
        return Invoke(Op::kExtend, {asked_lease_ns_});
      case 'R':
        return Invoke(Op::kRelease, {});
      case 'W':
        return InvokeWrite();
      case 'S':
        return Invoke(Op::kSave, {TakeNumber(lane_, 0)});
      case 'L':
        return Invoke(Op::kLook, {});
      case 'l': {
        const auto [first, second] = TakePair(lane_);
        return Answer(EventType::kOk, {first, second});
      }
      case 'I':
        return Invoke(Op::kIdle, {});
      case 'q':
      case 'r':
      case 'i':
        return Answer(EventType::kOk, {});
      case 'f':
        return Answer(EventType::kOk, {1});
      case 'a':
      case 'b':
        PushHold(grants);
        leased_ = events_.size();
        return Answer(EventType::kOk, {open_.back().at_ns + asked_lease_ns_, TakeGrantToken(lane_),
                                       mark == 'b' ? 1 : 0});
      case 'e':
        leased_ = events_.size();
        return Answer(EventType::kOk, {open_.back().at_ns + asked_lease_ns_});
      case 's':
        return DrawLateReply(EventType::kOk, grants);
      case 'z':
        return DrawLateReply(EventType::kFail, grants);
      case 'o':
        lost_ns_[holds_.back()] = at_ns_;
        return;
      case 'k':
        return Answer(EventType::kOk, open_.back().value);
      case 't':
        return Answer(EventType::kFail, {asked_lease_ns_});
      case 'x':
        return Answer(EventType::kFail, RepeatedValues());
      case '?':
        if (open_.back().op == Op::kAcquire) PushHold(grants);
        return Answer(EventType::kInfo, RepeatedValues());
      case 'g': {
        Invoke(Op::kRead, {});
        const int64_t token = NextToken(lane_);
        return Answer(EventType::kOk, {TakeNumber(lane_, 0), 0, 0, token});
      }
      case 'w':
      case 'u':
        return DrawWritten(mark == 'w');
      case '!':
        CHECK(leased_ < events_.size());
        events_[leased_].value[0] = at_ns_;
        return;
      default:
        if (std::string_view("-=. ").find(mark) == std::string_view::npos) {
          AbortOnLane("has an unknown mark", lane_.content);
        }
    }
  }

  using Values = std::array<int64_t, 4>;

  // Returns the values of the invocation. A failed or unknown write or save repeats them in its
  // answer.
  [[nodiscard]] Values RepeatedValues() const {
    const Event& asked = open_.back();
    return asked.op == Op::kWrite || asked.op == Op::kSave ? asked.value : Values{};
  }

  void PushHold(uint64_t& grants) {
    if (open_.back().hold == 0) open_.back().hold = NextHold(grants);
    holds_.push_back(open_.back().hold);
    asked_.hold = holds_.back();
  }

  [[nodiscard]] uint64_t NextHold(uint64_t& grants) const {
    return static_cast<uint64_t>(session_.client) * 100 + ++grants;
  }

  // The late reply to an unanswered acquire carries the hold that the acquire will have.
  void DrawLateReply(EventType type, uint64_t& grants) {
    if (asked_.hold == 0) asked_.hold = open_.back().hold = NextHold(grants);
    Event event = EventNow(Op::kLateReply, type, {});
    event.hold = asked_.hold;
    event.value = {TakeNumber(lane_, 1) * kColumnNs, at_ns_ - asked_.at_ns,
                   asked_.op == Op::kAcquire ? 0 : 1};
    events_.push_back(event);
  }

  void DrawWritten(bool ordered) {
    if (open_.empty() || open_.back().op != Op::kWrite) InvokeWrite();
    const Values values = open_.back().value;
    Answer(EventType::kOk, values);
    if (!ordered) return;
    const Values order{values[0], values[1]};
    Invoke(Op::kOrder, order);
    Answer(EventType::kOk, order);
  }

  void InvokeWrite() {
    const int64_t token = NextToken(lane_);
    const auto [read, written] = TakePair(lane_);
    Invoke(Op::kWrite, {read, written, 0, token});
  }

  Event EventNow(Op op, EventType type, const Values& values) const {
    const bool before_grant = op == Op::kWait || op == Op::kIdle ||
                              (op == Op::kAcquire && type == EventType::kInvoke) ||
                              (op == Op::kAcquire && type == EventType::kFail);
    return {.at_ns = at_ns_,
            .hold = before_grant || holds_.empty() ? 0 : holds_.back(),
            .client = session_.client,
            .key = key_,
            .op = op,
            .type = type,
            .task = op == Op::kExtend ? TaskKind::kWatchdog : TaskKind::kSession,
            .thread = session_.thread,
            .value = values};
  }

  void Invoke(Op op, const Values& values) {
    open_.push_back(EventNow(op, EventType::kInvoke, values));
    events_.push_back(open_.back());
    if (op == Op::kAcquire || op == Op::kRelease) {
      before_ = asked_;
      asked_ = open_.back();
    }
    const auto lost = lost_ns_.find(open_.back().hold);
    if (op == Op::kRelease && lost != lost_ns_.end())
      events_.push_back(EventNow(Op::kLostNotification, EventType::kInfo, {lost->second}));
  }

  void Answer(EventType type, const Values& values) {
    const Op op = open_.back().op;
    events_.push_back(EventNow(op, type, values));
    open_.pop_back();
    if (op == Op::kAcquire && type == EventType::kFail) asked_ = before_;
    if (op == Op::kRelease && !holds_.empty()) holds_.pop_back();
  }

  std::vector<Event>& events_;
  PictureLane& lane_;
  SessionId session_;
  uint16_t key_;
  int64_t asked_lease_ns_;
  int64_t at_ns_ = 0;
  std::vector<uint64_t> holds_;  // not yet released; nested if the client re-enters
  size_t leased_ = SIZE_MAX;     // index into events_ of the last grant or extension
  std::vector<Event> open_;
  Event asked_{};                        // the last acquire or release that was not refused
  Event before_{};                       // the acquire or release before asked_
  std::map<uint64_t, int64_t> lost_ns_;  // when the loss of each hold was notified
};

class LanesDrawing {
 public:
  explicit LanesDrawing(const LaneOptions& options)
      : history_{.facts = {.experiment = "lanes",
                           .lock = options.lock,
                           .workload = "inventory",
                           .write = options.write,
                           .seed = 1,
                           .lease = options.lease,
                           .grace = options.grace,
                           .nodes = options.nodes,
                           .initial_stock = options.stock,
                           .keys = {"item-0"},
                           .claims = options.claims,
                           .expect = options.expect,
                           .expect_cause = options.expect_cause,
                           .library = options.library,
                           .limits = options.limits},
                 .events = {}},
        asked_lease_(options.asked_lease) {}

  void Draw(PictureLane& lane) {
    const std::string& what = lane.label.at(0);
    if (lane.label.size() > 1) target_ = lane.label[1];
    if (lane.label.size() == 1) target_.clear();
    if (what[0] == 'c' && what.size() > 1 &&
        std::isdigit(static_cast<unsigned char>(what[1])) != 0) {
      const size_t dot = what.find('.');
      const int thread = dot == std::string::npos ? 1 : std::stoi(what.substr(dot + 1));
      return DrawClient(
          lane, {.client = std::stoi(what.substr(1)), .thread = static_cast<uint8_t>(thread - 1)});
    }
    for (size_t column = 0; column < lane.content.size(); ++column) {
      const char mark = lane.content[column];
      if (mark == '-' || mark == ' ') continue;
      DrawMark(lane, what, mark, static_cast<int64_t>(column) * kColumnNs);
    }
  }

  History Finish() && {
    SortByTime(history_.events);
    return std::move(history_);
  }

 private:
  void DrawClient(PictureLane& lane, SessionId session) {
    history_.facts.clients = std::max(history_.facts.clients, session.client);
    ClientLane(history_.events, lane, session, Key(), asked_lease_).Draw(grants_[session.client]);
  }

  // Returns the index of the key in the label, or 0 without a key.
  uint16_t Key() {
    if (target_.empty()) return 0;
    auto& keys = history_.facts.keys;
    const auto found = std::ranges::find(keys, target_);
    const auto key = static_cast<uint16_t>(found - keys.begin());
    if (found == keys.end()) keys.push_back(target_);
    return key;
  }

  // Returns the process in the label: c1, n1, referee or supervisor.
  int32_t Process() {
    if (target_ == "supervisor") return kSupervisor;
    if (target_ == "referee") return kReferee;
    if (target_.starts_with('n')) return OfServer(std::stoi(target_.substr(1)));
    CHECK(target_.size() > 1 && target_[0] == 'c');
    history_.facts.clients = std::max(history_.facts.clients, std::stoi(target_.substr(1)));
    return std::stoi(target_.substr(1));
  }

  void DrawMark(PictureLane& lane, const std::string& what, char mark, int64_t at_ns) {
    Event event{.at_ns = at_ns, .client = kReferee, .type = EventType::kOk};
    if (what == "final") {
      const auto [stock, orders] = TakePair(lane);
      event.op = Op::kFinal;
      event.key = Key();
      event.value = {stock, orders};
    } else if (what == "expiry") {
      event.op = Op::kExpiry;
      event.key = Key();
      event.value = {TakeNumber(lane, 0)};
    } else if (what == "probe") {
      event.op = Op::kProbe;
      event.key = Key();
      event.type = mark == 'P'   ? EventType::kInvoke
                   : mark == 'p' ? EventType::kOk
                                 : EventType::kFail;
      if (mark == 'P') since_ns_ = at_ns;
      event.value = {mark == 'P' ? ToNs(history_.facts.lease + history_.facts.grace)
                                 : at_ns - since_ns_};
    } else if (what == "machine") {
      if (mark == '(') since_ns_ = at_ns;
      if (mark == '(') return;
      event = {.at_ns = at_ns, .client = Process(), .op = Op::kStall, .type = EventType::kInfo};
      event.task = TaskKind::kMeter;
      event.value = {at_ns - since_ns_};
    } else if (what == "lost" || what == "died") {
      event = {.at_ns = at_ns, .client = Process(), .type = EventType::kInfo};
      event.op = what == "lost" ? Op::kLost : Op::kDied;
      event.value = {TakeNumber(lane, 9)};
    } else if (what == "sent") {
      event = {.at_ns = at_ns,
               .client = kSupervisor,
               .op = Op::kTraffic,
               .type = mark == '#' ? EventType::kFail : EventType::kInfo,
               .value = {Process(), mark == '#' ? 0 : TakeNumber(lane, 1)}};
    } else {
      return DrawFault(lane, what, mark, at_ns);
    }
    history_.events.push_back(event);
  }

  void DrawFault(PictureLane& lane, const std::string& kind, char mark, int64_t at_ns) {
    CHECK(mark == '[' || mark == ']');
    auto& faults = history_.facts.faults;
    auto fault = std::ranges::find(faults, kind, &FaultFact::kind);
    if (fault == faults.end()) {
      faults.push_back({.name = kind, .kind = kind, .what = kind + " as drawn", .planned = 0});
      fault = faults.end() - 1;
    }
    if (mark == '[') ++fault->planned;
    if (mark == '[') since_ns_ = at_ns;
    const int64_t node = target_.starts_with('n') ? std::stoll(target_.substr(1)) : -1;
    const int64_t client = target_.starts_with('c') ? Process() : -1;
    if (mark == '[') asked_ns_ = TakeNumber(lane, 0) * kColumnNs;
    const int64_t measured_ns = asked_ns_ != 0 ? asked_ns_ : at_ns - since_ns_;
    history_.events.push_back(
        {.at_ns = at_ns,
         .client = kSupervisor,
         .op = Op::kFault,
         .type = mark == '[' ? EventType::kInvoke : EventType::kOk,
         .value = {fault - faults.begin(), mark == '[' ? asked_ns_ : measured_ns, client, node}});
  }

  History history_;
  Duration asked_lease_;
  std::string target_;    // the key or process in the label of the current lane
  int64_t since_ns_ = 0;  // time of the last mark `[`, `(` or `P`
  int64_t asked_ns_ = 0;  // planned length of the last fault, or 0 if not drawn
  std::map<int32_t, uint64_t> grants_;
};

}  // namespace

History FromLanes(std::string_view picture, const LaneOptions& options) {
  LanesDrawing drawing(options);
  for (PictureLane& lane : ParseLanes(picture)) drawing.Draw(lane);
  return std::move(drawing).Finish();
}

}  // namespace doublehold
