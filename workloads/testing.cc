#include "workloads/testing.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace doublehold::testing {
namespace {

Reply StatusReply(const char* text) { return {.kind = Reply::Kind::kStatus, .text = text}; }

}  // namespace

Reply IntegerReply(int64_t value) { return {.kind = Reply::Kind::kInteger, .integer = value}; }
Reply TextReply(std::string text) {
  return {.kind = Reply::Kind::kString, .text = std::move(text)};
}

CallResult FakeStore::Answer(NodeId node, const Lines& words) {
  EXPECT_EQ(node, kStoreId) << "the workload does not talk to lock nodes";
  commands.push_back(words[0] + (words.size() > 1 && words[0] != "EVAL" ? " " + words[1] : ""));
  if (const auto failure = failures.find(words[0]); failure != failures.end()) {
    return tl::unexpected(failure->second);
  }
  CallResult result = Perform(words);
  if (const auto lost = lost_replies.find(words[0]);
      lost != lost_replies.end() && lost->second-- > 0) {
    return tl::unexpected(CallFailure{.definite = false, .message = "no reply"});
  }
  return result;
}

CallResult FakeStore::Perform(const Lines& words) {
  const std::string& command = words[0];
  if (command == "EVAL") {
    const auto keys_end = words.begin() + 3 + std::stoi(words[2]);
    return script(Lines(words.begin() + 3, keys_end), Lines(keys_end, words.end()));
  }
  if (command == "WATCH") return watched_[words[1]] = numbers[words[1]], StatusReply("OK");
  if (command == "UNWATCH") return watched_.clear(), StatusReply("OK");
  if (command == "MULTI") return queueing_ = true, StatusReply("OK");
  if (command == "EXEC") return Exec();
  if (queueing_) return queued_.push_back(words), StatusReply("QUEUED");
  if (command == "SET" || command == "MSET") {
    for (size_t i = 1; i < words.size(); i += 2) numbers[words[i]] = std::stoll(words[i + 1]);
    return StatusReply("OK");
  }
  if (command == "DECR") return IntegerReply(--numbers[words[1]]);
  if (command == "INCR") return IntegerReply(++numbers[words[1]]);
  if (command == "GET" || command == "MGET") {
    Reply all{.kind = Reply::Kind::kArray};
    for (size_t i = 1; i < words.size(); ++i) {
      const auto found = numbers.find(words[i]);
      all.items.push_back(found == numbers.end() ? Reply{}
                                                 : TextReply(std::to_string(found->second)));
    }
    return command == "GET" ? all.items[0] : all;
  }
  return PerformList(words);
}

CallResult FakeStore::PerformList(const Lines& words) {
  const std::string& command = words[0];
  if (command == "DEL") return IntegerReply(static_cast<int64_t>(lists.erase(words[1])));
  Lines& list = lists[words[1]];
  if (command == "RPUSH") list.push_back(words[2]);
  if (command == "LPOS") {
    const auto found = std::ranges::find(list, words[2]);
    return found == list.end() ? Reply{} : IntegerReply(found - list.begin());
  }
  if (command == "LRANGE") {
    Reply all{.kind = Reply::Kind::kArray};
    for (const std::string& entry : list) all.items.push_back(TextReply(entry));
    return all;
  }
  EXPECT_TRUE(command == "RPUSH" || command == "LLEN") << command;
  return IntegerReply(static_cast<int64_t>(list.size()));
}

CallResult FakeStore::Exec() {
  const bool touched = std::ranges::any_of(
      watched_, [this](const auto& watch) { return numbers[watch.first] != watch.second; });
  watched_.clear();
  queueing_ = false;
  const std::vector<Lines> queued = std::exchange(queued_, {});
  if (touched) return Reply{};
  Reply all{.kind = Reply::Kind::kArray};
  for (const Lines& words : queued) all.items.push_back(*Perform(words));
  return all;
}

WorkloadScene::WorkloadScene(const std::string& name, const Values& given, Attempt::Outcome outcome)
    : lock(world, {{.outcome = outcome}}),
      options(*CompleteOptions(name, FindWorkload(name)->options, given, 500ms)),
      workload(FindWorkload(name)->make(Options(options))),
      session{.env = env, .lock = lock, .client = 1, .lease = 500ms, .policy = {}} {}

Lines WorkloadScene::Step() {
  const size_t before = world.events.size();
  workload->Step(session);
  std::vector<Event> step;
  for (size_t i = before; i < world.events.size(); ++i) {
    if (world.events[i].op != Op::kWait) step.push_back(world.events[i]);
  }
  return FormatEvents(step);
}

std::string WorkloadScene::TypesOf(Op op) const {
  std::string types;
  for (const Event& event : world.events) {
    if (event.op == op) types += (types.empty() ? "" : " ") + std::string(Name(event.type));
  }
  return types;
}

const Event* WorkloadScene::Find(Op op, EventType type) const {
  for (const Event& event : world.events) {
    if (event.op == op && event.type == type) return &event;
  }
  return nullptr;
}

}  // namespace doublehold::testing
