#include "compose/driver_trial.h"

#include <fmt/format.h>

#include <array>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "compose/driver.h"
#include "compose/memory_log.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using nlohmann::json;
using Kind = DriverAnswer::Kind;

constexpr Lease kLease = 1s;       // one that is to end
constexpr Lease kLongLease = 60s;  // one that is not, however slow the machine is
constexpr int kSessions = 2;
constexpr uint64_t kSeed = 1;
constexpr Duration kRunOut = kLease * 3;  // by then what a lease kept is free
constexpr Duration kTryInterval = 50ms;

std::string Shown(const DriverAnswer& answer) {
  if (answer.kind == Kind::kNo) return "no";
  if (answer.kind == Kind::kError) return fmt::format("an error ({})", Shortened(answer.text));
  return answer.grant.empty() ? "ok" : fmt::format("ok, grant '{}'", Shortened(answer.grant));
}

// One of the two processes.
struct Party {
  MemoryLog log;
  std::mutex mutex;
  std::set<std::string> lost;  // under it: the grants that it said are lost
  std::unique_ptr<DriverChannel> channel;
};

class Trial {
 public:
  Trial(const std::string& command, const DriverOptions& options, const NodeAddress& server,
        const std::function<void(const TrialStep&)>& told)
      : command_(command), options_(options), server_(server), told_(told) {}

  void Run() {
    if (!Begin()) return;
    const std::vector<std::pair<const char*, void (Trial::*)()>> steps{
        {"a second client is refused, and granted after the release", &Trial::Excludes},
        {"a second client is refused while it waits", &Trial::RefusesWhileItWaits},
        {"a waiting session holds up no other, and is granted in the end", &Trial::ServesAtOnce},
        {"other keys are other locks", &Trial::LocksByKey},
        {"a release of what is not held says no", &Trial::SaysWhatIsNotHeld},
        {"tokens rise from grant to grant", &Trial::GivesRisingTokens},
        {"a lease runs out", &Trial::LetsLeasesEnd},
        {"a watchdog keeps the lock", &Trial::Keeps},
        {"an extension lengthens the lease", &Trial::Extends},
        {"the loss of a lock is told", &Trial::TellsOfLosses}};
    for (const auto& [what, step] : steps) {
      wrong_.clear();
      skipped_ = false;
      ++key_;
      (this->*step)();
      for (const Party& party : parties_) {
        if (const auto end = party.channel->end()) {
          return Tell(what, "the driver " + Describe(*end, party.log.path()));
        }
      }
      if (!skipped_) Tell(what, wrong_);
    }
    Tell("an option that it does not know is refused", WhyNotRefused());
    for (Party& party : parties_) {
      if (!party.channel->Close(kDriverPatience))
        return Tell("it ends after bye",
                    "a driver still ran after " + FormatDuration(kDriverPatience));
    }
    Tell("it ends after bye", "");
  }

 private:
  void Tell(const std::string& what, const std::string& wrong) { told_({what, wrong}); }

  bool Begin() {
    for (int client = 0; client < 2; ++client) {
      Party& party = parties_[static_cast<size_t>(client)];
      const auto note = [&party](const std::string& grant) {
        const std::lock_guard lock(party.mutex);
        party.lost.insert(grant);
      };
      auto started =
          DriverChannel::Start({.command = command_, .log = party.log.path(), .own_group = true},
                               {.over = {}, .lost = note});
      if (!started) return Tell("it starts", started.error().message), false;
      party.channel = std::move(*started);
      const Result<DriverHello> hello = SayHello(*party.channel, options_, party.log.path());
      if (!hello) return Tell("hello", "the driver " + hello.error().message), false;
      hello_ = *hello;
      const Result<void> set_up = SetUp(*party.channel,
                                        {.client = client + 1,
                                         .sessions = kSessions,
                                         .nodes = {&server_, 1},
                                         .lease = kLease,
                                         .seed = kSeed},
                                        party.log.path());
      if (!set_up) return Tell("setup", "the driver " + set_up.error().message), false;
    }
    Tell(fmt::format(
             "hello: {} {}, can: {}", hello_.name, hello_.version,
             hello_.can.empty() ? "nothing more" : fmt::format("{}", fmt::join(hello_.can, ", "))),
         "");
    return true;
  }

  // Of another process: what is wrong with its answer to an option that no driver has.
  std::string WhyNotRefused() {
    const MemoryLog log;
    const auto driver =
        DriverChannel::Start({.command = command_, .log = log.path(), .own_group = true});
    if (!driver) return driver.error().message;
    DriverOptions options = options_;
    options["no-such-option"] = "1";
    const Result<DriverHello> hello = SayHello(**driver, options, log.path());
    if (hello) return "hello with 'no-such-option': the answer must be an error, and is ok";
    if (hello.error().code == ExitCode::kBadInput) return "";
    return "hello with 'no-such-option': the driver " + hello.error().message;
  }

