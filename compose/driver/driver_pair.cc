#include "compose/driver/driver_pair.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lib/base/words.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using nlohmann::json;
using AnswerKind = DriverAnswer::Kind;

constexpr int kSessions = 2;
constexpr uint64_t kSeed = 1;
// The exit codes of /bin/sh.
constexpr int kNotRunnable = 126;
constexpr int kNotFound = 127;

std::string ShownAnswer(const DriverAnswer& answer) {
  if (answer.kind == AnswerKind::kNo) return "no";
  if (answer.kind == AnswerKind::kError)
    return fmt::format("an error ({})", Shortened(answer.text));
  return answer.grant.empty() ? "ok" : fmt::format("ok, grant '{}'", Shortened(answer.grant));
}

}  // namespace

bool DriverParties::Start(const std::string& command, const DriverOptions& options,
                          const NodeAddress& server) {
  const auto failed = [this](std::string asked, std::string wrong) {
    asked_ = std::move(asked);
    wrong_ = std::move(wrong);
    return false;
  };
  for (size_t client = 0; client < parties_.size(); ++client) {
    Party& party = parties_[client];
    const auto note = [&party](const std::string& grant) {
      const std::lock_guard lock(party.mutex);
      party.lost.insert(grant);
    };
    auto started =
        DriverChannel::Start({.command = command, .log = party.log.path(), .own_group = true},
                             {.over = {}, .lost = note});
    if (!started) return failed("the driver starts", started.error().message);
    party.channel = std::move(*started);
    const Result<DriverHello> hello = SayHello(*party.channel, options, party.log.path());
    if (!hello) return failed("hello", "the driver " + hello.error().message);
    hello_ = *hello;
    const Result<void> set_up = SetUp(*party.channel,
                                      {.client = static_cast<int>(client) + 1,
                                       .sessions = kSessions,
                                       .nodes = {&server, 1},
                                       .lease = kTrialLease,
                                       .seed = kSeed},
                                      party.log.path());
    if (!set_up) return failed("setup", "the driver " + set_up.error().message);
  }
  return true;
}

void DriverParties::NextStep() {
  wrong_.clear();
  ++step_;
}

void DriverParties::Note(std::string wrong) {
  if (wrong_.empty()) wrong_ = std::move(wrong);
}

std::string DriverParties::End() const {
  for (const Party& party : parties_) {
    if (const auto end = party.channel->end()) return Describe(*end, party.log.path());
  }
  return "";
}

bool DriverParties::NoneRan() const {
  if (parties_.front().channel == nullptr) return true;
  return std::ranges::any_of(parties_, [](const Party& party) {
    const auto end = party.channel == nullptr ? std::nullopt : party.channel->end();
    if (!end || !end->status || !WIFEXITED(*end->status)) return false;
    return WEXITSTATUS(*end->status) == kNotRunnable || WEXITSTATUS(*end->status) == kNotFound;
  });
}

bool DriverParties::Close() {
  for (Party& party : parties_) {
    if (!party.channel->Close(kDriverPatience)) return false;
  }
  return true;
}

bool DriverParties::IsLost(size_t party, const std::string& grant) {
  const std::lock_guard lock(parties_[party].mutex);
  return parties_[party].lost.contains(grant);
}

DriverAnswer DriverParties::Answered(Caller caller, uint64_t id, std::string_view asked) {
  auto answer = parties_[caller.party].channel->Await(id, RealMono() + kDriverPatience);
  if (answer) return *answer;
  Note(fmt::format("{}: not answered within {}", asked, FormatDuration(kDriverPatience)));
  return {.kind = AnswerKind::kError, .text = "no answer"};
}

uint64_t DriverParties::SendAcquire(Caller caller, const AcquireRequest& wanted) {
  const auto key = [&](int of) { return fmt::format("dh:trial:{}:{}", step_, of); };
  json members{{"session", caller.session},
               {"key", key(wanted.key_of)},
               {"lease_ms", ToMs(wanted.lease)},
               {"wait_ms", ToMs(wanted.wait)}};
  if (wanted.reads) members["mode"] = "read";
  for (const int of : wanted.also_of) members["also"].push_back(key(of));
  return parties_[caller.party].channel->Send(DriverOp::kAcquire, members);
}

DriverAnswer DriverParties::Acquire(Caller caller, const AcquireRequest& wanted) {
  return Answered(caller, SendAcquire(caller, wanted), "acquire");
}

DriverAnswer DriverParties::Release(Caller caller, const std::string& grant) {
  return Answered(caller,
                  parties_[caller.party].channel->Send(
                      DriverOp::kRelease, {{"session", caller.session}, {"grant", grant}}),
                  "release");
}

DriverAnswer DriverParties::Extend(Caller caller, const std::string& grant) {
  return Answered(
      caller,
      parties_[caller.party].channel->Send(
          DriverOp::kExtend,
          {{"session", caller.session}, {"grant", grant}, {"lease_ms", ToMs(kLongTrialLease)}}),
      "extend");
}

DriverAnswer DriverParties::Must(AnswerKind kind, const std::string& what, DriverAnswer answer) {
  if (answer.kind != kind) {
    Note(fmt::format("{}: the answer must be {}, but is {}", what,
                     kind == AnswerKind::kOk ? "ok" : "no", ShownAnswer(answer)));
  }
  return answer;
}

}  // namespace doublehold