  // ---- what is asked: the first answer that is not as it must be is told -----------------------------------------------

  struct Caller {
    size_t party = 0;
    int session = 0;
  };

  DriverAnswer Answered(Caller caller, uint64_t id, std::string_view asked) {
    auto answer = parties_[caller.party].channel->Await(id, RealMono() + kDriverPatience);
    if (answer) return *answer;
    if (wrong_.empty())
      wrong_ = fmt::format("{}: not answered within {}", asked, FormatDuration(kDriverPatience));
    return {.kind = Kind::kError, .text = "no answer"};
  }
  struct Wanted {
    Duration wait{};
    int key_of = 0;
    Lease lease = kLongLease;
  };
  uint64_t SendAcquire(Caller caller, Wanted wanted) {
    return parties_[caller.party].channel->Send(DriverOp::kAcquire,
                                                {{"session", caller.session},
                                                 {"key", Key(wanted.key_of)},
                                                 {"lease_ms", ToMs(wanted.lease)},
                                                 {"wait_ms", ToMs(wanted.wait)}});
  }
  DriverAnswer Acquire(Caller caller) { return Acquire(caller, Wanted{}); }
  DriverAnswer Acquire(Caller caller, Wanted wanted) {
    return Answered(caller, SendAcquire(caller, wanted), "acquire");
  }
  DriverAnswer Release(Caller caller, const std::string& grant) {
    return Answered(caller,
                    parties_[caller.party].channel->Send(
                        DriverOp::kRelease, {{"session", caller.session}, {"grant", grant}}),
                    "release");
  }
  DriverAnswer Extend(Caller caller, const std::string& grant) {
    return Answered(
        caller,
        parties_[caller.party].channel->Send(
            DriverOp::kExtend,
            {{"session", caller.session}, {"grant", grant}, {"lease_ms", ToMs(kLongLease)}}),
        "extend");
  }
  DriverAnswer Must(Kind kind, const std::string& what, DriverAnswer answer) {
    if (answer.kind != kind && wrong_.empty()) {
      wrong_ = fmt::format("{}: the answer must be {}, and is {}", what,
                           kind == Kind::kOk ? "ok" : "no", Shown(answer));
    }
    return answer;
  }
  [[nodiscard]] std::string Key(int key_of) const {
    return fmt::format("dh:trial:{}:{}", key_, key_of);
  }
  static void Sleep(Duration span) { std::this_thread::sleep_for(span); }

  // ---- the steps -------------------------------------------------------------------------------------------------------

  void Excludes() {
    const DriverAnswer first = Must(Kind::kOk, "acquire of a free key", Acquire(kA));
    Must(Kind::kNo, "acquire of a key that another holds", Acquire(kB));
    Must(Kind::kNo, "acquire of a key that another session of the same client holds",
         Acquire(kSecondOfA));
    Must(Kind::kOk, "release by the holder", Release(kA, first.grant));
    const DriverAnswer second = Must(Kind::kOk, "acquire of a key that was released", Acquire(kB));
    Must(Kind::kOk, "release by the second holder", Release(kB, second.grant));
  }

  void RefusesWhileItWaits() {
    const DriverAnswer first = Must(Kind::kOk, "acquire of a free key", Acquire(kA));
    Must(Kind::kNo, "acquire with wait_ms of a key that another holds",
         Acquire(kB, {.wait = kLease / 4}));
    Must(Kind::kOk, "release by the holder", Release(kA, first.grant));
  }

  void ServesAtOnce() {
    const DriverAnswer first = Must(Kind::kOk, "acquire of a free key", Acquire(kA));
    const uint64_t waits = SendAcquire(kSecondOfA, {.wait = kDriverPatience / 2});
    Must(Kind::kOk, "release while another session of this client waits", Release(kA, first.grant));
    const DriverAnswer second = Must(Kind::kOk, "acquire that waited for the release",
                                     Answered(kSecondOfA, waits, "acquire that waits"));
    Must(Kind::kOk, "its release", Release(kSecondOfA, second.grant));
  }

  void LocksByKey() {
    const DriverAnswer first = Must(Kind::kOk, "acquire of a free key", Acquire(kA));
    const DriverAnswer other =
        Must(Kind::kOk, "acquire of another free key", Acquire(kB, {.key_of = 1}));
    Must(Kind::kOk, "release", Release(kA, first.grant));
    Must(Kind::kOk, "release of the other key", Release(kB, other.grant));
  }

  void SaysWhatIsNotHeld() {
    if (hello_.Can("blind-release")) return Skip();
    const DriverAnswer first = Must(Kind::kOk, "acquire of a free key", Acquire(kA));
    Must(Kind::kOk, "release by the holder", Release(kA, first.grant));
    Must(Kind::kNo, "a second release of the same grant", Release(kA, first.grant));
    const DriverAnswer unknown = Release(kA, "no-such-grant");
    if (unknown.kind == Kind::kOk && wrong_.empty())
      wrong_ = "release of a grant that never was: the answer is ok";
  }

  void GivesRisingTokens() {
    if (!hello_.Can("token")) return Skip();
    int64_t last = 0;
    for (const Caller caller : {kA, kB, kSecondOfA, kA}) {
      const DriverAnswer granted = Must(Kind::kOk, "acquire of a free key", Acquire(caller));
      if (granted.token <= last && wrong_.empty())
        wrong_ = fmt::format("token {} comes after token {}", granted.token, last);
      last = granted.token;
      Must(Kind::kOk, "release by the holder", Release(caller, granted.grant));
    }
  }

  void LetsLeasesEnd() {
    if (!hello_.Can("lease") || hello_.Can("watchdog")) return Skip();
    const DriverAnswer first =
        Must(Kind::kOk, "acquire of a free key", Acquire(kA, {.lease = kLease}));
    DriverAnswer second = Acquire(kB);
    const MonoTime give_up = RealMono() + kRunOut;
    while (second.kind == Kind::kNo && RealMono() < give_up) {
      Sleep(kTryInterval);
      second = Acquire(kB);
    }
    Must(Kind::kOk,
         fmt::format("acquire of a key whose lease of {} is over", FormatDuration(kLease)), second);
    if (!hello_.Can("blind-release"))
      Must(Kind::kNo, "release of a lock whose lease was over, and which another has",
           Release(kA, first.grant));
    Must(Kind::kOk, "release by the second holder", Release(kB, second.grant));
  }

  void Keeps() {
    if (!hello_.Can("watchdog")) return Skip();
    const DriverAnswer first =
        Must(Kind::kOk, "acquire of a free key", Acquire(kA, {.lease = kLease}));
    Sleep(kLease * 2);
    Must(Kind::kNo, "acquire of a key that a watchdog has kept for two leases", Acquire(kB));
    Must(Kind::kOk, "release by the holder", Release(kA, first.grant));
  }

  void Extends() {
    if (!hello_.Can("extend")) return Skip();
    const DriverAnswer first = Must(Kind::kOk, "acquire of a free key", Acquire(kA));
    Must(Kind::kOk, "extend by the holder", Extend(kA, first.grant));
    Must(Kind::kOk, "release by the holder", Release(kA, first.grant));
    Must(Kind::kNo, "extend of what was released", Extend(kA, first.grant));
  }

  // The server forgets everything, as one that was restarted empty does.
  void TellsOfLosses() {
    if (!hello_.Can("lost")) return Skip();
    const DriverAnswer first = Must(Kind::kOk, "acquire of a free key", Acquire(kA));
    const std::array<std::string_view, 1> flush{"FLUSHALL"};
    if (!MakeConnection(server_)->Call(flush, RealMono() + kDriverPatience))
      wrong_ = "the server of this trial does not answer";
    const MonoTime give_up = RealMono() + kRunOut;
    while (!IsLost(parties_[0], first.grant) && RealMono() < give_up) Sleep(kTryInterval);
    if (!IsLost(parties_[0], first.grant) && wrong_.empty())
      wrong_ =
          fmt::format("the server forgot the lock: not told within {}", FormatDuration(kRunOut));
  }
  static bool IsLost(Party& party, const std::string& grant) {
    const std::lock_guard lock(party.mutex);
    return party.lost.contains(grant);
  }

  void Skip() { skipped_ = true; }

  static constexpr Caller kA{0, 0}, kSecondOfA{0, 1}, kB{1, 0};

  const std::string& command_;
  const DriverOptions& options_;
  const NodeAddress& server_;
  const std::function<void(const TrialStep&)>& told_;
  std::array<Party, 2> parties_;
  DriverHello hello_;
  int key_ = 0;        // a step has keys of its own
  std::string wrong_;  // in this step
  bool skipped_ = false;
};

}  // namespace

void TryDriver(const std::string& command, const std::map<std::string, std::string>& options,
               const NodeAddress& server, const std::function<void(const TrialStep&)>& told) {
  Trial(command, options, server, told).Run();
}

}  // namespace doublehold
